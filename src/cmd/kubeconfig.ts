// The kubeconfig that `plinth up` writes: JSON, which every reader of YAML understands.

import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory } from "../base/make-directory.ts";

interface KubeconfigContent {
  readonly server: string;
  /** The authority of the server; the system's when not given. */
  readonly caPem: string | undefined;
  readonly client: ClientCertificate;
}

/** The certificate itself, or paths from the root of files that are made anew while others read them. */
type ClientCertificate =
  | { readonly certificatePem: string; readonly keyPem: string }
  | { readonly certificateFile: string; readonly keyFile: string };

/** Readable by the owner only; complete or not there at all. */
export async function writeKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "plinth",
    clusters: [{ name: "plinth", cluster: { server: content.server, ...trust(content.caPem) } }],
    users: [{ name: "admin", user: identity(content.client) }],
    contexts: [{ name: "plinth", context: { cluster: "plinth", user: "admin" } }],
  };
  // Nothing else has made it where certificates and the store are elsewhere.
  await makeDirectory(dirname(path), 0o700);
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(config, null, 2)}\n`);
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

function trust(caPem: string | undefined): object {
  return caPem === undefined ? {} : { "certificate-authority-data": base64(caPem) };
}

function identity(client: ClientCertificate): object {
  return "certificateFile" in client
    ? { "client-certificate": client.certificateFile, "client-key": client.keyFile }
    : { "client-certificate-data": base64(client.certificatePem), "client-key-data": base64(client.keyPem) };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
