// Certificates of clients, accepted by OpenSSL, and whether a bundle of authorities that may be replaced while the server
// runs vouches for them. Requirements: document 2, "Methods", "Authenticating proxy".

import { X509Certificate } from "node:crypto";
import { type CertificateSubject, certificateSubject } from "../../base/certificate-subject.ts";
import type { Clock } from "../../base/clock.ts";
import type { ShownCertificate } from "../../http/message.ts";
import type { CredentialRequest } from "../authenticator.ts";
import { possibleRoots } from "./possible-roots.ts";

export type VerifiedClient =
  | {
      readonly trusted: true;
      readonly subject: CertificateSubject;
      readonly fingerprint: string;
      readonly expiresAtMs: number;
    }
  | { readonly trusted: false; readonly problem: string; readonly expiresAtMs: number };

/** Every certificate of a PEM bundle. Fails when there is none or one cannot be read. */
export function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("there is no PEM block of type CERTIFICATE in it");
  return blocks.map((block) => new X509Certificate(block));
}

interface Judged {
  readonly client: VerifiedClient;
  /** When the first certificate that the verdict may rest on ends. */
  readonly validUntilMs: number;
}

export class CertificateAuthorities {
  readonly #clock: Pick<Clock, "nowMs">;
  #certificates: readonly X509Certificate[] = [];
  #fingerprints: ReadonlySet<string> = new Set();
  // A connection shows the same chain with every request: it is judged once. Null: it shows none.
  #judged = new WeakMap<object, Judged | null>();

  constructor(clock: Pick<Clock, "nowMs">, certificates: readonly X509Certificate[]) {
    this.#clock = clock;
    this.replace(certificates);
  }

  get certificates(): readonly X509Certificate[] {
    return this.#certificates;
  }

  /** From now on these are trusted. Whoever came in by one that is not among them is refused, on open connections too. */
  replace(certificates: readonly X509Certificate[]): void {
    this.#certificates = certificates;
    this.#fingerprints = new Set(certificates.map(({ fingerprint256 }) => fingerprint256));
    this.#judged = new WeakMap();
  }

  /** Undefined when the client has shown no certificate. */
  verify(request: CredentialRequest): VerifiedClient | undefined {
    let judged = this.#judged.get(request.connection);
    if (judged === undefined) {
      const shown = request.clientCertificate;
      judged = shown === undefined ? null : this.#judge(shown);
      this.#judged.set(request.connection, judged);
    }
    if (judged === null) return undefined;
    const { client, validUntilMs } = judged;
    if (!client.trusted || this.#clock.nowMs() <= validUntilMs) return client;
    // OpenSSL has looked at the time when the connection was made.
    return { trusted: false, problem: PROBLEMS.CERT_HAS_EXPIRED, expiresAtMs: client.expiresAtMs };
  }

  #judge({ chain, problem, authorities }: ShownCertificate): Judged {
    const leaf = chain[0]!;
    const expiresAtMs = Date.parse(leaf.validTo);
    const refused = (reason: string): Judged => ({
      client: { trusted: false, problem: reason, expiresAtMs },
      validUntilMs: expiresAtMs,
    });
    if (problem !== undefined) return refused(wordsFor(problem));
    const roots = possibleRoots(chain, authorities);
    if (typeof roots === "string") return refused(roots);
    const isOurs = ({ fingerprint256 }: X509Certificate) => this.#fingerprints.has(fingerprint256);
    // One of them is the end of the chain that OpenSSL has found: all must be ours to know that it is.
    if (roots.size === 0 || ![...roots].every(isOurs)) return refused(wordsFor("UNABLE_TO_VERIFY_LEAF_SIGNATURE"));
    try {
      const subject = certificateSubject(leaf.raw);
      const fingerprint = leaf.fingerprint256.replaceAll(":", "").toLowerCase();
      return {
        client: { trusted: true, subject, fingerprint, expiresAtMs },
        validUntilMs: firstEndMs([...chain, ...roots], this.#clock.nowMs()),
      };
    } catch (error) {
      return refused(`the certificate cannot be read: ${(error as Error).message}`);
    }
  }
}

/** What had ended before was not part of the chain that OpenSSL has found. */
function firstEndMs(certificates: readonly X509Certificate[], nowMs: number): number {
  const ends = certificates.map(({ validTo }) => Date.parse(validTo));
  return ends.reduce((first, endMs) => (endMs < nowMs ? first : Math.min(first, endMs)), Number.POSITIVE_INFINITY);
}

const PROBLEMS = {
  CERT_HAS_EXPIRED: "a certificate of the chain has expired",
  CERT_NOT_YET_VALID: "a certificate of the chain is not yet valid",
  CERT_CHAIN_TOO_LONG: "there are too many certificates in the chain",
  INVALID_PURPOSE: "a certificate of the chain is not for clients",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "the certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate is signed by an unknown authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is signed by an unknown authority",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate is signed by an unknown authority",
} as const;

const wordsFor = (code: string): string =>
  Object.hasOwn(PROBLEMS, code)
    ? PROBLEMS[code as keyof typeof PROBLEMS]
    : `a certificate of the chain is not accepted: ${code}`;
