// Taints of nodes and the tolerations of pods.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type Toleration = ObjectOf<typeof toleration>;

export const toleration = s.struct("core.v1.Toleration", () => ({
  key: s.string({ proto: 1, optional: true }),
  operator: s.enumOf(["Equal", "Exists"], { alias: "TolerationOperator", proto: 2, optional: true }),
  value: s.string({ proto: 3, optional: true }),
  effect: s.enumOf(["NoExecute", "NoSchedule", "PreferNoSchedule"], { alias: "TaintEffect", proto: 4, optional: true }),
  tolerationSeconds: s.int64({ proto: 5, optional: true, pointer: true }),
}));

export type Taint = ObjectOf<typeof taint>;

export const taint = s.struct("core.v1.Taint", () => ({
  key: s.string({ proto: 1 }),
  value: s.string({ proto: 2, optional: true }),
  effect: s.enumOf(["NoExecute", "NoSchedule", "PreferNoSchedule"], { alias: "TaintEffect", proto: 3 }),
  timeAdded: s.time({ proto: 4, optional: true, pointer: true }),
}));
