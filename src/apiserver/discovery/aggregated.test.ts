import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { namesFor } from "../../meta/names.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { groupDiscoveryList } from "./aggregated.ts";

const served = Array.from({ length: 2_000 }, (_, index) => {
  const kind = {
    kind: "K",
    resource: `r${9_999 - index}`,
    version: index % 2 === 0 ? "v1" : "v2",
    verbs: ["list", "get"],
  };
  return { group: `g${index % 40}.test`, kind, custom: true } as unknown as ServedResource;
});

it("lists thousands of resources in steps, by group, version and name", () => {
  const { result, steps } = counted(groupDiscoveryList(namesFor("kubernetes"), served, false, "v2"));
  expect(steps).toBeGreaterThanOrEqual(19);
  const items = result["items"] as { metadata: object; versions: { version: string; resources: object[] }[] }[];
  expect(items).toHaveLength(40);
  const [first] = items;
  expect(first).toMatchObject({ metadata: { name: "g0.test" }, versions: [{ version: "v1" }] });
  expect(first!.versions[0]!.resources).toHaveLength(50);
  expect(first!.versions[0]!.resources.slice(0, 2)).toMatchObject([
    { resource: "r8039", verbs: ["get", "list"] },
    { resource: "r8079" },
  ]);
});
