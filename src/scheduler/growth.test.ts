import { describe, expect, it } from "vitest";
import { NodeChooser } from "./choose-node.ts";
import { type LoosePod, profileOf, testCluster, testPod } from "./scheduler.testing.ts";

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

/** A round of decisions about a pod of a workload that has so many pods already; tells its milliseconds of the processor. */
function decisionRounds(podCount: number): () => number {
  const surroundings = testCluster(NODES);
  for (let index = 0; index < podCount; index += 1)
    surroundings.state.place(testPod({ ...WORKLOAD, name: `p${index}` }), `n${index % NODES.length}`);
  const chooser = new NodeChooser({ surroundings, profileOf: profileOf(), random: () => 0.5 });
  return () => {
    const start = process.cpuUsage();
    for (let index = 0; index < 20; index += 1) chooser.choose(testPod({ ...WORKLOAD, name: "next" }));
    return process.cpuUsage(start).user / 1_000;
  };
}

describe("a decision", () => {
  it("costs no more for a workload of ten thousand pods than for one of a thousand", () => {
    const [few, many] = [decisionRounds(1_000), decisionRounds(10_000)];
    const bestMs = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
    // In turns, because whoever else uses the machine slows both; until one round was let alone.
    for (let round = 0; round < 30; round += 1) {
      bestMs.few = Math.min(bestMs.few, few());
      bestMs.many = Math.min(bestMs.many, many());
      if (round > 5 && bestMs.many < 4 * bestMs.few) break;
    }
    expect(bestMs.many).toBeLessThan(4 * bestMs.few);
  });
});
