// Admission by flag: a pod keeps others away from its own node at most, not from whole zones.

import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concernsPod } from "./match-request.ts";
import { refusal } from "./refusal.ts";

export function limitPodHardAntiAffinityTopology(names: Names): AdmissionPlugin {
  return {
    name: "LimitPodHardAntiAffinityTopology",
    handles: (request) => (request.operation === "CREATE" || request.operation === "UPDATE") && concernsPod(request),
    validate(request) {
      const { affinity } = (request.object as unknown as Pod).spec;
      const terms = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      if (terms.every(({ topologyKey }) => topologyKey === names.hostnameLabel)) return;
      throw refusal(
        request,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${terms.find(({ topologyKey }) => topologyKey !== names.hostnameLabel)?.topologyKey} but only key ${names.hostnameLabel} is allowed`,
      );
    },
  };
}
