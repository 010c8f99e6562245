// Versions as semver.org 2.0.0 has them.

export interface SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly preRelease: readonly string[];
}

/** Undefined when the text is none. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = SEMANTIC_VERSION.exec(text);
  if (match === null) return undefined;
  const [, major = "", minor = "", patch = "", preRelease] = match;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  if (numbers.some((number) => number > MAX_UINT64)) return undefined;
  return { numbers, preRelease: preRelease === undefined ? [] : preRelease.split(".") };
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** Below zero when `a` comes before `b`. Builds do not count. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const index of [0, 1, 2] as const) {
    const order = compare(a.numbers[index], b.numbers[index]);
    if (order !== 0) return order;
  }
  // A release comes after all that led to it.
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    return compare(b.preRelease.length, a.preRelease.length);
  }
  for (const [index, part] of a.preRelease.entries()) {
    const other = b.preRelease[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.preRelease.length - b.preRelease.length;
}

/** Numbers have 64 bits: longer ones are not even read. */
const NUMBER = "(?:0|[1-9][0-9]{0,19})";
const PRE_RELEASE = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const SEMANTIC_VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PRE_RELEASE}(?:\\.${PRE_RELEASE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const DIGITS = /^[0-9]+$/;

/** Numbers come before words. */
function compareParts(a: string, b: string): number {
  const [isNumberA, isNumberB] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumberA && isNumberB) return compare(BigInt(a), BigInt(b));
  return isNumberA === isNumberB ? compare(a, b) : isNumberA ? -1 : 1;
}

function compare<T extends bigint | string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
