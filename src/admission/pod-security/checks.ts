// A pod against a level of pod security: which checks apply at a version, and what they find.

import type { Steps } from "../../base/steps.ts";
import { baselineChecks } from "./baseline-checks.ts";
import type { Check, CheckContext } from "./check.ts";
import type { Policy } from "./levels.ts";
import type { Finding, PodTemplate } from "./pod-parts.ts";
import { restrictedChecks } from "./restricted-checks.ts";

/** Everything that the policy has against the pod. */
export function* findings(
  pod: PodTemplate,
  policy: Policy,
  context: Omit<CheckContext, "minor">,
): Steps<readonly Finding[]> {
  const found: Finding[] = [];
  for (const check of checksOf(policy)) {
    const finding = check.check(pod, { ...context, minor: policy.minor });
    if (finding !== undefined) found.push(finding);
    yield;
  }
  return found;
}

/** `reason (detail), reason (detail)`. */
export function findingsText(found: readonly Finding[]): string {
  return found.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}

function checksOf({ level, minor }: Policy): Check[] {
  if (level === "privileged") return [];
  const added = level === "restricted" ? restrictedChecks.filter((check) => isOf(check, minor)) : [];
  const replaced = new Set(added.map(({ replaces }) => replaces));
  // Those of the level below come first; both lists are sorted by id.
  return [...baselineChecks.filter((check) => isOf(check, minor) && !replaced.has(check.id)), ...added];
}

const isOf = ({ since, until }: Check, minor: number): boolean =>
  since <= minor && (until === undefined || minor < until);
