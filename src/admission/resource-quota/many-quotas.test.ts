// Very many quotas of one namespace: others have their turn while they are gone through.

import { expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { asSlowWork, turnsOf } from "../../base/steps.testing.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import { namesFor } from "../../meta/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { QuotaLedger } from "./charge.ts";
import { resourceQuota } from "./resource-quota.ts";

const request = {
  operation: "CREATE",
  resource: { group: "", version: "v1", resource: "configmaps" },
  subresource: "",
  namespace: "a",
  name: "x",
  object: { metadata: { name: "x" } },
} as unknown as AdmissionRequest;

const quotasOf = (count: number, amounts: Record<string, string>): ResourceQuota[] =>
  Array.from(
    { length: count },
    (_, index) => ({ metadata: { name: `q${index}` }, spec: {}, status: { hard: amounts, used: amounts } }) as never,
  );

it.each([
  ["of others", quotasOf(40, Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`count/r${n}.x`, "1"]))), 0],
  ["of the object", quotasOf(30, { configmaps: "9" }), 30],
])("of very many quotas %s each has its turn", async (_whose, quotas, charges) => {
  const charged = new Set<string>();
  const ledger = { change: async (_namespace: string, name: string) => void charged.add(name) };
  const plugin = resourceQuota({
    names: namesFor("kubernetes"),
    clock: systemClock,
    quotas: { get: () => undefined, values: () => quotas.values(), sync: async () => undefined },
    ledger: ledger as unknown as QuotaLedger,
  });
  const { turns } = await turnsOf(() => asSlowWork(6, async () => plugin.validate!(request)));
  expect(turns).toBeGreaterThan(15);
  expect(charged.size).toBe(charges);
});
