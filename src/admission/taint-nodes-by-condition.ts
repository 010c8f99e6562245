// Admission: a new node is not ready until somebody says so.

import type { Node } from "../kinds/core/node.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concerns } from "./match-request.ts";

export function taintNodesByCondition(names: Names): AdmissionPlugin {
  return {
    name: "TaintNodesByCondition",
    resources: ["nodes"],
    handles: (request) => request.operation === "CREATE" && concerns(request, "", "nodes"),
    mutate({ object }) {
      const { spec } = object as unknown as Node;
      const taint = { key: names.notReadyTaint, effect: "NoSchedule" } as const;
      const taints = spec.taints ?? [];
      if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return;
      spec.taints = [...taints, taint];
    },
  };
}
