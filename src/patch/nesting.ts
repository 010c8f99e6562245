// How deep patched objects may nest. Everything that reads an object recurses, and a patch can build what no body holds.

import type { Json, JsonObject } from "../base/json.ts";
import { keysInStep } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
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

/** Throws when the value, which stands at `depth`, nests deeper than the limit. */
export function* checkNesting(value: Json | undefined, depth = 0): Steps<void> {
  const pace = new Pace(VALUES_PER_STEP);
  let level = isContainer(value) ? [value] : [];
  for (let at = depth; level.length > 0; at += 1) {
    if (at >= MAX_NESTING) throw nestedTooDeeply();
    const below: Container[] = [];
    for (const container of level) {
      const keys = Array.isArray(container) ? undefined : yield* keysInStep(container);
      const members = container as JsonObject & Json[];
      const count = keys === undefined ? members.length : keys.length;
      for (let index = 0; index < count; index += 1) {
        if (pace.due()) yield;
        const member = keys === undefined ? members[index] : members[keys[index]!];
        if (isContainer(member)) below.push(member);
      }
      if (pace.due()) yield;
    }
    level = below;
  }
}

/** So many values are gone through in one step. */
const VALUES_PER_STEP = 500;

type Container = Json[] | JsonObject;

const isContainer = (value: Json | undefined): value is Container => typeof value === "object" && value !== null;
