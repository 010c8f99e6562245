// Quotas are counted: what is used of everything that they limit. What is charged for new objects: admission/resource-quota.

import { describe, expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { atOnce } from "../../base/steps.ts";
import { resourcesLimitedBy } from "../../kinds/core/quota/usage.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { testPod } from "../pods-of-owner/pods.testing.ts";
import { judgeQuota } from "./quota-status.ts";
import { resourceQuotaController } from "./resource-quota-controller.ts";

const names = namesFor("kubernetes");

it.each<[string, string[]]>([
  ["count/configmaps", ["configmaps"]],
  ["count/deployments.apps", ["deployments.apps"]],
  ["count/widgets.shop.example.com", ["widgets.shop.example.com"]],
  ["secrets", ["secrets"]],
  ["pods", ["pods"]],
  ["cpu", ["pods"]],
  ["limits.memory", ["pods"]],
  ["requests.example.com/gpu", ["pods"]],
  ["requests.storage", ["persistentvolumeclaims"]],
  ["fast.storageclass.storage.k8s.io/requests.storage", ["persistentvolumeclaims"]],
  ["services.nodeports", ["services"]],
  ["whatever", []],
])("%s limits %j", (name, resources) => {
  const found = resourcesLimitedBy(names, [name]);
  expect(found.map(({ group, resource }) => (group === "" ? resource : `${resource}.${group}`))).toEqual(resources);
});

const many = (name: string) => {
  const pod = testPod({ name });
  const containers = Array.from({ length: 100 }, (_, index) => ({ name: `c${index}`, image: "i" }));
  return { ...pod, spec: { ...pod.spec, containers } };
};

describe("the status of a quota", () => {
  const quota = (hard: Record<string, string>, more: object = {}, status: object = {}) =>
    ({ metadata: { name: "q", namespace: "n" }, spec: { hard, ...more }, status }) as unknown as ResourceQuota;
  const pods = [testPod({ name: "a" }), testPod({ name: "b", phase: "Succeeded" })] as unknown as ApiObject[];
  const judge = (of: ResourceQuota, counts: Record<string, number> = {}) =>
    atOnce(
      judgeQuota(
        names,
        of,
        {
          objects: ({ resource }) => (resource === "pods" ? pods : undefined),
          count: ({ resource }) => (Object.hasOwn(counts, resource) ? counts[resource] : undefined),
        },
        0,
      ),
    );

  it("counts pods that have not ended, and all of them where all count", () => {
    expect(judge(quota({ pods: "5", "count/pods": "5", "requests.cpu": "1" })).status?.used).toEqual({
      pods: "1",
      "count/pods": "2",
      "requests.cpu": "0",
    });
  });

  it.each([
    ["pods", Array.from({ length: 500 }, (_, index) => testPod({ name: `p${index}` }))],
    ["containers", [many("a"), many("b")]],
  ])("lets others have their turn among very many %s", (_of, all) => {
    const objects = () => all as unknown as ApiObject[];
    const { result, steps } = counted(judgeQuota(names, quota({ pods: "5" }), { objects, count: () => undefined }, 0));
    expect(result.status?.used).toEqual({ pods: String(all.length) });
    expect(steps).toBeGreaterThan(1);
  });

  it("counts only what is in its scopes", () => {
    const scoped = quota({ pods: "5", configmaps: "5" }, { scopes: ["NotBestEffort"] });
    expect(judge(scoped, { configmaps: 3 }).status?.used).toEqual({ pods: "0", configmaps: "0" });
  });

  it("does not say that what nobody has counted is unused", () => {
    const hard = { "count/widgets.example.com": "5", configmaps: "9", "count/configmaps": "9" };
    const judged = judge(quota(hard), { configmaps: 3 });
    expect(judged.status).toEqual({ hard, used: { configmaps: "3", "count/configmaps": "3" } });
    expect(judged.unknown).toEqual([{ group: "example.com", resource: "widgets" }]);
  });

  it("stays when it says so already", () => {
    const hard = { configmaps: "9" };
    expect(judge(quota(hard, {}, { hard, used: { configmaps: "3" } }), { configmaps: 3 }).status).toBeUndefined();
    expect(judge(quota(hard, {}, { hard: {}, used: { configmaps: "3" } }), { configmaps: 3 }).status).toBeDefined();
  });

  it("takes names of limits as names, whatever they are", () => {
    expect(judge(quota({ constructor: "1", "count/__proto__": "1" })).status?.used).toEqual({ constructor: "0" });
  });
});

it.each(DIALECTS)("quotas say what is used, in the dialect %s", async (dialect) => {
  const run = await controllersInProcess({
    definitions: [resourceQuotaController],
    dialect,
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    flags: ["--resource-quota-sync-period=1m"],
  });
  const { client, clock, eventually, restart, close } = run;
  const maps = client.core.v1.configMaps("default");
  const pods = client.core.v1.pods("default");
  const quotas = client.core.v1.resourceQuotas("default");
  const uses = (used: Record<string, string>) =>
    eventually(async () => {
      expect((await quotas.get("q")).status).toEqual({ hard: (await quotas.get("q")).spec.hard, used });
    });
  const pod = (name: string) => ({
    metadata: { name },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
  });
  await maps.create({ metadata: { name: "before" } });
  await pods.create(pod("a"));
  await quotas.create({
    metadata: { name: "q" },
    spec: { hard: { "count/configmaps": "3", pods: "2", "requests.cpu": "1", "count/widgets.example.com": "2" } },
  });
  await uses({ "count/configmaps": "1", pods: "1", "requests.cpu": "100m" });

  await maps.create({ metadata: { name: "one" } });
  await pods.create(pod("b"));
  await expect(pods.create(pod("c"))).rejects.toMatchObject({ code: 403 });
  await uses({ "count/configmaps": "2", pods: "2", "requests.cpu": "200m" });
  await pods.status.patch("a", { merge: { status: { phase: "Succeeded" } } });
  await maps.delete("one");
  await clock.advance(2_000);
  await uses({ "count/configmaps": "1", pods: "1", "requests.cpu": "100m" });

  // A kind that comes later is counted from then on.
  await client.apiextensions.v1.customResourceDefinitions().create({
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  const widgets = client.named({ group: "example.com", version: "v1", resource: "widgets", kind: "Widget" }, "default");
  await clock.advance(31_000);
  await uses({ "count/configmaps": "1", "count/widgets.example.com": "0", pods: "1", "requests.cpu": "100m" });
  await widgets.create({ metadata: { name: "w" } });
  await uses({ "count/configmaps": "1", "count/widgets.example.com": "1", pods: "1", "requests.cpu": "100m" });

  // A charge for what was never stored is taken back.
  await quotas.status.patch("q", { merge: { status: { used: { pods: "2" } } } });
  await clock.advance(12_000);
  await uses({ "count/configmaps": "1", "count/widgets.example.com": "1", pods: "1", "requests.cpu": "100m" });

  await restart();
  await quotas.patch("q", { merge: { spec: { hard: { "requests.cpu": null } } } });
  await widgets.delete("w");
  await clock.advance(2_000);
  await uses({ "count/configmaps": "1", "count/widgets.example.com": "0", pods: "1" });
  await close();
});

it("a pod that is given its end moves from the quotas of one scope to those of the other", async () => {
  const { client, clock, eventually, close } = await controllersInProcess({
    definitions: [resourceQuotaController],
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    flags: ["--resource-quota-sync-period=24h"],
  });
  const pods = client.core.v1.pods("default");
  const quotas = client.core.v1.resourceQuotas("default");
  for (const scope of ["Terminating", "NotTerminating"] as const)
    await quotas.create({ metadata: { name: scope.toLowerCase() }, spec: { hard: { pods: "1" }, scopes: [scope] } });
  const use = (terminating: string, lasting: string) =>
    eventually(async () => {
      expect((await quotas.get("terminating")).status.used).toEqual({ pods: terminating });
      expect((await quotas.get("notterminating")).status.used).toEqual({ pods: lasting });
    });
  await use("0", "0");
  await pods.create({ metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } });
  await use("0", "1");
  // What was charged is counted once more before.
  await clock.advance(12_000);
  await pods.patch("a", { merge: { spec: { activeDeadlineSeconds: 60 } } });
  await clock.advance(2_000);
  await use("1", "0");
  await close();
});
