// Taints of nodes and the tolerations of pods.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type Toleration = ObjectOf<typeof toleration>;

export const toleration = s.struct(
  "core.v1.Toleration",
  { doc: "A taint of nodes that does not keep a pod away." },
  () => ({
    key: s.string({
      proto: 1,
      optional: true,
      doc: "Key of the taint. Empty, with `Exists`, every taint is tolerated.",
    }),
    operator: s.enumOf(["Equal", "Exists"], {
      alias: "TolerationOperator",
      proto: 2,
      optional: true,
      doc: "`Exists` matches any value, `Equal` the one that is given. Not set, `Equal`.",
    }),
    value: s.string({ proto: 3, optional: true, doc: "Value of the taint. Must be empty with `Exists`." }),
    effect: s.enumOf(["NoExecute", "NoSchedule", "PreferNoSchedule"], {
      alias: "TaintEffect",
      proto: 4,
      optional: true,
      doc: "Effect of the taint. Empty, all effects.",
    }),
    tolerationSeconds: s.int64({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Seconds for which a `NoExecute` taint is tolerated; 0 or less, not at all. Not set, forever.",
    }),
  }),
);

export type Taint = ObjectOf<typeof taint>;

export const taint = s.struct(
  "core.v1.Taint",
  { doc: "A mark of a node that keeps pods away which do not tolerate it." },
  () => ({
    key: s.string({ proto: 1, doc: "Key of the taint." }),
    value: s.string({ proto: 2, optional: true, doc: "Value of the taint." }),
    effect: s.enumOf(["NoExecute", "NoSchedule", "PreferNoSchedule"], {
      alias: "TaintEffect",
      proto: 3,
      doc: "`NoSchedule` keeps new pods away, `PreferNoSchedule` does where possible, `NoExecute` also removes pods that run.",
    }),
    timeAdded: s.time({ proto: 4, optional: true, pointer: true, doc: "When the taint was added." }),
  }),
);
