// How deep patched objects may nest. Everything that reads an object recurses, and a patch can build what no body holds.

import type { Json } from "../base/json.ts";
import { badRequest, type StatusError } from "../meta/status-error.ts";

/** Levels of objects and lists inside each other. */
const MAX_NESTING = 1_000;

/**
 * Steps of a path that ownership looks at. What is below the last one is one unit with one owner: no real object nests
 * like that, and the sets that hostile ones would give are as deep as the objects.
 */
export const MAX_OWNED_DEPTH = 200;

const nestedTooDeeply = (): StatusError =>
  badRequest(`the patched object must not nest deeper than ${MAX_NESTING} levels`);

/** Throws when the value nests deeper than the limit. Its own recursion ends there too. */
export function checkNesting(value: Json | undefined, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth >= MAX_NESTING) throw nestedTooDeeply();
  if (Array.isArray(value)) {
    for (const item of value) checkNesting(item, depth + 1);
  } else {
    for (const key in value) {
      const member = value[key];
      if (typeof member === "object") checkNesting(member, depth + 1);
    }
  }
}
