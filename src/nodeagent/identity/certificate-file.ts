// A certificate and its key in one file, replaced as a whole: readers see the old pair or the new one.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { KeyedCertificate } from "../../http/certificates.ts";

const PRIVATE = 0o600;

/** Undefined when there is none, or it is damaged: another one is asked for then. */
export async function readCertificateFile(path: string): Promise<KeyedCertificate | undefined> {
  const text = await readSmallFile(path).then(String, () => "");
  const certificatePem = blocks(text, "CERTIFICATE");
  const keyPem = blocks(text, "(?:[A-Z]+ )?PRIVATE KEY");
  try {
    const isPair = new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem));
    return isPair ? { certificatePem, keyPem } : undefined;
  } catch {
    return undefined;
  }
}

export async function writeCertificateFile(path: string, { certificatePem, keyPem }: KeyedCertificate): Promise<void> {
  await writeWhole(path, `${certificatePem.trimEnd()}\n${keyPem}`);
}

/** Private, and whole or not at all. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const file = await open(temporary, "w", PRIVATE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function blocks(text: string, label: string): string {
  const found = text.match(new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----\n?`, "g")) ?? [];
  return found.join("");
}
