// The pod of a DaemonSet for one node. Pure.

import type { Stored } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import { type PodDraft, podFromTemplate } from "../pods-of-owner/pod-from-template.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";
import { daemonTolerations } from "./node-fit.ts";

const NAME_FIELD = "metadata.name";
/** From before there were revisions; tools still look for it on pods. */
const TEMPLATE_GENERATION_LABEL = "pod-template-generation";
const TEMPLATE_GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

/** Only the scheduler puts it there, so that it counts what the node has left. */
export function podForNode(set: Stored<DaemonSet>, nodeName: string, hash: string, names: Names): PodDraft {
  const draft = podFromTemplate(set.spec.template, set);
  const spec: PodTemplateSpec["spec"] = draft.spec;
  draft.metadata.labels[REVISION_LABEL] = hash;
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION_ANNOTATION];
  if (generation !== undefined) draft.metadata.labels[TEMPLATE_GENERATION_LABEL] = generation;
  spec.tolerations = daemonTolerations(spec, names);
  // The set has chosen the node already by what the template asks for.
  const byName = {
    nodeSelectorTerms: [{ matchFields: [{ key: NAME_FIELD, operator: "In" as const, values: [nodeName] }] }],
  };
  spec.affinity = {
    ...spec.affinity,
    nodeAffinity: { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: byName },
  };
  return draft;
}

/** The node that a pod runs on, or was made for; undefined when it says none. */
export function targetNode({ spec }: Stored<Pod>): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields } of required?.nodeSelectorTerms ?? []) {
    for (const { key, operator, values } of matchFields ?? [])
      if (key === NAME_FIELD && operator === "In" && values?.length === 1) return values[0];
  }
  return undefined;
}
