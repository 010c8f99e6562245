// Certificate chains of clients, verified against a bundle of authorities that may be replaced while the server runs.
// Requirements: document 2, "Methods", "Authenticating proxy".

import { createHash, type X509Certificate } from "node:crypto";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import { roughBytes } from "../../base/rough-bytes.ts";
import type { CredentialRequest } from "../authenticator.ts";
import {
  type Authorities,
  authoritiesOf,
  type ChainCertificate,
  chainCertificate,
  findChain,
} from "./certificate-chain.ts";
import { type CertificateSubject, readSubject } from "./certificate-subject.ts";

const MAX_REMEMBERED_CHAINS = 1_000;
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;

export type VerifiedClient =
  | {
      readonly trusted: true;
      readonly subject: CertificateSubject;
      readonly fingerprint: string;
      readonly expiresAtMs: number;
    }
  /** `expiresAtMs`: undefined where the certificate cannot be read. */
  | { readonly trusted: false; readonly problem: string; readonly expiresAtMs: number | undefined };

interface Judged {
  readonly client: VerifiedClient;
  readonly validFromMs: number;
  readonly validUntilMs: number;
}

/** Every certificate of a PEM bundle. Fails when there is none or one cannot be read. */
export function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("there is no PEM block of type CERTIFICATE in it");
  return blocks.map((block) => chainCertificate(block).x509);
}

export class CertificateAuthorities {
  readonly #clock: Clock;
  #authorities: Authorities;
  // A connection shows the same chain with every request: its signatures are checked once. Null: it shows none.
  #judged = new WeakMap<object, Judged | null>();
  // Clients come back on new connections: what was found good is remembered by the digest of what they show.
  readonly #trusted = new BoundedCache<string, Judged>({
    maxEntries: MAX_REMEMBERED_CHAINS,
    maxBytes: MAX_REMEMBERED_BYTES,
    sizeBytes: (_, judged) => roughBytes(judged),
  });
  // A resumed TLS session brings the leaf alone: what came with it the first time is remembered.
  readonly #intermediates = new BoundedCache<string, readonly ChainCertificate[]>({
    maxEntries: MAX_REMEMBERED_CHAINS,
    maxBytes: MAX_REMEMBERED_BYTES,
    // Read, a certificate holds its bytes several times over.
    sizeBytes: (_, chain) => chain.reduce((sum, { x509 }) => sum + 4 * x509.raw.length, 0),
  });

  constructor(clock: Clock, authorities: readonly X509Certificate[]) {
    this.#clock = clock;
    this.#authorities = bySubject(authorities);
  }

  /** From now on these are trusted, on open connections too. */
  replace(authorities: readonly X509Certificate[]): void {
    this.#authorities = bySubject(authorities);
    this.#judged = new WeakMap();
    this.#trusted.clear();
  }

  /** Undefined when the client has shown no certificate. */
  verify(request: CredentialRequest): VerifiedClient | undefined {
    const known = this.#judged.get(request.connection);
    if (known === null) return undefined;
    const nowMs = this.#clock.nowMs();
    if (known !== undefined && isInTime(known, nowMs)) return known.client;
    const chain = request.clientCertificates;
    if (chain.length === 0) {
      this.#judged.set(request.connection, null);
      return undefined;
    }
    const digest = digestOf(chain);
    const remembered = this.#trusted.get(digest);
    const judged = remembered !== undefined && isInTime(remembered, nowMs) ? remembered : this.#judge(chain, nowMs);
    if (judged.client.trusted) this.#trusted.set(digest, judged);
    this.#judged.set(request.connection, judged);
    return judged.client;
  }

  #judge(der: readonly Uint8Array[], nowMs: number): Judged {
    let expiresAtMs: number | undefined;
    try {
      const [leaf, ...shown] = der.map(chainCertificate);
      const { x509, fields } = leaf!;
      expiresAtMs = fields.validUntilMs;
      const others = shown.length > 0 ? shown : (this.#intermediates.get(x509.fingerprint256) ?? []);
      const chain = findChain(leaf!, others, this.#authorities, nowMs);
      // An unknown chain may become good when its time comes: it is judged again each time.
      if (typeof chain === "string") return never(chain, nowMs, expiresAtMs);
      const subject = readSubject(fields.subject);
      if (shown.length > 0) this.#intermediates.set(x509.fingerprint256, shown);
      return {
        client: {
          trusted: true,
          subject,
          fingerprint: x509.fingerprint256.replaceAll(":", "").toLowerCase(),
          expiresAtMs,
        },
        validFromMs: chain.map((member) => member.fields.validFromMs).reduce((a, b) => Math.max(a, b)),
        validUntilMs: chain.map((member) => member.fields.validUntilMs).reduce((a, b) => Math.min(a, b)),
      };
    } catch (error) {
      return never(`the certificate cannot be read: ${(error as Error).message}`, nowMs, expiresAtMs);
    }
  }
}

const isInTime = ({ validFromMs, validUntilMs }: Judged, nowMs: number): boolean =>
  nowMs >= validFromMs && nowMs <= validUntilMs;

/** Each certificate with its length: two chains never look the same. */
function digestOf(chain: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const certificate of chain) hash.update(`${certificate.length} `).update(certificate);
  return hash.digest("base64");
}

/** How long a refusal is remembered for a connection. */
const REFUSAL_MS = 10_000;

const never = (problem: string, nowMs: number, expiresAtMs: number | undefined): Judged => ({
  client: { trusted: false, problem, expiresAtMs },
  validFromMs: nowMs,
  validUntilMs: nowMs + REFUSAL_MS,
});

const bySubject = (certificates: readonly X509Certificate[]): Authorities =>
  authoritiesOf(certificates.map(({ raw }) => chainCertificate(raw)));
