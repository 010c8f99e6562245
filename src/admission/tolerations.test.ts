import { describe, expect, it } from "vitest";
import type { Toleration } from "../kinds/core/pod/toleration.ts";
import { areAllowed, covers, mergeTolerations } from "./tolerations.ts";

const EVERYTHING: Toleration = { operator: "Exists" };
const GPU: Toleration = { key: "gpu", operator: "Exists" };
const GPU_A: Toleration = { key: "gpu", operator: "Equal", value: "a", effect: "NoSchedule" };
const minutes = (n: number): Toleration => ({ ...GPU, effect: "NoExecute", tolerationSeconds: n * 60 });

describe("tolerations", () => {
  it.each<[string, Toleration, Toleration, boolean]>([
    ["itself", GPU_A, { ...GPU_A }, true],
    ["everything covers any", EVERYTHING, GPU_A, true],
    ["a key covers its values and effects", GPU, GPU_A, true],
    ["a value does not cover the key", GPU_A, GPU, false],
    ["another key", { key: "ssd", operator: "Exists" }, GPU_A, false],
    ["another effect", { ...GPU, effect: "NoExecute" }, GPU_A, false],
    ["another value", { ...GPU_A, value: "b" }, GPU_A, false],
    ["an empty key that is no Exists", { operator: "Equal" }, GPU_A, false],
    ["more time covers less", minutes(5), minutes(1), true],
    ["less time does not cover more", minutes(1), minutes(5), false],
    ["some time does not cover for ever", minutes(1), { ...GPU, effect: "NoExecute" }, false],
  ])("cover each other: %s", (_what, wide, narrow, expected) => {
    expect(covers(wide, narrow)).toBe(expected);
  });

  it("merge into those that are needed, in their order", () => {
    expect(mergeTolerations([GPU_A, minutes(1)], [GPU])).toEqual([GPU]);
    expect(mergeTolerations([GPU_A], [{ ...GPU_A }])).toEqual([GPU_A]);
    expect(mergeTolerations([minutes(1)], [minutes(5), GPU_A])).toEqual([minutes(5), GPU_A]);
  });

  it("are allowed when each is covered, or nothing is said", () => {
    expect(areAllowed([GPU_A], [])).toBe(true);
    expect(areAllowed([GPU_A, minutes(1)], [GPU])).toBe(true);
    expect(areAllowed([GPU_A, EVERYTHING], [GPU])).toBe(false);
  });
});
