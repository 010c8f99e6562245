// Admission: a pod stays five minutes on a node that is not ready or not reachable, unless it says otherwise.

import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { concernsPod } from "./match-request.ts";

const TOLERATION_SECONDS = 300;

export function defaultTolerationSeconds(names: Names): AdmissionPlugin {
  return {
    name: "DefaultTolerationSeconds",
    handles: (request) => (request.operation === "CREATE" || request.operation === "UPDATE") && concernsPod(request),
    mutate({ object }) {
      const { spec } = object as unknown as Pod;
      const tolerations = spec.tolerations ?? [];
      const tolerates = (taint: string) =>
        tolerations.some(
          ({ key = "", effect = "" as string }) =>
            (key === taint || key === "") && (effect === "NoExecute" || effect === ""),
        );
      const added = [names.notReadyTaint, names.unreachableTaint]
        .filter((taint) => !tolerates(taint))
        .map((key) => ({
          key,
          operator: "Exists" as const,
          effect: "NoExecute" as const,
          tolerationSeconds: TOLERATION_SECONDS,
        }));
      if (added.length > 0) spec.tolerations = [...tolerations, ...added];
    },
  };
}
