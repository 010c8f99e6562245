// Client certificates: the common name is the user, each organization a group. Requirements: document 2, "Methods".

import { X509Certificate } from "node:crypto";
import { AUTHENTICATED_GROUP } from "../../meta/user.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";

const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const ANY_USE = "2.5.29.37.0";

export interface ClientCertificateDeps {
  readonly authorities: readonly X509Certificate[];
  readonly nowMs: () => number;
}

/** Every certificate of a PEM bundle. Fails when there is none or one cannot be read. */
export function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("there is no PEM block of type CERTIFICATE in it");
  return blocks.map((block) => new X509Certificate(block));
}

export function clientCertificates(deps: ClientCertificateDeps): Authenticator {
  // A connection shows the same chain with every request; its signatures are checked once.
  const verified = new WeakMap<object, { readonly outcome: Authentication; readonly validUntilMs: number }>();
  return {
    authenticate(request) {
      const known = verified.get(request.connection);
      if (known !== undefined && deps.nowMs() < known.validUntilMs) return known.outcome;
      const chain = request.clientCertificates;
      if (chain.length === 0) return { result: "none" };
      const judged = judge(chain, deps);
      verified.set(request.connection, judged);
      return judged.outcome;
    },
  };
}

function judge(
  chain: readonly Uint8Array[],
  deps: ClientCertificateDeps,
): { outcome: Authentication; validUntilMs: number } {
  try {
    const [leaf, ...intermediates] = chain.map((der) => new X509Certificate(der));
    const problem = chainProblem(leaf!, intermediates, deps);
    if (problem !== undefined)
      return { outcome: { result: "refused", error: problem }, validUntilMs: Number.POSITIVE_INFINITY };
    const { commonName, organizations } = subjectOf(leaf!);
    if (commonName === "") return { outcome: { result: "none" }, validUntilMs: Number.POSITIVE_INFINITY };
    const user = { name: commonName, groups: [...organizations, AUTHENTICATED_GROUP] };
    return { outcome: { result: "user", user }, validUntilMs: Date.parse(leaf!.validTo) };
  } catch (error) {
    return { outcome: { result: "refused", error: (error as Error).message }, validUntilMs: Number.POSITIVE_INFINITY };
  }
}

function chainProblem(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  deps: ClientCertificateDeps,
): string | undefined {
  const uses = leaf.keyUsage ?? [];
  if (uses.length > 0 && !uses.includes(CLIENT_AUTH) && !uses.includes(ANY_USE))
    return "the certificate is not for clients";
  const nowMs = deps.nowMs();
  let current = leaf;
  for (let depth = 0; depth <= intermediates.length; depth += 1) {
    if (nowMs < Date.parse(current.validFrom) || nowMs > Date.parse(current.validTo))
      return "the certificate has expired or is not yet valid";
    const subject = current;
    const issuedBy = (issuer: X509Certificate) => subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
    if (deps.authorities.some(issuedBy)) return undefined;
    const next = intermediates.find(
      (candidate) => candidate.ca && issuedBy(candidate) && candidate.raw.compare(subject.raw) !== 0,
    );
    if (next === undefined) break;
    current = next;
  }
  return "the certificate is signed by an unknown authority";
}

/** Node prints a subject as one attribute per line, with + between those of one name and \ before special characters. */
function subjectOf(certificate: X509Certificate): { commonName: string; organizations: string[] } {
  const attributes = certificate.toLegacyObject().subject as unknown as Record<string, string | string[] | undefined>;
  const all = (name: string) => [attributes[name] ?? []].flat();
  return { commonName: all("CN").at(-1) ?? "", organizations: all("O") };
}
