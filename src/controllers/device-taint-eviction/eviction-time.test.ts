import { describe, expect, it } from "vitest";
import type { DeviceTaint, DeviceToleration } from "../../kinds/resource/device-taints.ts";
import { evictionTimeMs } from "./eviction-time.ts";

const ADDED_MS = Date.parse("2030-01-01T00:00:00Z");
const NOW_MS = ADDED_MS + 5_000;

const sick: DeviceTaint = { key: "sick", value: "x", effect: "NoExecute", timeAdded: "2030-01-01T00:00:00Z" };
const device = (tolerations: DeviceToleration[]) => ({
  request: "r",
  driver: "example.com",
  pool: "p",
  device: "d",
  tolerations,
});
/** Seconds after the taint was added; undefined: pods may stay. */
const seconds = (tolerations: DeviceToleration[], taints: DeviceTaint[] = [sick]) => {
  const whenMs = evictionTimeMs([device(tolerations)], () => taints, NOW_MS);
  return whenMs === undefined ? undefined : (whenMs - ADDED_MS) / 1_000;
};

describe("pods that use a device", () => {
  it.each<[string, DeviceToleration[], number | undefined]>([
    ["go at once without tolerations", [], 0],
    ["go at once when the key is another", [{ key: "other", operator: "Exists", effect: "NoExecute" }], 0],
    ["go at once when the value is another", [{ key: "sick", value: "y", effect: "NoExecute" }], 0],
    [
      "go at once when the toleration is for NoSchedule",
      [{ key: "sick", operator: "Exists", effect: "NoSchedule" }],
      0,
    ],
    ["go at once when the toleration names no effect", [{ key: "sick", operator: "Exists" }], 0],
    ["stay when key and value are tolerated", [{ key: "sick", value: "x", effect: "NoExecute" }], undefined],
    ["stay when everything is tolerated", [{ operator: "Exists", effect: "NoExecute" }], undefined],
    ["stay for a time", [{ key: "sick", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 }], 30],
    ["never stay less than no time", [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: -3 }], 0],
    [
      "stay for the shortest of several times",
      [
        { operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 },
        { key: "sick", value: "x", effect: "NoExecute", tolerationSeconds: 10 },
      ],
      10,
    ],
    [
      "stay when one of several tolerates for ever",
      [
        { operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 },
        { key: "sick", value: "x", effect: "NoExecute" },
      ],
      undefined,
    ],
  ])("%s", (_what, tolerations, expected) => {
    expect(seconds(tolerations)).toBe(expected);
  });

  it("stay on taints that only keep new pods away", () => {
    expect(seconds([], [{ ...sick, effect: "NoSchedule" }])).toBe(undefined);
  });

  it("go at the first taint that is not tolerated any more", () => {
    const worse: DeviceTaint = { key: "worse", effect: "NoExecute", timeAdded: "2030-01-01T00:00:10Z" };
    const tolerations: DeviceToleration[] = [
      { key: "sick", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
      { key: "worse", operator: "Exists", effect: "NoExecute", tolerationSeconds: 20 },
    ];
    expect(seconds(tolerations, [sick, worse])).toBe(30);
  });

  it("go now where a taint does not say since when it is there", () => {
    expect(seconds([], [{ key: "sick", effect: "NoExecute" }])).toBe(5);
  });
});
