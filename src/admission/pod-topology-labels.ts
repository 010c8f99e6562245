// Admission: a pod that is on a node, or is put on one, gets the labels that say where the node is.

import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concernsPart, concernsPod } from "./match-request.ts";
import type { Lookup } from "./mirrors.ts";

/** As much of a node as the plug-in needs. */
export interface LabelledNode {
  readonly labels: Readonly<Record<string, string>>;
}

export function podTopologyLabels(names: Names, nodes: Lookup<LabelledNode>): AdmissionPlugin {
  const copied = [names.zoneLabel, names.regionLabel];
  return {
    name: "PodTopologyLabels",
    resources: ["pods"],
    handles: (request) =>
      request.operation === "CREATE" && (concernsPod(request) || concernsPart(request, "", "pods", "binding")),
    mutate({ object, subresource }) {
      const name = subresource === "" ? (object as unknown as Pod).spec.nodeName : boundNode(object);
      // A node that is not known, or a name that is none, is not this plug-in's concern.
      const labels = nodes.get("", name ?? "")?.labels ?? {};
      const found = copied.filter((key) => labels[key] !== undefined).map((key) => [key, labels[key]!] as const);
      if (found.length > 0) object!.metadata.labels = { ...object!.metadata.labels, ...Object.fromEntries(found) };
    },
  };
}

function boundNode(binding: unknown): string | undefined {
  const { target } = binding as { target?: { kind?: string; name?: string } };
  return target?.kind === "Node" ? target.name : undefined;
}
