// What the status of a quota should say: its limits, and what is used of them. Pure.

import { equalJson } from "../../base/json.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type Amounts, addAmounts, only, writeAmounts } from "../../kinds/core/quota/amounts.ts";
import { inScopes } from "../../kinds/core/quota/scopes.ts";
import { type Counted, countName, resourcesLimitedBy, usageOf } from "../../kinds/core/quota/usage.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { quantityOfInt } from "../../meta/quantity.ts";

/** What there is in the namespace of the quota. */
interface NamespaceContent {
  /** The objects of resources whose use depends on what is in them; undefined for all others. */
  objects(counted: Counted): readonly ApiObject[] | undefined;
  /** How many objects there are; undefined when nobody knows. */
  count(counted: Counted): number | undefined;
}

interface JudgedQuota {
  /** Undefined when the quota says it already. */
  readonly status: ResourceQuota["status"] | undefined;
  /** Nobody can say how many of these there are. */
  readonly unknown: readonly Counted[];
}

export function* judgeQuota(
  names: Names,
  quota: ResourceQuota,
  content: NamespaceContent,
  nowMs: number,
): Steps<JudgedQuota> {
  const { spec, status } = quota;
  const hard = spec.hard ?? {};
  const limited = new Set(Object.keys(hard));
  const unknown: Counted[] = [];
  let used: Amounts = new Map();
  for (const counted of resourcesLimitedBy(names, limited)) {
    const amounts = yield* usedOf(names, quota, counted, content, nowMs);
    if (amounts === undefined) unknown.push(counted);
    else used = addAmounts(used, only(amounts, limited));
  }
  // What is not known yet is not said to be unused.
  const isUnknown = (name: string) =>
    unknown.some((counted) => resourcesLimitedBy(names, [name]).some(sameAs(counted)));
  for (const name of limited) if (!used.has(name) && !isUnknown(name)) used = new Map(used).set(name, quantityOfInt(0));
  const wanted = { hard, used: writeAmounts(used) };
  return {
    status: equalJson(wanted, { hard: status.hard ?? {}, used: status.used ?? {} }) ? undefined : wanted,
    unknown,
  };
}

const sameAs = (a: Counted) => (b: Counted) => a.group === b.group && a.resource === b.resource;

function* usedOf(
  names: Names,
  { spec }: ResourceQuota,
  counted: Counted,
  content: NamespaceContent,
  nowMs: number,
): Steps<Amounts | undefined> {
  const objects = content.objects(counted);
  if (objects === undefined) {
    const count = content.count(counted);
    if (count === undefined) return undefined;
    const isScoped = (spec.scopes ?? []).length > 0 || spec.scopeSelector !== undefined;
    // Scopes say nothing about such objects: they are in none.
    const amount = quantityOfInt(isScoped ? 0 : count);
    return new Map(
      [countName(counted), ...(counted.group === "" ? [counted.resource] : [])].map((name) => [name, amount]),
    );
  }
  let sum: Amounts = new Map();
  const pace = new Pace(PARTS_PER_STEP);
  for (const object of objects) {
    if (pace.due(partsOf(object))) yield;
    if (inScopes(spec, counted, object)) sum = addAmounts(sum, usageOf(names, counted, object, nowMs));
  }
  return sum;
}

const PARTS_PER_STEP = 50;

/** A pod uses what its containers do. */
function partsOf({ spec }: ApiObject): number {
  return 1 + ((spec as Partial<Pod["spec"]> | undefined)?.containers?.length ?? 0);
}
