import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { clientInProcess } from "../../client/client.testing.ts";
import { ScaleTargets } from "./scale-targets.ts";

it("finds what scales by kind and group, in any version, and kinds that came later after a while", async () => {
  const { client, close } = await clientInProcess();
  const clock = new FakeClock();
  const targets = new ScaleTargets({ client, clock });
  const resourceOf = async (apiVersion: string, kind: string) => {
    const found = await targets.find({ apiVersion, kind });
    return found === undefined ? undefined : `${found.group}/${found.version}/${found.resource}`;
  };
  expect(await resourceOf("apps/v1", "Deployment")).toBe("apps/v1/deployments");
  expect(await resourceOf("apps/v9", "Deployment")).toBe("apps/v1/deployments");
  expect(await resourceOf("v1", "ReplicationController")).toBe("/v1/replicationcontrollers");
  expect(await resourceOf("v1", "Deployment")).toBeUndefined();
  expect(await resourceOf("a/b/c", "Deployment")).toBeUndefined();

  expect(await resourceOf("example.com/v1", "Fleet")).toBeUndefined();
  await client.apiextensions.v1.customResourceDefinitions().create({
    metadata: { name: "fleets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "fleets", kind: "Fleet" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  expect(await resourceOf("example.com/v1", "Fleet")).toBeUndefined();
  await expect
    .poll(async () => {
      await clock.advance(30_000);
      return resourceOf("example.com/v1", "Fleet");
    })
    .toBe("example.com/v1/fleets");
  await close();
});
