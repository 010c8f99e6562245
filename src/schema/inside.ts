// What stands in a schema of a custom resource or below it, noted while the schema is made: readers that look for one thing
// in all of it need not look where there is nothing.

import type { Inside } from "./schema.ts";

/** One of each, for all schemas. */
const ALL: readonly Inside[] = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
  defaults: (bits & 1) !== 0,
  embedded: (bits & 2) !== 0,
  rules: (bits & 4) !== 0,
}));

const oneOf = (defaults: boolean, embedded: boolean, rules: boolean): Inside =>
  ALL[(defaults ? 1 : 0) + (embedded ? 2 : 0) + (rules ? 4 : 0)]!;

export const NOTHING = oneOf(false, false, false);
export const DEFAULTS = oneOf(true, false, false);
export const EMBEDDED = oneOf(false, true, false);
export const RULES = oneOf(false, false, true);

export function both(a: Inside, b: Inside = NOTHING): Inside {
  if (a === b || b === NOTHING) return a;
  return oneOf(a.defaults || b.defaults, a.embedded || b.embedded, a.rules || b.rules);
}
