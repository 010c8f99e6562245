// The extensions of a certificate (RFC 5280, section 4.2) that say what it may be used for.

import {
  context,
  DerError,
  type DerValue,
  readAll,
  readBits,
  readBoolean,
  readCount,
  readOid,
  readSequence,
  TAG,
} from "./der-reader.ts";
import {
  type AlternativeName,
  type NameConstraints,
  readAlternativeNames,
  readNameConstraints,
} from "./name-constraints.ts";

export interface CertificateExtensions {
  /** What it says about being an authority; undefined when it says nothing. */
  readonly basicConstraints:
    | {
        readonly isAuthority: boolean /** Authorities between it and a leaf. */;
        readonly maxPathLength: number | undefined;
      }
    | undefined;
  /** Its key may sign certificates, or nothing is said about the use of its key. */
  readonly maySignCertificates: boolean;
  /** Object identifiers; empty when it may be used for everything. */
  readonly uses: readonly string[];
  readonly names: readonly AlternativeName[];
  readonly nameConstraints: NameConstraints | undefined;
  /** An extension that must be understood and is not. */
  readonly notUnderstood: string | undefined;
}

export const NO_EXTENSIONS: CertificateExtensions = {
  basicConstraints: undefined,
  maySignCertificates: true,
  uses: [],
  names: [],
  nameConstraints: undefined,
  notUnderstood: undefined,
};

const SUBJECT_KEY_ID = "2.5.29.14";
const KEY_USAGE = "2.5.29.15";
const ALTERNATIVE_NAMES = "2.5.29.17";
const BASIC_CONSTRAINTS = "2.5.29.19";
const NAME_CONSTRAINTS = "2.5.29.30";
const AUTHORITY_KEY_ID = "2.5.29.35";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const AUTHORITY_INFORMATION = "1.3.6.1.5.5.7.1.1";

const POLICY_CONSTRAINTS = "2.5.29.36";
/**
 * They do not matter here, also where a certificate calls them critical: revocation lists, and policies as long as no
 * authority demands one.
 */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["2.5.29.31", "2.5.29.32", "2.5.29.33", "2.5.29.54"]);
/** Whoever calls them critical has not understood them. */
const NEVER_CRITICAL: ReadonlySet<string> = new Set([SUBJECT_KEY_ID, AUTHORITY_KEY_ID, AUTHORITY_INFORMATION]);

const USAGE_BITS = 9;
const CERTIFICATE_SIGNING = 5;

/** Fails with DerError. */
export function readExtensions(list: readonly DerValue[]): CertificateExtensions {
  const extensions = new Map<string, { readonly isCritical: boolean; readonly value: Uint8Array }>();
  for (const { whole } of list) {
    const [type, ...rest] = readSequence(whole);
    if (type === undefined) throw new DerError("an extension is expected");
    const id = readOid(type);
    if (extensions.has(id)) throw new DerError(`the extension ${id} stands there twice`);
    const isCritical = rest[0]?.tag === TAG.boolean && readBoolean(rest.shift()!);
    const [value, ...more] = rest;
    if (value?.tag !== TAG.octetString || more.length > 0) throw new DerError("the value of an extension is expected");
    if (isCritical && NEVER_CRITICAL.has(id)) throw new DerError(`the extension ${id} may not be critical`);
    extensions.set(id, { isCritical, value: value.content });
  }
  const read = <T>(id: string, reader: (value: Uint8Array) => T, absent: T): T => {
    const found = extensions.get(id);
    return found === undefined ? absent : reader(found.value);
  };
  const names = read(ALTERNATIVE_NAMES, readAlternativeNames, []);
  const nameConstraints = read<NameConstraints | undefined>(NAME_CONSTRAINTS, readNameConstraints, undefined);
  const demandsPolicy = read(POLICY_CONSTRAINTS, readPolicyDemand, false);
  const understood = new Set([
    ...WITHOUT_EFFECT,
    ...[KEY_USAGE, BASIC_CONSTRAINTS, EXTENDED_KEY_USAGE],
    ...(names.length > 0 ? [ALTERNATIVE_NAMES] : []),
    ...(nameConstraints?.isComplete === true ? [NAME_CONSTRAINTS] : []),
    ...(demandsPolicy ? [] : [POLICY_CONSTRAINTS]),
  ]);
  return {
    basicConstraints: read(BASIC_CONSTRAINTS, readBasicConstraints, undefined),
    maySignCertificates: read(KEY_USAGE, readKeyUsage, true),
    uses: read(EXTENDED_KEY_USAGE, (value) => readSequence(value).map(readOid), []),
    names,
    nameConstraints,
    notUnderstood: demandsPolicy
      ? POLICY_CONSTRAINTS
      : [...extensions].find(([id, { isCritical }]) => isCritical && !understood.has(id))?.[0],
  };
}

function readBasicConstraints(value: Uint8Array): CertificateExtensions["basicConstraints"] {
  const parts = readSequence(value);
  const isAuthority = parts[0]?.tag === TAG.boolean && readBoolean(parts.shift()!);
  const maxPathLength = parts[0] === undefined ? undefined : readCount(parts.shift()!);
  if (parts.length > 0) throw new DerError("basic constraints are expected");
  return { isAuthority, maxPathLength };
}

/** Whether certificates below must be issued under a policy, which nobody here can check. */
function readPolicyDemand(value: Uint8Array): boolean {
  return readSequence(value).some(({ tag }) => tag === context(0));
}

function readKeyUsage(value: Uint8Array): boolean {
  const [bits, ...rest] = readAll(value);
  if (bits === undefined || rest.length > 0) throw new DerError("a key usage is expected");
  const isSet = readBits(bits);
  const saysNothing = !Array.from({ length: USAGE_BITS }, (_, bit) => bit).some(isSet);
  return saysNothing || isSet(CERTIFICATE_SIGNING);
}
