// The folder of keys and certificates: what is good stays, what is missing or worn out is made anew.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../../base/make-directory.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { Authority } from "../../base/sign-certificate.ts";
import { StartError } from "../../base/start-error.ts";
import { type CertificateRequest, isAddress, issueCertificate, type KeyedCertificate } from "./issue-certificate.ts";

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
/** A certificate with less life than this left is replaced. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** Clocks of clients may lag behind. */
export const BACKDATE_MS = 3_600_000;
const KEY_MODE = 0o600;
const CERTIFICATE_MODE = 0o644;

interface LeafRequest {
  readonly use: "server" | "client";
  readonly subject: CertificateRequest["subject"];
  readonly names?: readonly string[];
}

interface Found {
  readonly keyed: KeyedCertificate;
  readonly certificate: X509Certificate;
}

export class PkiFolder {
  readonly #dir: string;
  readonly #nowMs: () => number;

  constructor(dir: string, nowMs: () => number = Date.now) {
    this.#dir = dir;
    this.#nowMs = nowMs;
  }

  path(file: string): string {
    return join(this.#dir, file);
  }

  /** The authority `<name>.crt` and `<name>.key`. */
  async authority(name: string, commonName: string): Promise<KeyedCertificate> {
    const found = await this.#read(name);
    if (found !== undefined && this.#leftMs(found) > RENEW_BEFORE_MS) return found.keyed;
    return this.#write(
      name,
      await issueCertificate({ use: "authority", subject: { commonName }, ...this.#validity(AUTHORITY_DAYS) }),
    );
  }

  /** The certificate `<name>.crt` and `<name>.key`, signed by the authority, for at least the names asked for. */
  async leaf(name: string, request: LeafRequest, issuer: KeyedCertificate): Promise<KeyedCertificate> {
    const found = await this.#read(name);
    if (found !== undefined && this.#leftMs(found) > RENEW_BEFORE_MS && fits(found.certificate, request, issuer))
      return found.keyed;
    const issued = await issueCertificate({ ...request, ...this.#validity(LEAF_DAYS) }, asAuthority(issuer));
    return this.#write(name, issued);
  }

  /** A file that is made once. */
  async once(file: string, make: () => Promise<string>): Promise<string> {
    const found = await this.#readFile(file);
    if (found !== undefined) return found;
    const text = await make();
    await this.#writeFile(file, text, KEY_MODE);
    return text;
  }

  async #read(name: string): Promise<Found | undefined> {
    const [certificatePem, keyPem] = await Promise.all([this.#readFile(`${name}.crt`), this.#readFile(`${name}.key`)]);
    if (certificatePem === undefined || keyPem === undefined) return undefined;
    try {
      const certificate = new X509Certificate(certificatePem);
      if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) return undefined;
      return { keyed: { certificatePem, keyPem }, certificate };
    } catch (error) {
      throw new StartError(
        `${this.path(name)}.crt or .key is damaged (${(error as Error).message}): delete both to have them made anew`,
      );
    }
  }

  async #write(name: string, keyed: KeyedCertificate): Promise<KeyedCertificate> {
    await this.#writeFile(`${name}.key`, keyed.keyPem, KEY_MODE);
    await this.#writeFile(`${name}.crt`, keyed.certificatePem, CERTIFICATE_MODE);
    return keyed;
  }

  async #readFile(file: string): Promise<string | undefined> {
    try {
      return (await readSmallFile(this.path(file))).toString("utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new StartError(`cannot read ${this.path(file)}: ${(error as Error).message}`);
    }
  }

  /** Whole or not at all: a crash in between leaves the old file. */
  async #writeFile(file: string, text: string, mode: number): Promise<void> {
    const path = this.path(file);
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      await makeDirectory(this.#dir, 0o700);
      const handle = await open(temporary, "w", mode);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw new StartError(`cannot write ${path}: ${(error as Error).message}; choose another folder with --cert-dir`);
    }
  }

  #leftMs({ certificate }: Found): number {
    return Date.parse(certificate.validTo) - this.#nowMs();
  }

  #validity(days: number): { notBeforeMs: number; notAfterMs: number } {
    const nowMs = this.#nowMs();
    return { notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: nowMs + days * DAY_MS };
  }
}

function fits(certificate: X509Certificate, request: LeafRequest, issuer: KeyedCertificate): boolean {
  const authority = new X509Certificate(issuer.certificatePem);
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) return false;
  return (request.names ?? []).every(
    (name) => (isAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined,
  );
}

export function asAuthority(keyed: KeyedCertificate): Authority {
  return { certificate: new X509Certificate(keyed.certificatePem), key: createPrivateKey(keyed.keyPem) };
}
