// Which tolerations cover which others. Pure.

import { equalJson } from "../base/json.ts";
import type { Toleration } from "../kinds/core/pod/toleration.ts";

/** Each is covered by one that is allowed. */
export function areAllowed(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  return allowed.length === 0 || tolerations.every((one) => allowed.some((other) => covers(other, one)));
}

/** Both without those that others cover; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, one] of all.entries()) {
    if (merged.some((kept) => covers(kept, one))) continue;
    if (all.slice(index + 1).some((later) => !equalJson(one, later) && covers(later, one))) continue;
    merged.push(one);
  }
  return merged;
}

/** Whoever has `wide` has no need of `narrow`. */
export function covers(wide: Toleration, narrow: Toleration): boolean {
  if (equalJson(wide, narrow)) return true;
  const everyKey = (wide.key ?? "") === "" && wide.operator === "Exists";
  if (!everyKey && (wide.key ?? "") !== (narrow.key ?? "")) return false;
  if ((wide.effect ?? "") !== "" && (wide.effect ?? "") !== (narrow.effect ?? "")) return false;
  const limit = wide.tolerationSeconds ?? undefined;
  if (wide.effect === "NoExecute" && limit !== undefined) {
    const asked = narrow.tolerationSeconds ?? undefined;
    if (asked === undefined || asked > limit) return false;
  }
  if (wide.operator === "Exists") return true;
  return narrow.operator === "Equal" && (wide.value ?? "") === (narrow.value ?? "");
}
