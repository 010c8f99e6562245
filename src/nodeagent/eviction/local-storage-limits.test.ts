import { describe, expect, it } from "vitest";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { hasStorageLimits, storageLimitProblem } from "./local-storage-limits.ts";

const disk = (bytes: number) => ({ bytes, inodes: 1 });
const usage = ({ root = 0, logs = 0, volume = 0 }) => ({
  memoryBytes: 0,
  processes: 0,
  containers: new Map([["main", { memoryBytes: 0, root: disk(root), logs: disk(logs) }]]),
  volumes: new Map([["v", disk(volume)]]),
});
const container = (limit?: string) => ({
  name: "main",
  resources: limit === undefined ? {} : { limits: { "ephemeral-storage": limit } },
});
const withVolume = (emptyDir: object) => ({ containers: [container()], volumes: [{ name: "v", emptyDir }] });
const both = { containers: [container("100"), { ...container("50"), name: "other" }] };

describe("a pod has to go", () => {
  it.each([
    [
      "when a volume outgrows its limit",
      withVolume({ sizeLimit: "1Ki" }),
      { volume: 1_025 },
      'Usage of EmptyDir volume "v" exceeds the limit "1Ki". ',
    ],
    ["not at the limit", withVolume({ sizeLimit: "1Ki" }), { volume: 1_024 }, undefined],
    ["not without one", withVolume({}), { volume: 1e12 }, undefined],
    [
      "when all of it outgrows the limits of its containers",
      { ...both, volumes: [{ name: "v", emptyDir: {} }] },
      { root: 90, logs: 10, volume: 51 },
      "Pod ephemeral local storage usage exceeds the total limit of containers 150. ",
    ],
    [
      "not for a volume in memory",
      { ...both, volumes: [{ name: "v", emptyDir: { medium: "Memory" } }] },
      { root: 90, volume: 500 },
      undefined,
    ],
    [
      "when a container outgrows its own",
      both,
      { root: 90, logs: 11 },
      'Container main exceeded its local ephemeral storage limit "100". ',
    ],
  ])("%s", (_, spec, used, message) => {
    const pod = podWith(spec);
    expect(storageLimitProblem(pod, usage(used), false)).toBe(message);
  });

  it("for its logs alone, where its root lies on another disk", () => {
    expect(storageLimitProblem(podWith(both), usage({ root: 101 }), true)).toBeUndefined();
    expect(storageLimitProblem(podWith(both), usage({ logs: 101 }), true)).toContain("Container main exceeded");
  });

  it("only if it has limits at all", () => {
    expect(hasStorageLimits(podWith(both))).toBe(true);
    expect(hasStorageLimits(podWith(withVolume({ sizeLimit: "1" })))).toBe(true);
    expect(hasStorageLimits(podWith(withVolume({})))).toBe(false);
  });
});
