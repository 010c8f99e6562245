import { describe, expect, it } from "vitest";
import { filterFor } from "../filters/all-filters.ts";
import { testCluster, testNode, testPod } from "../scheduler.testing.ts";

const names = Array.from({ length: 9 }, (_, index) => `node-${index}`);
const PODS = [{ cpu: "1", memory: "1Gi" }, { cpu: "3" }, { memory: "6Gi" }, { "ephemeral-storage": "60Gi" }, {}];

describe("rows of nodes", () => {
  it.each([1, 2, 3, 4])("say what the filters say, whatever happens to the nodes (seed %i)", (seed) => {
    const random = seeded(seed);
    const among = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const cluster = testCluster(names.map((name, index) => ({ name, labels: { zone: `zone-${index % 3}` } })));
    const { state } = cluster;
    const changes: (() => void)[] = [
      () => state.place(testPod({ name: among(names), requests: among(PODS) }), among(names)),
      () => state.remove(`default/${among(names)}`),
      () => state.setNode(testNode({ name: among(names), spec: { unschedulable: random() < 0.5 } })),
      () => state.setNode(testNode({ name: among(names), allocatable: { pods: among(["0", "1", "110"]) } })),
      () => state.setNode(testNode({ name: among(names), labels: { zone: among(["zone-0", "zone-7"]) } })),
      () => state.setNode(testNode({ name: among(names), spec: { taints: [{ key: "k", effect: "NoSchedule" }] } })),
      () => state.removeNode(among(names)),
    ];
    let taken = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      among(changes)();
      const pod = testPod({ name: "asks", requests: among(PODS) });
      const quick = filterFor(pod, cluster);
      const oneByOne = filterFor(pod, cluster, (_filter, _phase, run) => run());
      if (typeof quick !== "function" || typeof oneByOne !== "function") throw new Error("refused at once");
      for (const [place, node] of state.nodes.entries()) {
        expect(quick(node, place)).toEqual(oneByOne(node));
        if (state.rows.isOpenFor(node.place, pod.requests)) taken += 1;
      }
    }
    // Neither all nor none, or nothing would be shown.
    expect(taken).toBeGreaterThan(100);
    expect(taken).toBeLessThan(200 * names.length - 100);
  });

  it("count what the filters were asked", () => {
    const cluster = testCluster([{ name: "a" }, { name: "b" }]);
    const counts = (timed: boolean) => {
      const pod = testPod();
      cluster.evaluationsOf(pod).fill(0);
      const check = filterFor(pod, cluster, timed ? (_filter, _phase, run) => run() : undefined);
      for (const node of cluster.state.nodes) (check as (node: unknown) => unknown)(node);
      return [...cluster.evaluationsOf(pod)];
    };
    expect(counts(false)).toEqual(counts(true));
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
