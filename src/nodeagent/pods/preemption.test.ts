import { describe, expect, it } from "vitest";
import { podsToPreempt } from "./preemption.ts";
import { podWith } from "./runtime-pod.testing.ts";

const CRITICAL = 2_000_000_000;

/** "g:2" is a Guaranteed pod with two processors, "b:1" a Burstable one, "e:0" one without requests. */
function taken(text: string, priority = 0) {
  const [sort, cpu = "0"] = text.split(":");
  const amounts = { cpu, memory: "1" };
  const resources = {
    g: { requests: amounts, limits: amounts },
    b: { requests: { cpu } },
    e: {},
  }[sort ?? ""];
  return { pod: podWith({ containers: [{ name: "main", resources }], priority }, { name: text }), isStatic: false };
}

const requestsOf = (pod: ReturnType<typeof podWith>) => {
  const cpu = Number(pod.spec.containers?.[0]?.resources.requests?.["cpu"] ?? 0);
  return new Map([
    ["cpu", cpu],
    ["pods", 1],
  ]);
};

const victims = (pods: ReturnType<typeof taken>[], missing: Record<string, number>, priority = CRITICAL) =>
  podsToPreempt(taken("b:9", priority), pods, new Map(Object.entries(missing)), requestsOf)?.map(
    ({ pod }) => pod.metadata.name,
  );

describe("a pod that the node cannot do without has room made by", () => {
  it.each([
    ["nobody, when nothing is missing", ["b:1"], {}, []],
    ["the one that gives back just enough", ["b:1", "b:3", "b:2"], { cpu: 2 }, ["b:2"]],
    ["who has no requests, for a place", ["g:1", "b:1", "e:0"], { pods: 1 }, ["e:0"]],
    ["Burstable pods before Guaranteed ones", ["g:2", "b:2"], { cpu: 2 }, ["b:2"]],
    ["Guaranteed ones where others are not enough", ["g:2", "b:1"], { cpu: 2 }, ["g:2"]],
    ["all that it takes", ["g:2", "b:1"], { cpu: 3 }, ["b:1", "g:2"]],
    ["nobody, when all together are not enough", ["g:2", "b:1"], { cpu: 4 }, undefined],
  ])("%s", (_, pods, missing, expected) => {
    expect(
      victims(
        pods.map((text) => taken(text)),
        missing as Record<string, number>,
      ),
    ).toEqual(expected);
  });

  it("never by pods that matter as much", () => {
    expect(victims([taken("b:2", CRITICAL)], { cpu: 1 })).toBeUndefined();
    expect(victims([taken("b:2", CRITICAL)], { cpu: 1 }, CRITICAL + 1)).toEqual(["b:2"]);
  });
});
