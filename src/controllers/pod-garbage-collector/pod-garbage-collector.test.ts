import { describe, expect, it } from "vitest";
import type { Node } from "../../kinds/core/node.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { testPod } from "../pods-of-owner/pods.testing.ts";
import { isTerminated, mustEndNow, terminatedAbove } from "./pod-garbage.ts";
import { podGarbageCollector } from "./pod-garbage-collector.ts";

const names = namesFor("platform");

describe("finished pods above the threshold", () => {
  const evicted = (name: string, createdMs: number) => {
    const pod = testPod({ name, createdMs, phase: "Failed" });
    return { ...pod, status: { ...pod.status, reason: "Evicted" } };
  };
  const pods = [
    testPod({ name: "young", createdMs: 3_000, phase: "Succeeded" }),
    testPod({ name: "b", createdMs: 1_000, phase: "Succeeded" }),
    testPod({ name: "a", createdMs: 1_000, phase: "Failed" }),
    evicted("evicted", 5_000),
  ];
  const cases: [threshold: number, leaving: string[]][] = [
    [0, []],
    [4, []],
    [9, []],
    [3, ["evicted"]],
    [2, ["evicted", "a"]],
    [1, ["evicted", "a", "b"]],
  ];
  it.each(cases)("of %i: evicted ones first, then the oldest", (threshold, leaving) => {
    expect(terminatedAbove(pods, threshold).map(({ metadata }) => metadata.name)).toEqual(leaving);
  });

  it.each([
    ["Pending", false],
    ["Running", false],
    ["Unknown", false],
    ["Succeeded", true],
    ["Failed", true],
  ] as const)("%s counts: %s", (phase, counts) => expect(isTerminated(testPod({ phase }))).toBe(counts));
});

describe("a pod that cannot end by itself", () => {
  const node = (ready: string, taint?: string): Node => ({
    metadata: { name: "n" },
    spec: taint === undefined ? {} : { taints: [{ key: taint, effect: "NoExecute" }] },
    status: { conditions: [{ type: "Ready", status: ready }] } as Node["status"],
  });
  const out = names.outOfServiceTaint;
  const cases: [what: string, pod: Parameters<typeof testPod>[0], node: Node | undefined, ends: boolean][] = [
    ["runs nowhere and was told to end", { ending: true }, undefined, true],
    ["runs nowhere", {}, undefined, false],
    ["ends on a node that is well", { ending: true, nodeName: "n" }, node("True"), false],
    ["ends on a silent node", { ending: true, nodeName: "n" }, node("Unknown"), false],
    ["ends on a node out of service", { ending: true, nodeName: "n" }, node("Unknown", out), true],
    ["ends on a node out of service that is back", { ending: true, nodeName: "n" }, node("True", out), false],
    ["runs on a node out of service", { nodeName: "n" }, node("False", out), false],
    ["ends on a node that nobody knows", { ending: true, nodeName: "n" }, undefined, false],
  ];
  it.each(cases)("%s", (_, parts, on, ends) => expect(mustEndNow(testPod(parts), on, names)).toBe(ends));
});

it.each(DIALECTS)("pods that stay behind are ended, in the dialect %s", async (dialect) => {
  const run = await controllersInProcess({
    definitions: [podGarbageCollector],
    dialect,
    flags: ["--terminated-pod-gc-threshold=1"],
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
  });
  const { client, clock, eventually, close } = run;
  const pods = client.core.v1.pods("default");
  const spec = { containers: [{ name: "c", image: "i" }] };
  const make = (name: string, nodeName?: string, finalizers: string[] = []) =>
    pods.create({ metadata: { name, finalizers }, spec: { ...spec, ...(nodeName === undefined ? {} : { nodeName }) } });
  const finish = (name: string) => pods.status.patch(name, { merge: { status: { phase: "Succeeded" } } });
  const gone = (name: string) => eventually(async () => expect(await pods.find(name)).toBeUndefined());
  await client.core.v1.nodes().create({ metadata: { name: "here" } });
  await client.core.v1.nodes().create({ metadata: { name: "out" } });

  await make("orphan", "nowhere", ["example.com/hold"]);
  await make("settled", "here");
  await make("stuck", "out");
  for (const name of ["done-1", "done-2"]) {
    await make(name, "here");
    await finish(name);
    await clock.advance(1_000);
  }
  await pods.delete("stuck", { gracePeriodSeconds: 3_600 });
  await clock.advance(5_000);
  expect(await pods.find("orphan")).toBeDefined();

  await clock.advance(15_000);
  await gone("done-1");
  expect(await pods.find("done-2")).toBeDefined();

  await client.core.v1.nodes().patch("out", {
    merge: { spec: { taints: [{ key: client.names.outOfServiceTaint, effect: "NoExecute" }] } },
  });
  await gone("stuck");

  await clock.advance(40_000);
  const orphan = await eventually(async () => {
    const found = await pods.get("orphan");
    expect(found.metadata.deletionTimestamp).toBeDefined();
    return found;
  });
  expect(orphan.status.phase).toBe("Failed");
  expect(orphan.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByPodGC",
      observedGeneration: 1,
      message: "PodGC: node no longer exists",
    }),
  );
  expect((await pods.get("settled")).metadata.deletionTimestamp).toBeUndefined();
  await client.core.v1.nodes().delete("here");
  await clock.advance(1_000);
  await run.restart();
  await clock.advance(41_000);
  await gone("settled");
  await close();
});

it("a pod that cannot be ended keeps none of the others", async () => {
  const { client, clock, eventually, close } = await controllersInProcess({
    definitions: [podGarbageCollector],
    flags: ["--terminated-pod-gc-threshold=1"],
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    fault: ({ method, path }) => (method === "DELETE" && path.includes("/pods/stays") ? 500 : undefined),
  });
  const pods = client.core.v1.pods("default");
  await client.core.v1.nodes().create({ metadata: { name: "here" } });
  // More that stay than are ended side by side; they are the oldest.
  const names = Array.from({ length: 12 }, (_, at) => `stays-${at}`);
  for (const name of [...names, "goes", "youngest"]) {
    await pods.create({ metadata: { name }, spec: { nodeName: "here", containers: [{ name: "c", image: "i" }] } });
    await pods.status.patch(name, { merge: { status: { phase: "Succeeded" } } });
    await clock.advance(1_000);
  }
  await clock.advance(20_000);
  await eventually(async () => expect(await pods.find("goes")).toBeUndefined());
  expect(await pods.find("youngest")).toBeDefined();
  await close();
});
