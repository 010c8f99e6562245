// One request that very many webhooks and policies are asked about, one after the other.

import { expect, it, vi } from "vitest";
import { asSlowWork } from "../../base/steps.testing.ts";
import { namesFor } from "../../meta/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { Matcher, readCriteria } from "./matcher.ts";

const rule = { operations: ["*"], apiGroups: ["other.io"], apiVersions: ["*"], resources: ["things"] };

it.each([
  ["very many of them", 4_000, 1],
  ["few with very many rules", 8, 600],
])("others have their turn between %s", async (_, asked, rules) => {
  const goOn = vi.fn();
  const request = {
    operation: "CREATE",
    resource: { group: "", version: "v1", resource: "configmaps" },
    subresource: "",
    namespace: "a",
    name: "x",
    caller: { goOn },
  } as unknown as AdmissionRequest;
  const matcher = new Matcher({
    names: namesFor("kubernetes"),
    namespaces: { get: () => undefined, values: () => [].values(), sync: async () => undefined },
    equivalents: { of: () => [] } as unknown as ConstructorParameters<typeof Matcher>[0]["equivalents"],
  });
  const criteria = readCriteria({ rules: Array.from({ length: rules }, () => rule) });
  await asSlowWork(2, async () => {
    for (let index = 0; index < asked; index += 1) expect(await matcher.match(request, criteria)).toBeUndefined();
  });
  expect(goOn.mock.calls.length).toBeGreaterThan(1);
});
