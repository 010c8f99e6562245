// Files that flags name: all must be readable, and bundles of authorities must hold certificates, before anything starts.

import { X509Certificate } from "node:crypto";
import { flagName } from "../base/flags.ts";
import { readSmallFile } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import type { ApiServerOptions } from "./api-server-options.ts";

const BUNDLES = ["clientCaFile", "requestheaderClientCaFile", "oidcCaFile", "etcdCafile"] as const;
const FILES = [
  "tokenAuthFile",
  "authenticationConfig",
  "authenticationTokenWebhookConfigFile",
  "authorizationConfig",
  "authorizationPolicyFile",
  "authorizationWebhookConfigFile",
  "auditPolicyFile",
  "auditWebhookConfigFile",
  "serviceAccountSigningKeyFile",
  "egressSelectorConfigFile",
  "tlsCertFile",
  "tlsPrivateKeyFile",
  "proxyClientCertFile",
  "proxyClientKeyFile",
  "etcdCertfile",
  "etcdKeyfile",
] as const;

/** Fails with StartError, naming flag and file. */
export async function checkFiles(options: ApiServerOptions): Promise<void> {
  for (const key of FILES) if (options[key] !== undefined) await readFlagFile(key, options[key]);
  for (const file of options.serviceAccountKeyFile) await readFlagFile("serviceAccountKeyFile", file);
  for (const key of BUNDLES) {
    const file = options[key];
    if (file === undefined) continue;
    const problem = bundleProblem(await readFlagFile(key, file));
    if (problem !== undefined) throw new StartError(`--${flagName(key)} ${file}: ${problem}`);
  }
}

async function readFlagFile(key: keyof ApiServerOptions, file: string): Promise<string> {
  try {
    return (await readSmallFile(file)).toString("utf8");
  } catch (error) {
    throw new StartError(`--${flagName(key)} ${file}: ${(error as Error).message}`);
  }
}

function bundleProblem(pem: string): string | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return "there is no PEM block of type CERTIFICATE in it";
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch (error) {
      return `certificate ${index + 1} in it cannot be read: ${(error as Error).message}`;
    }
  }
  return undefined;
}
