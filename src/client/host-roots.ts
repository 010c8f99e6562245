// The authorities that this machine trusts, found where the system keeps them. Node brings a list of its own, which knows
// nothing of what was added or taken away here. Requirements: document 2, "OpenID Connect flags" (host roots).

import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { readSmallFileSync } from "../base/read-small-file.ts";
import type { Steps } from "../base/steps.ts";

/** The first that is there counts. */
const BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
const FOLDERS = ["/etc/ssl/certs", "/etc/pki/tls/certs"];

interface HostRootsSettings {
  /** One file in place of the usual ones. */
  readonly SSL_CERT_FILE?: string | undefined;
  /** Folders, separated by colons, in place of the usual ones. */
  readonly SSL_CERT_DIR?: string | undefined;
  /** One more file. */
  readonly NODE_EXTRA_CA_CERTS?: string | undefined;
}

/** PEM, each once; undefined when the machine has none. A step for each file, of which there may be hundreds. */
export function* readHostRoots({
  SSL_CERT_FILE,
  SSL_CERT_DIR,
  NODE_EXTRA_CA_CERTS,
}: HostRootsSettings): Steps<string[] | undefined> {
  const found = new Set<string>();
  const add = (file: string): boolean => {
    const text = textOf(file);
    for (const block of text?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [])
      found.add(block);
    return text !== undefined;
  };
  (SSL_CERT_FILE ? [SSL_CERT_FILE] : BUNDLES).some(add);
  for (const folder of SSL_CERT_DIR ? SSL_CERT_DIR.split(":") : FOLDERS) {
    for (const file of filesIn(folder)) {
      yield;
      add(file);
    }
  }
  if (NODE_EXTRA_CA_CERTS) add(NODE_EXTRA_CA_CERTS);
  return found.size === 0 ? undefined : [...found];
}

function textOf(file: string): string | undefined {
  try {
    return readSmallFileSync(file).toString("latin1");
  } catch {
    return undefined;
  }
}

/** Links to files of the same folder, as OpenSSL has them by hash, say nothing new. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink() || readlinkSync(join(folder, entry.name)).includes("/"))
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}
