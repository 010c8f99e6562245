// The certificate that a signer makes of a request: what is taken over, for how long, for which uses. Pure but for the
// signature. Rules are upstream's.

import type { X509Certificate } from "node:crypto";
import {
  type Authority,
  alternativeNames,
  basicConstraints,
  encodeName,
  extendedKeyUsage,
  type KeyUsage,
  keyUsage,
  NAME_OID,
  signCertificate,
} from "../../base/sign-certificate.ts";
import type { SigningRequest } from "../../base/signing-request.ts";

interface IssueOptions {
  readonly usages: readonly string[];
  readonly nowMs: number;
  readonly lifeMs: number;
}

/** In PEM. Fails when the authority cannot sign, or its time is over. */
export function issueFor(request: SigningRequest, authority: Authority, options: IssueOptions): Promise<string> {
  const { keyUsages, extended } = usagesOf(options.usages);
  const names = alternativeNames(request);
  return signCertificate(
    {
      subject: subjectOf(request),
      publicKeyInfo: request.publicKeyInfo,
      ...validity(options.nowMs, options.lifeMs, authority.certificate),
      extensions: [
        ...(keyUsages.size === 0 ? [] : [keyUsage(keyUsages)]),
        ...(extended.size === 0 ? [] : [extendedKeyUsage(extended)]),
        basicConstraints(false),
        ...(names === undefined ? [] : [names]),
      ],
    },
    authority,
  );
}

const LEAST_LIFE_MS = 10 * 60_000;

/** What was asked for, within what the signer gives at most and what makes sense at least. */
export function lifeMs(expirationSeconds: number | undefined, mostMs: number): number {
  if (expirationSeconds === undefined) return mostMs;
  return Math.min(mostMs, Math.max(LEAST_LIFE_MS, expirationSeconds * 1_000));
}

/** Clocks of clients may lag behind. */
const BACKDATE_MS = 5 * 60_000;
/** Shorter ones do not pay for the lag. */
const SHORT_MS = 8 * 3_600_000;

export function validity(
  nowMs: number,
  lifeMs: number,
  { validTo }: Pick<X509Certificate, "validTo">,
): { notBeforeMs: number; notAfterMs: number } {
  const authorityEndMs = Date.parse(validTo);
  if (authorityEndMs <= nowMs) throw new Error(`the authority has expired on ${validTo}`);
  const endMs = nowMs + lifeMs - (lifeMs < SHORT_MS ? 0 : BACKDATE_MS);
  return { notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: Math.min(endMs, authorityEndMs) };
}

/** Attributes that a subject keeps, in this order. Others, such as the uid of a user, are not for the one who asks to say. */
const KEPT = [
  NAME_OID.country,
  NAME_OID.organization,
  NAME_OID.organizationalUnit,
  NAME_OID.locality,
  NAME_OID.province,
  NAME_OID.street,
  NAME_OID.postalCode,
] as const;
/** Of these the last one counts. */
const SINGLE = [NAME_OID.commonName, NAME_OID.serialNumber] as const;

function subjectOf({ subject }: SigningRequest): Buffer {
  const many = KEPT.flatMap((type) => subject.filter((attribute) => attribute.type === type));
  const single = SINGLE.flatMap((type) => subject.findLast((attribute) => attribute.type === type) ?? []);
  return encodeName([...many, ...single].map(({ type, value }) => [type, value] as const));
}

const KEY_USAGE_OF: ReadonlyMap<string, KeyUsage> = new Map([
  ["signing", "digitalSignature"],
  ["digital signature", "digitalSignature"],
  ["content commitment", "contentCommitment"],
  ["key encipherment", "keyEncipherment"],
  ["key agreement", "keyAgreement"],
  ["data encipherment", "dataEncipherment"],
  ["cert sign", "keyCertSign"],
  ["crl sign", "cRLSign"],
  ["encipher only", "encipherOnly"],
  ["decipher only", "decipherOnly"],
]);

/** In the order in which certificates name them. */
const EXTENDED_USAGE_OF: ReadonlyMap<string, string> = new Map([
  ["any", "2.5.29.37.0"],
  ["server auth", "1.3.6.1.5.5.7.3.1"],
  ["client auth", "1.3.6.1.5.5.7.3.2"],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"],
]);

function usagesOf(usages: readonly string[]): { keyUsages: Set<KeyUsage>; extended: Set<string> } {
  return {
    keyUsages: new Set(usages.flatMap((usage) => KEY_USAGE_OF.get(usage) ?? [])),
    extended: new Set([...EXTENDED_USAGE_OF].flatMap(([usage, id]) => (usages.includes(usage) ? [id] : []))),
  };
}
