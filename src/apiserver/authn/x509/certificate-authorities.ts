// Certificate chains of clients, verified against a bundle of authorities that may be replaced while the server runs.
// Requirements: document 2, "Methods", "Authenticating proxy".

import { X509Certificate } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { CredentialRequest } from "../authenticator.ts";
import { BoundedCache } from "../bounded-cache.ts";
import { type CertificateSubject, subjectOf } from "./certificate-subject.ts";

const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const ANY_USE = "2.5.29.37.0";

const MAX_REMEMBERED_CHAINS = 1_000;

export type VerifiedClient =
  | { readonly trusted: true; readonly subject: CertificateSubject; readonly fingerprint: string }
  | { readonly trusted: false; readonly problem: string };

interface Judged {
  readonly client: VerifiedClient;
  readonly validFromMs: number;
  readonly validUntilMs: number;
}

/** Every certificate of a PEM bundle. Fails when there is none or one cannot be read. */
export function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("there is no PEM block of type CERTIFICATE in it");
  return blocks.map((block) => new X509Certificate(block));
}

export class CertificateAuthorities {
  readonly #clock: Clock;
  #authorities: readonly X509Certificate[];
  // A connection shows the same chain with every request: its signatures are checked once. Null: it shows none.
  #judged = new WeakMap<object, Judged | null>();
  // A resumed TLS session brings the leaf alone: what came with it the first time is remembered.
  readonly #intermediates = new BoundedCache<readonly X509Certificate[]>(MAX_REMEMBERED_CHAINS);

  constructor(clock: Clock, authorities: readonly X509Certificate[]) {
    this.#clock = clock;
    this.#authorities = authorities;
  }

  /** From now on these are trusted, on open connections too. */
  replace(authorities: readonly X509Certificate[]): void {
    this.#authorities = authorities;
    this.#judged = new WeakMap();
  }

  /** Undefined when the client has shown no certificate. */
  verify(request: CredentialRequest): VerifiedClient | undefined {
    const known = this.#judged.get(request.connection);
    if (known === null) return undefined;
    const nowMs = this.#clock.nowMs();
    if (known !== undefined && nowMs >= known.validFromMs && nowMs <= known.validUntilMs) return known.client;
    const chain = request.clientCertificates;
    if (chain.length === 0) {
      this.#judged.set(request.connection, null);
      return undefined;
    }
    const judged = this.#judge(chain, nowMs);
    this.#judged.set(request.connection, judged);
    return judged.client;
  }

  #judge(der: readonly Uint8Array[], nowMs: number): Judged {
    try {
      const [leaf, ...shown] = der.map((bytes) => new X509Certificate(bytes));
      const others = shown.length > 0 ? shown : (this.#intermediates.get(leaf!.fingerprint256) ?? []);
      const path = findPath(leaf!, others, this.#authorities, nowMs);
      // An unknown chain may become good when its time comes: it is judged again each time.
      if (typeof path === "string") return never(path, nowMs);
      if (shown.length > 0) this.#intermediates.set(leaf!.fingerprint256, shown);
      return {
        client: {
          trusted: true,
          subject: subjectOf(leaf!.raw),
          fingerprint: leaf!.fingerprint256.replaceAll(":", "").toLowerCase(),
        },
        validFromMs: Math.max(...path.map(({ validFrom }) => Date.parse(validFrom))),
        validUntilMs: Math.min(...path.map(({ validTo }) => Date.parse(validTo))),
      };
    } catch (error) {
      return never(`the certificate cannot be read: ${(error as Error).message}`, nowMs);
    }
  }
}

/** How long a refusal is remembered for a connection. */
const REFUSAL_MS = 10_000;

const never = (problem: string, nowMs: number): Judged => ({
  client: { trusted: false, problem },
  validFromMs: nowMs,
  validUntilMs: nowMs + REFUSAL_MS,
});

/** A chain from the leaf to an authority whose every member is valid now and allowed to be there; else why there is none. */
function findPath(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  nowMs: number,
): X509Certificate[] | string {
  const path: X509Certificate[] = [];
  let current = leaf;
  for (let depth = 0; depth <= intermediates.length; depth += 1) {
    const problem = problemOf(current, nowMs);
    if (problem !== undefined) return problem;
    path.push(current);
    const subject = current;
    if (authorities.some((authority) => authority.raw.equals(subject.raw))) return path;
    const issued = (issuer: X509Certificate) =>
      issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
    const issuers = authorities.filter(issued);
    const root = issuers.find((authority) => problemOf(authority, nowMs) === undefined);
    if (root !== undefined) return [...path, root];
    if (issuers.length > 0) return problemOf(issuers[0]!, nowMs)!;
    const next = intermediates.find((candidate) => !path.includes(candidate) && issued(candidate));
    if (next === undefined) break;
    current = next;
  }
  return "the certificate is signed by an unknown authority";
}

function problemOf(certificate: X509Certificate, nowMs: number): string | undefined {
  if (nowMs < Date.parse(certificate.validFrom)) return "a certificate of the chain is not yet valid";
  if (nowMs > Date.parse(certificate.validTo)) return "a certificate of the chain has expired";
  const uses = certificate.keyUsage ?? [];
  const forClients = uses.length === 0 || uses.includes(CLIENT_AUTH) || uses.includes(ANY_USE);
  return forClients ? undefined : "a certificate of the chain is not for clients";
}
