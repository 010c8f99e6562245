import { describe, expect, it } from "vitest";
import { NodeChooser } from "./choose-node.ts";
import { type LoosePod, testCluster, testPod } from "./scheduler.testing.ts";

const NODES = Array.from({ length: 300 }, (_, index) => ({
  name: `n${index}`,
  labels: { zone: `z${index % 3}` },
  allocatable: { pods: "1000" },
}));
const labels = { app: "web" };
const labelSelector = { matchLabels: labels };
const rule = (topologyKey: string, whenUnsatisfiable: string) => ({
  maxSkew: 5,
  topologyKey,
  whenUnsatisfiable,
  labelSelector,
});
const term = { topologyKey: "zone", labelSelector };
const WORKLOAD: LoosePod = {
  labels,
  spec: {
    topologySpreadConstraints: [rule("zone", "DoNotSchedule"), rule("hostname", "ScheduleAnyway")],
    affinity: {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, labelSelector: { matchLabels: { app: "db" } } }],
      },
    },
  },
};

/** Milliseconds of the processor for some decisions about a pod of a workload that has so many pods already; the best of several rounds. */
function decisionsMs(podCount: number): number {
  const surroundings = testCluster(NODES);
  for (let index = 0; index < podCount; index += 1)
    surroundings.state.place(testPod({ ...WORKLOAD, name: `p${index}` }), `n${index % NODES.length}`);
  const chooser = new NodeChooser({ surroundings, percentageOfNodesToScore: 0, random: () => 0.5 });
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 6; round += 1) {
    const start = process.cpuUsage();
    for (let index = 0; index < 20; index += 1) chooser.choose(testPod({ ...WORKLOAD, name: "next" }));
    best = Math.min(best, process.cpuUsage(start).user / 1_000);
  }
  return best;
}

describe("a decision", () => {
  it("costs no more for a workload of twenty thousand pods than for one of two thousand", () => {
    decisionsMs(500);
    expect(decisionsMs(20_000)).toBeLessThan(4 * decisionsMs(2_000));
  });
});
