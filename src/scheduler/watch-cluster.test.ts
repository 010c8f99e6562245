import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { kinds } from "../client/built-in-kinds.ts";
import type { InformerHandlers, Stored } from "../client/informer.ts";
import type { SharedInformers } from "../client/shared-informers.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { testPod } from "./scheduler.testing.ts";
import { ClusterState } from "./state/cluster-state.ts";
import { watchCluster } from "./watch-cluster.ts";

it("keeps the room that is being made for a pod until the server has heard of it", () => {
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
