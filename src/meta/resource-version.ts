// Which of two versions of an object came later. Requirements: document 1, "Object metadata": versions are decimal and rise.

/** Undefined when one of them is no such number. */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  // Without leading zeros the longer one is the larger.
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,63})$/;
