// Very many limit ranges of one namespace: what they give a pod is bounded, and others have their turn meanwhile.

import { describe, expect, it } from "vitest";
import { asSlowWork } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import type { LimitRange } from "../kinds/core/limit-range.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { namesFor } from "../meta/names.ts";
import type { AdmissionRequest } from "../registry/admission.ts";
import { podProblems } from "./limit-range-rules.ts";
import { limitRanger } from "./limit-ranger.ts";

const names = namesFor("kubernetes");
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const range = (limit: object): LimitRange => ({ metadata: {}, spec: { limits: [limit] } }) as unknown as LimitRange;
const pluginWith = (ranges: readonly LimitRange[]) =>
  limitRanger(names, { get: () => undefined, values: () => ranges.values(), sync: async () => undefined });
const ofResource = (resource: string, spec: object) =>
  ({
    operation: "CREATE",
    resource: { group: "", version: "v1", resource },
    subresource: "",
    namespace: "a",
    name: "p",
    object: { metadata: { name: "p" }, spec },
  }) as unknown as AdmissionRequest;
const podOf = (containers: number) =>
  ofResource("pods", { containers: numbers(containers).map((index) => ({ name: `c${index}` })) });

const given = (index: number) => ({ [`x.io/r${index}`]: "1" });
const giving = (index: number) => range({ type: "Container", default: given(index), defaultRequest: given(index) });

describe("very many limit ranges", () => {
  it("give a pod what each of them has, in turns", async () => {
    const request = podOf(2);
    await asSlowWork(10, async () => {
      const filling = pluginWith(numbers(3_000).map((index) => giving(index))).mutate!(request);
      expect(filling).toBeInstanceOf(Promise);
      await filling;
    });
    const all = Object.assign({}, ...numbers(3_000).map(given));
    const { metadata, spec } = request.object as unknown as { metadata: object; spec: { containers: object[] } };
    expect(spec.containers).toEqual(["c0", "c1"].map((name) => ({ name, resources: { limits: all, requests: all } })));
    // Of several that had something to give, the last says so.
    const last = ["c0", "c1"].map(
      (name) => `x.io/r2999 request for container ${name}; x.io/r2999 limit for container ${name}`,
    );
    expect(metadata).toEqual({
      name: "p",
      annotations: { [names.limitRangerAnnotation]: `LimitRanger plugin set: ${last.join("; ")}` },
    });
    expect(request.isLarge).toBe(true);
  });

  it.each([
    ["one container more keys than a map may have", 5_000, 1, "a map of more than 4096 keys"],
    ["all containers together more values than a pod may have", 200, 1_000, "more than 32768 values"],
  ])("do not give %s", async (_, ranges, containers, words) => {
    const plugin = pluginWith(numbers(ranges).map((index) => giving(index)));
    await expect((async () => plugin.mutate!(podOf(containers)))()).rejects.toThrow(words);
  });

  it.each<[string, AdmissionRequest, object]>([
    ["a pod", podOf(30), { type: "Container", min: { cpu: "0" }, max: {}, maxLimitRequestRatio: {} }],
    [
      "a claim",
      ofResource("persistentvolumeclaims", { resources: { requests: { storage: "2" } } }),
      { type: "PersistentVolumeClaim", min: { storage: "1" } },
    ],
  ])("judge %s in turns", async (_, request, limit) => {
    for (const container of (request.object!["spec"] as { containers?: { resources?: object }[] }).containers ?? []) {
      container.resources = { requests: { cpu: "1" } };
    }
    await asSlowWork(10, async () => {
      const judging = pluginWith(numbers(2_000).map(() => range(limit))).validate!(request);
      expect(judging).toBeInstanceOf(Promise);
      await judging;
    });
  });

  it("say what is wrong until that is enough", () => {
    const requests = numbers(2_000).map((index) => ({ resources: { requests: { cpu: `${index}m` } } }));
    const problemsOf = podProblems({ spec: { containers: requests } } as unknown as Pod);
    expect(atOnce(problemsOf([{ type: "Container", min: { cpu: "2" } }]))).toHaveLength(1_024);
  });
});
