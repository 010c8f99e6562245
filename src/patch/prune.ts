// Removes what a manager applied before and applies no more, unless somebody else owns it.
// Requirements: document 1, "Server-side apply rules", rules 4 and 6.

import type { Json } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { type FieldSet, isEmptySet } from "./field-set.ts";
import { intersectInSteps, isSubsetInSteps, subtractInSteps, unionOf } from "./field-set-in-steps.ts";
import type { Manager, Managers } from "./managed-fields.ts";
import type { TypedValue, Versions } from "./ownership.ts";
import { extractFieldSetInSteps } from "./typed/extract.ts";
import { removePaths, withNamedFields } from "./typed/remove.ts";

/** `managers` holds `self` with what it applies now; `previous` is what it applied last. */
export function* pruneDropped(
  merged: TypedValue,
  previous: Manager | undefined,
  self: Manager,
  managers: Managers,
  versions: Versions,
): Steps<TypedValue> {
  if (previous === undefined || isEmptySet(previous.set)) return merged;
  if (previous.apiVersion === self.apiVersion && (yield* isSubsetInSteps(previous.set, self.set))) return merged;
  const then = yield* versions.at(previous.apiVersion, merged);
  if (then === undefined) return merged;

  const last = yield* withNamedFields(previous.set, then.atom);
  const withoutLast = { value: yield* removed(then, last), atom: then.atom };
  const owned = yield* addBackOwned(then, withoutLast, previous.apiVersion, managers, versions);
  // Only what the manager applied itself goes: what lost its surroundings on the way, and is nobody's, stays.
  const gone = yield* subtractInSteps(yield* namedSet(then), yield* namedSet(owned));
  const pruned = yield* removed(then, yield* intersectInSteps(gone, last));
  return (yield* versions.at(self.apiVersion, { value: pruned, atom: then.atom }, previous.apiVersion)) ?? merged;
}

/** Puts back whatever a manager owns, version by version, and with it what stands around it. */
function* addBackOwned(
  merged: TypedValue,
  pruned: TypedValue,
  apiVersion: string,
  managers: Managers,
  versions: Versions,
): Steps<TypedValue> {
  const ownedAt = new Map<string, FieldSet>();
  for (const manager of managers.values()) {
    const owned = ownedAt.get(manager.apiVersion);
    ownedAt.set(manager.apiVersion, owned === undefined ? manager.set : yield* unionOf(owned, manager.set, true));
  }
  // First in the version that was pruned: what is missing might be needed to convert.
  const order = [apiVersion, ...[...ownedAt.keys()].filter((version) => version !== apiVersion)];
  let current = { version: apiVersion, merged, pruned };
  for (const version of order) {
    const owned = ownedAt.get(version);
    if (owned === undefined) continue;
    const all = yield* versions.at(version, current.merged, current.version);
    const left = yield* versions.at(version, current.pruned, current.version);
    if (all === undefined || left === undefined) continue;
    const keep = yield* unionOf(yield* namedSet(left), yield* withNamedFields(owned, all.atom), true);
    const dropped = yield* subtractInSteps(yield* namedSet(all), keep);
    const value = yield* removed(all, dropped);
    current = { version, merged: all, pruned: { value, atom: all.atom } };
  }
  return (yield* versions.at(apiVersion, current.pruned, current.version)) ?? pruned;
}

function* namedSet({ value, atom }: TypedValue): Steps<FieldSet> {
  return yield* withNamedFields(yield* extractFieldSetInSteps(value, atom), atom);
}

/** An object of which nothing is left is an empty one. */
function* removed({ value, atom }: TypedValue, set: FieldSet): Steps<Json> {
  return (yield* removePaths(value, set, atom)) ?? {};
}
