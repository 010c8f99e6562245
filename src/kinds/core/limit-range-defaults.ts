// Defaults of LimitRange: what containers get where only the bounds are given.

import type { LimitRange } from "./limit-range-schema.ts";
import { type ResourceList, roundResourceList } from "./resource-list.ts";

export function defaultLimitRange({ spec }: LimitRange): void {
  for (const item of spec.limits ?? []) {
    for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) {
      roundResourceList(list);
    }
    if (item.type !== "Container") continue;
    const limits = fill(item.default, item.max);
    const requests = fill(fill(item.defaultRequest, limits), item.min);
    if (limits) item.default = limits;
    if (requests) item.defaultRequest = requests;
  }
}

/** The first list, completed from the second. */
function fill(list: ResourceList | undefined, from: ResourceList | undefined): ResourceList | undefined {
  const filled = { ...from, ...list };
  return Object.keys(filled).length === 0 ? list : filled;
}
