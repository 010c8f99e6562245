// Authentication as the flags say. Files that cannot be used stop the start.

import type { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { StartError } from "../base/start-error.ts";
import type { Authenticator } from "./authn/authenticator.ts";
import { anyAuthenticator, withAnonymous } from "./authn/authenticators.ts";
import { clientCertificates, parseCertificates } from "./authn/client-certificate.ts";
import { parseTokenFile, staticTokens } from "./authn/token-file.ts";
import type { ApiServerOptions } from "./options/api-server-options.ts";

/** `ownClientCaPem`: an authority of our own beside --client-ca-file. Fails with StartError. */
export async function buildAuthentication(options: ApiServerOptions, ownClientCaPem?: string): Promise<Authenticator> {
  const methods: Authenticator[] = [];
  const given = await readFlagFile("client-ca-file", options.clientCaFile, parseCertificates);
  const own = ownClientCaPem === undefined ? [] : parseCertificates(ownClientCaPem);
  const authorities: readonly X509Certificate[] = [...(given ?? []), ...own];
  if (authorities.length > 0) methods.push(clientCertificates({ authorities, nowMs: Date.now }));
  const users = await readFlagFile("token-auth-file", options.tokenAuthFile, parseTokenFile);
  if (users !== undefined) methods.push(staticTokens(users));
  const all = anyAuthenticator(methods);
  return anonymousAllowed(options) ? withAnonymous(all) : all;
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
