// What the table of quotas says about a quota: used and allowed, requests and limits apart. Pure.

import type { ResourceQuota } from "../core/resource-quota.ts";

/** `cpu: 1/2, memory: 1Gi/4Gi`; limits are the resources named so, requests all others. */
export function quotaCell({ status }: ResourceQuota, which: "requests" | "limits"): string {
  const hard = status.hard ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith("limits") === (which === "limits"))
    .sort()
    .map((name) => `${name}: ${status.used?.[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}
