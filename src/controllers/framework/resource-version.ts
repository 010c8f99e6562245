// The order of resource versions: they are decimal numbers that only grow.

/** Whether `a` comes before `b`; no version at all comes before every other. */
export function isOlderVersion(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
