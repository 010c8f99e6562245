// Requirements: document 2, "RBAC objects", rules 6 and 7. The rule itself: kinds/rbac/aggregate.ts.

import { expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { clusterRoleAggregation } from "./cluster-role-aggregation.ts";

it.each(DIALECTS)("roles that collect others follow them, in the dialect %s", async (dialect) => {
  const { client, eventually, restart, close } = await controllersInProcess({
    definitions: [clusterRoleAggregation],
    dialect,
  });
  const roles = client.rbac.v1.clusterRoles();
  const part = (name: string, collect: string) => ({
    metadata: { name, labels: { "acme.io/collect": collect } },
    rules: [{ verbs: ["get"], apiGroups: ["acme.io"], resources: [name] }],
  });
  const whole = async () => ((await roles.get("whole")).rules ?? []).map(({ resources }) => resources?.[0]);
  await roles.create(part("one", "true"));
  await roles.create(part("two", "false"));
  await roles.create({
    metadata: { name: "whole" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "acme.io/collect": "true" } }] },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["ignored"] }],
  });
  await eventually(async () => expect(await whole()).toEqual(["one"]));
  await roles.patch("two", { merge: { metadata: { labels: { "acme.io/collect": "true" } } } });
  await eventually(async () => expect(await whole()).toEqual(["one", "two"]));
  await restart();
  await roles.delete("one");
  await eventually(async () => expect(await whole()).toEqual(["two"]));
  const managers = ((await roles.get("whole")).metadata.managedFields ?? []).map(
    ({ manager, operation }) => `${operation} ${manager}`,
  );
  expect(managers).toContain("Apply clusterrole-aggregation-controller");

  // Rules that somebody wrote where nothing is selected: the document overwrites them, upstream leaves them.
  await roles.create({
    metadata: { name: "nothing" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "acme.io/collect": "never" } }] },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["written"] }],
  });
  await roles.delete("two");
  await eventually(async () => expect(await whole()).toEqual([]));
  await eventually(async () => {
    const left = ((await roles.get("nothing")).rules ?? []).map(({ resources }) => resources?.[0]);
    expect(left).toEqual(dialect === "platform" ? [] : ["written"]);
  });
  await close();
});

it("a role that cannot be written keeps none of the others from their rules", async () => {
  const { client, eventually, close } = await controllersInProcess({
    definitions: [clusterRoleAggregation],
    fault: ({ method, path }) => (method === "PATCH" && path.includes("/clusterroles/refused") ? 500 : undefined),
  });
  const roles = client.rbac.v1.clusterRoles();
  for (const name of ["refused", "taken"])
    await roles.create({
      metadata: { name },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "acme.io/collect": "true" } }] },
    });
  const rules = [{ verbs: ["get"], apiGroups: ["acme.io"], resources: ["one"] }];
  await roles.create({ metadata: { name: "part", labels: { "acme.io/collect": "true" } }, rules });
  await eventually(async () => expect((await roles.get("taken")).rules).toEqual(rules));
  await close();
});
