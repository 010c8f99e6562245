// What the status of a quota should say: its limits, and what is used of them. Pure.

import { equalJson } from "../../base/json.ts";
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

export function judgeQuota(names: Names, quota: ResourceQuota, content: NamespaceContent, nowMs: number): JudgedQuota {
  const { spec, status } = quota;
  const hard = spec.hard ?? {};
  const limited = new Set(Object.keys(hard));
  const unknown: Counted[] = [];
  let used: Amounts = new Map();
  for (const counted of resourcesLimitedBy(names, limited)) {
    const amounts = usedOf(names, quota, counted, content, nowMs);
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

function usedOf(
  names: Names,
  { spec }: ResourceQuota,
  counted: Counted,
  content: NamespaceContent,
  nowMs: number,
): Amounts | undefined {
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
  for (const object of objects) {
    if (inScopes(spec, counted, object)) sum = addAmounts(sum, usageOf(names, counted, object, nowMs));
  }
  return sum;
}
