// Admission by flag: a pod that asks for a special resource tolerates the nodes that are kept for it.

import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concernsPod } from "./match-request.ts";

export function extendedResourceToleration(names: Names): AdmissionPlugin {
  return {
    name: "ExtendedResourceToleration",
    handles: (request) => (request.operation === "CREATE" || request.operation === "UPDATE") && concernsPod(request),
    mutate({ object }) {
      const { spec } = object as unknown as Pod;
      const wanted = new Set<string>();
      for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
        for (const name of Object.keys(resources?.requests ?? {})) if (isExtended(names, name)) wanted.add(name);
      }
      const tolerations = spec.tolerations ?? [];
      const added = [...wanted]
        .sort()
        .filter(
          (key) =>
            !tolerations.some((one) => one.key === key && one.operator === "Exists" && (one.effect ?? "") === ""),
        )
        .map((key) => ({ key, operator: "Exists" as const }));
      if (added.length > 0) spec.tolerations = [...tolerations, ...added];
    },
  };
}

/** With a domain that is not the system's own. */
function isExtended(names: Names, resource: string): boolean {
  if (!resource.includes("/") || resource.startsWith("requests.")) return false;
  const domain = resource.slice(0, resource.indexOf("/"));
  return domain !== names.certificateSignerDomain && !domain.endsWith(`.${names.certificateSignerDomain}`);
}
