// A chain from a client's certificate to an authority, every member of which is allowed to be where it is (RFC 5280,
// section 6). Requirements: document 2, "Methods", "Authenticating proxy".

import { X509Certificate } from "node:crypto";
import { type CertificateFields, readCertificate } from "./certificate-fields.ts";
import { nameProblem } from "./name-constraints.ts";

const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const ANY_USE = "2.5.29.37.0";
/** Certificates that vouch for each other in many ways must not hold everybody up. */
const MAX_SIGNATURE_CHECKS = 100;
/** Below, a signature proves nothing. */
const MIN_RSA_BITS = 1024;

export interface ChainCertificate {
  readonly x509: X509Certificate;
  readonly fields: CertificateFields;
}

/** Fails on bytes that are no certificate. */
export function chainCertificate(encoded: Uint8Array | string): ChainCertificate {
  const x509 = new X509Certificate(encoded);
  // OpenSSL reads more than DER allows: what it has read is not what counts.
  return { x509, fields: readCertificate(typeof encoded === "string" ? x509.raw : encoded) };
}

/** Authorities by their subject. */
export type Authorities = ReadonlyMap<string, readonly ChainCertificate[]>;

export function authoritiesOf(certificates: readonly ChainCertificate[]): Authorities {
  const bySubject = new Map<string, ChainCertificate[]>();
  for (const certificate of certificates) {
    const key = keyOf(certificate.fields.subject);
    bySubject.set(key, [...(bySubject.get(key) ?? []), certificate]);
  }
  return bySubject;
}

/** The chain, the leaf first; why there is none. */
export function findChain(
  leaf: ChainCertificate,
  intermediates: readonly ChainCertificate[],
  authorities: Authorities,
  nowMs: number,
): ChainCertificate[] | string {
  const problem = ownProblem(leaf, nowMs) ?? useProblem([leaf]);
  if (problem !== undefined) return problem;
  const trusted = authorities.get(keyOf(leaf.fields.subject)) ?? [];
  if (trusted.some(({ x509 }) => x509.raw.equals(leaf.x509.raw))) return [leaf];
  const search = new ChainSearch(intermediates, authorities, nowMs);
  return search.from([leaf]) ?? search.problem ?? "the certificate is signed by an unknown authority";
}

class ChainSearch {
  /** Why the first issuer that was found does not count. */
  problem: string | undefined;
  readonly #intermediates: readonly ChainCertificate[];
  readonly #authorities: Authorities;
  readonly #nowMs: number;
  #checksLeft = MAX_SIGNATURE_CHECKS;

  constructor(intermediates: readonly ChainCertificate[], authorities: Authorities, nowMs: number) {
    this.#intermediates = intermediates;
    this.#authorities = authorities;
    this.#nowMs = nowMs;
  }

  from(chain: readonly ChainCertificate[]): ChainCertificate[] | undefined {
    const child = chain.at(-1)!;
    for (const root of this.#authorities.get(keyOf(child.fields.issuer)) ?? []) {
      if (isIn(chain, root)) continue;
      const problem = this.#issuerProblem(root, chain) ?? useProblem([root]);
      if (problem === undefined) return [...chain, root];
      this.problem ??= problem;
    }
    for (const middle of this.#intermediates) {
      if (!same(middle.fields.subject, child.fields.issuer) || isIn(chain, middle)) continue;
      const problem = this.#issuerProblem(middle, chain) ?? intermediateProblem(middle) ?? useProblem([middle]);
      const found = problem === undefined ? this.from([...chain, middle]) : undefined;
      if (found !== undefined) return found;
      this.problem ??= problem;
    }
    return undefined;
  }

  #issuerProblem(issuer: ChainCertificate, chain: readonly ChainCertificate[]): string | undefined {
    if (this.#checksLeft === 0) return "there are too many ways from the certificate to an authority";
    this.#checksLeft -= 1;
    return (
      signatureProblem(chain.at(-1)!, issuer) ?? ownProblem(issuer, this.#nowMs) ?? constraintProblem(issuer, chain)
    );
  }
}

function ownProblem({ fields }: ChainCertificate, nowMs: number): string | undefined {
  if (fields.notUnderstood !== undefined)
    return `a certificate of the chain has the critical extension ${fields.notUnderstood}, which is not understood`;
  if (nowMs < fields.validFromMs) return "a certificate of the chain is not yet valid";
  if (nowMs > fields.validUntilMs) return "a certificate of the chain has expired";
  return undefined;
}

function useProblem(chain: readonly ChainCertificate[]): string | undefined {
  const isForClients = chain.every(
    ({ fields: { uses } }) => uses.length === 0 || uses.includes(CLIENT_AUTH) || uses.includes(ANY_USE),
  );
  return isForClients ? undefined : "a certificate of the chain is not for clients";
}

/** An authority that is trusted by itself may be of a version that knows no constraints; others may not. */
function intermediateProblem({ fields }: ChainCertificate): string | undefined {
  return fields.basicConstraints?.isAuthority === true ? undefined : NO_AUTHORITY;
}

const NO_AUTHORITY = "a certificate of the chain is signed by one that is no authority";

function signatureProblem(child: ChainCertificate, { x509, fields }: ChainCertificate): string | undefined {
  const isAuthority = fields.basicConstraints?.isAuthority ?? fields.version < 3;
  if (!isAuthority || !fields.maySignCertificates) return NO_AUTHORITY;
  if (!child.fields.isSignedWell) return "a certificate of the chain is signed with an algorithm that is not accepted";
  const { publicKey } = x509;
  if ((publicKey.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS)
    return "a certificate of the chain is signed with a key that is too small";
  return child.x509.verify(publicKey) ? undefined : "a certificate of the chain has a wrong signature";
}

/** What the issuer demands of everything below it. */
function constraintProblem({ fields }: ChainCertificate, chain: readonly ChainCertificate[]): string | undefined {
  const { basicConstraints, nameConstraints } = fields;
  if (chain.length - 1 > (basicConstraints?.maxPathLength ?? Number.POSITIVE_INFINITY))
    return "there are more authorities in the chain than one of them allows";
  if (nameConstraints === undefined) return undefined;
  return nameProblem(
    nameConstraints,
    chain.flatMap((member) => member.fields.names),
  );
}

/** The same key under the same name: going through it again leads nowhere new. */
function isIn(chain: readonly ChainCertificate[], { fields: b }: ChainCertificate): boolean {
  return chain.some(
    ({ fields: a }) =>
      same(a.subject, b.subject) &&
      same(a.publicKey, b.publicKey) &&
      JSON.stringify(a.names) === JSON.stringify(b.names),
  );
}

const keyOf = (name: Uint8Array): string => Buffer.from(name).toString("latin1");
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);
