// The pod that a template asks for, as its owner creates it.

import { cloneJson } from "../../base/json.ts";
import { ownerReferenceTo } from "../../client/controller.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { generateNameProblems } from "../../meta/name-formats.ts";
import type { ControlledBy } from "./claim-objects.ts";

/** A copy of its own: callers may set a name, add labels or finalizers, change the spec. */
export function podFromTemplate(template: PodTemplateSpec, owner: ControlledBy): PodDraft {
  const { labels, annotations, finalizers } = template.metadata;
  return {
    metadata: {
      generateName: podNamePrefix(owner.metadata.name),
      labels: { ...labels },
      annotations: { ...annotations },
      finalizers: [...(finalizers ?? [])],
      ownerReferences: [ownerReferenceTo(owner)],
    },
    spec: cloneJson(template.spec),
  };
}

/** What podFromTemplate() has set is surely there. */
export type PodDraft = Draft<Pod> & {
  metadata: {
    name?: string;
    generateName?: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    finalizers: string[];
  };
  spec: PodTemplateSpec["spec"];
};

/** With a dash, where that can still begin the name of a pod. */
export function podNamePrefix(ownerName: string): string {
  const prefix = `${ownerName}-`;
  return generateNameProblems("dns1123Subdomain", prefix).length === 0 ? prefix : ownerName;
}
