// Admission: a pod stays a while on a node that is not ready or not reachable, unless it says otherwise.

import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concernsPod } from "./match-request.ts";

export interface TolerationTimes {
  readonly notReadySeconds: number;
  readonly unreachableSeconds: number;
}

export function defaultTolerationSeconds(names: Names, times: TolerationTimes): AdmissionPlugin {
  return {
    name: "DefaultTolerationSeconds",
    resources: ["pods"],
    handles: (request) => (request.operation === "CREATE" || request.operation === "UPDATE") && concernsPod(request),
    mutate({ object }) {
      const { spec } = object as unknown as Pod;
      const tolerations = spec.tolerations ?? [];
      const tolerates = (taint: string) =>
        tolerations.some(
          ({ key = "", effect = "" as string }) =>
            (key === taint || key === "") && (effect === "NoExecute" || effect === ""),
        );
      const added = [
        { key: names.notReadyTaint, tolerationSeconds: times.notReadySeconds },
        { key: names.unreachableTaint, tolerationSeconds: times.unreachableSeconds },
      ]
        .filter(({ key }) => !tolerates(key))
        .map(({ key, tolerationSeconds }) => ({
          key,
          operator: "Exists" as const,
          effect: "NoExecute" as const,
          tolerationSeconds,
        }));
      if (added.length > 0) spec.tolerations = [...tolerations, ...added];
    },
  };
}
