// Taints of nodes and the tolerations of pods.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";

export type Toleration = ObjectOf<typeof toleration>;

export const toleration = s.struct("core.v1.Toleration", "A taint of nodes that does not keep a pod away.", () => ({
  key: opt.string(1, "Key of the taint. Empty, with `Exists`, every taint is tolerated."),
  operator: opt.enumOf(
    "TolerationOperator",
    ["Equal", "Exists"],
    2,
    "`Exists` matches any value, `Equal` the one that is given. Not set, `Equal`.",
  ),
  value: opt.string(3, "Value of the taint. Must be empty with `Exists`."),
  effect: opt.enumOf(
    "TaintEffect",
    ["NoExecute", "NoSchedule", "PreferNoSchedule"],
    4,
    "Effect of the taint. Empty, all effects.",
  ),
  tolerationSeconds: ptr.int64(
    5,
    "Seconds for which a `NoExecute` taint is tolerated; 0 or less, not at all. Not set, forever.",
  ),
}));

export type Taint = ObjectOf<typeof taint>;

export const taint = s.struct(
  "core.v1.Taint",
  "A mark of a node that keeps pods away which do not tolerate it.",
  () => ({
    key: s.string(1, "Key of the taint."),
    value: opt.string(2, "Value of the taint."),
    effect: s.enumOf(
      "TaintEffect",
      ["NoExecute", "NoSchedule", "PreferNoSchedule"],
      3,
      "`NoSchedule` keeps new pods away, `PreferNoSchedule` does where possible, `NoExecute` also removes pods that run.",
    ),
    timeAdded: ptr.time(4, "When the taint was added."),
  }),
);
