import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { kinds } from "../client/built-in-kinds.ts";
import type { InformerHandlers, Stored } from "../client/informer.ts";
import type { SharedInformers } from "../client/shared-informers.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { type LoosePod, testPod } from "./scheduler.testing.ts";
import { ClusterState } from "./state/cluster-state.ts";
import { watchCluster } from "./watch-cluster.ts";

function watched() {
  let heard: InformerHandlers<Pod> = {};
  const informers = {
    of: (kind: unknown) => ({
      addHandlers(handlers: InformerHandlers<Pod>) {
        if (kind === kinds.core.v1.pods) heard = handlers;
      },
    }),
  } as unknown as SharedInformers;
  const clock = new FakeClock();
  const state = new ClusterState({ zoneLabel: "zone" });
  const queue = new SchedulingQueue({ clock, isGated: () => false, onIncoming: () => undefined });
  watchCluster({ informers, state, queue, isOurs: () => true, clock, metrics: { handled: () => undefined } });
  return { heard, state, queue };
}

it("keeps the room that is being made for a pod until the server has heard of it", () => {
  const { heard, state, queue } = watched();
  const version = (labels: Record<string, string>, nominatedNodeName?: string): Stored<Pod> =>
    testPod({ labels, status: nominatedNodeName === undefined ? {} : { nominatedNodeName } }).pod;
  const [first, labelled] = [version({}), version({ a: "b" })];
  const { uid } = first.metadata;
  heard.added?.(first);
  state.nominate(testPod(), "a");
  // Somebody else's change, which was on its way already.
  heard.updated?.(labelled, first);
  expect(state.nominationOf(uid)).toBe("a");
  expect(state.nominatedTo("a")[0]?.pod).toBe(labelled);
  const told = version({ a: "b" }, "a");
  heard.updated?.(told, labelled);
  expect(state.nominationOf(uid)).toBe("a");
  heard.updated?.(version({ a: "b" }), told);
  expect(state.nominationOf(uid)).toBeUndefined();
  queue.close();
});

describe("room that is kept for a pod no more is a reason to try others again", () => {
  const nominated = { status: { nominatedNodeName: "a" } };
  const version = (parts: LoosePod): Stored<Pod> => testPod({ name: "kept", ...parts }).pod;

  it.each<[string, LoosePod | undefined]>([
    ["when it is kept elsewhere", { status: { nominatedNodeName: "b" } }],
    ["when it is given up", {}],
    ["when the pod is going", { ...nominated, metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }],
    ["when the pod is gone", undefined],
    ["when the pod runs elsewhere", { ...nominated, spec: { nodeName: "b" } }],
  ])("%s", async (_when, next) => {
    const { heard, queue } = watched();
    heard.added?.(version(nominated));
    heard.added?.(testPod({ name: "other" }).pod);
    const taken = [await queue.take(), await queue.take()].find((each) => each?.info.name === "other");
    queue.failed(taken!, new Set(["NodeResourcesFit"]));
    expect(queue.sizes.unschedulable).toBe(1);
    if (next === undefined) heard.deleted?.(version(nominated));
    else heard.updated?.(version(next), version(nominated));
    expect(queue.sizes).toMatchObject({ unschedulable: 0, backingOff: 1 });
    queue.close();
  });

  it("and where the pod comes to that node, none", async () => {
    const { heard, queue } = watched();
    heard.added?.(version(nominated));
    heard.added?.(testPod({ name: "other" }).pod);
    const taken = [await queue.take(), await queue.take()].find((each) => each?.info.name === "other");
    queue.failed(taken!, new Set(["NodeResourcesFit"]));
    heard.updated?.(version({ ...nominated, spec: { nodeName: "a" } }), version(nominated));
    expect(queue.sizes.unschedulable).toBe(1);
    queue.close();
  });
});
