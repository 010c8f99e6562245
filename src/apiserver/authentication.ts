// Authentication as the flags say. Files that cannot be used stop the start.

import type { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { StartError } from "../base/start-error.ts";
import type { Authenticator } from "./authn/authenticator.ts";
import { anyAuthenticator, withAnonymous } from "./authn/authenticators.ts";
import { clientCertificates, parseCertificates } from "./authn/client-certificate.ts";
import { parseTokenFile, staticTokens } from "./authn/token-file.ts";
import type { ApiServerOptions } from "./options/api-server-options.ts";

export interface Authentication {
  readonly authenticator: Authenticator;
  /** The authorities that clients are told of in the handshake; empty when certificates are not accepted. */
  readonly clientCaPem: string;
}

/** `ownClientCaPem`: an authority of our own beside --client-ca-file. */
export async function buildAuthentication(options: ApiServerOptions, ownClientCaPem?: string): Promise<Authentication> {
  const methods: Authenticator[] = [];
  const bundle = await readFlagFile("client-ca-file", options.clientCaFile, (text) => ({
    text,
    authorities: parseCertificates(text),
  }));
  const authorities: X509Certificate[] = [...(bundle?.authorities ?? [])];
  if (ownClientCaPem !== undefined) authorities.push(...parseCertificates(ownClientCaPem));
  if (authorities.length > 0) methods.push(clientCertificates({ authorities, nowMs: Date.now }));
  const users = await readFlagFile("token-auth-file", options.tokenAuthFile, parseTokenFile);
  if (users !== undefined) methods.push(staticTokens(users));
  const all = anyAuthenticator(methods);
  return {
    authenticator: anonymousAllowed(options) ? withAnonymous(all) : all,
    clientCaPem: [bundle?.text, ownClientCaPem].filter((pem) => pem !== undefined).join("\n"),
  };
}

/** Requirements: document 2, "Anonymous requests". */
export function anonymousAllowed(
  options: Pick<ApiServerOptions, "anonymousAuth" | "authorizationMode" | "authorizationConfig">,
): boolean {
  const allowsAll = options.authorizationConfig === undefined && modesOf(options).includes("AlwaysAllow");
  return !allowsAll && options.anonymousAuth !== false;
}

function modesOf(options: Pick<ApiServerOptions, "authorizationMode">): readonly string[] {
  return options.authorizationMode.length === 0 ? ["AlwaysAllow"] : options.authorizationMode;
}

async function readFlagFile<Value>(
  flag: string,
  path: string | undefined,
  read: (text: string) => Value,
): Promise<Value | undefined> {
  if (path === undefined) return undefined;
  try {
    return read(await readFile(path, "utf8"));
  } catch (error) {
    throw new StartError(`--${flag} ${path}: ${(error as Error).message}`);
  }
}
