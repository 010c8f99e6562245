// The pods of a StatefulSet: each has a number, and with it a name, labels and volumes that stay when it is replaced. Pure.

import { cloneJson } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Names } from "../../meta/names.ts";
import { type PodDraft, podFromTemplate } from "../pods-of-owner/pod-from-template.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";

export interface PodOrder {
  readonly ordinal: number;
  readonly template: PodTemplateSpec;
  /** The name of the revision that holds the template. */
  readonly revision: string;
}

/** The pod as it is to be created. */
export function podOfSet(set: Stored<StatefulSet>, { ordinal, template, revision }: PodOrder, names: Names): PodDraft {
  const draft = podFromTemplate(template, set);
  const { metadata } = draft;
  const spec: PodTemplateSpec["spec"] = draft.spec;
  metadata.name = podName(set, ordinal);
  Object.assign(metadata.labels, identityLabels(set, ordinal, names), { [REVISION_LABEL]: revision });
  spec.hostname = metadata.name;
  if (set.spec.serviceName) spec.subdomain = set.spec.serviceName;
  const claims = claimsOf(set, ordinal);
  const own = new Set(claims.map(({ template: name }) => name));
  const volumes = claims.map(({ template: name, claim }) => ({
    name,
    persistentVolumeClaim: { claimName: claim.metadata.name },
  }));
  // The claims win over volumes of the same name.
  spec.volumes = [...volumes, ...(spec.volumes ?? []).filter(({ name }) => !own.has(name))];
  return draft;
}

export function podName({ metadata }: Stored<StatefulSet>, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

export function identityLabels(set: Stored<StatefulSet>, ordinal: number, names: Names): Record<string, string> {
  return { [names.statefulPodNameLabel]: podName(set, ordinal), [names.podIndexLabel]: String(ordinal) };
}

/** The number that the pod's name says; undefined when the name is none of this set. */
export function ordinalOf({ metadata }: Stored<StatefulSet>, pod: Stored<Pod>): number | undefined {
  const prefix = `${metadata.name}-`;
  const { name } = pod.metadata;
  if (!name.startsWith(prefix) || !/^(?:0|[1-9][0-9]{0,9})$/.test(name.slice(prefix.length))) return undefined;
  const ordinal = Number(name.slice(prefix.length));
  return ordinal < 2 ** 31 ? ordinal : undefined;
}

/** The name of the revision that a pod was made from. */
export function revisionOf({ metadata }: Stored<Pod>): string | undefined {
  return metadata.labels?.[REVISION_LABEL];
}

interface ClaimOfPod {
  /** The name of the template, which is also that of the pod's volume. */
  readonly template: string;
  readonly claim: Draft<PersistentVolumeClaim> & { readonly metadata: { readonly name: string } };
}

/** Whether a claim of this name may be one of a pod of the set. */
export function mayHaveClaim({ metadata, spec }: Stored<StatefulSet>, claimName: string): boolean {
  return (spec.volumeClaimTemplates ?? []).some((template) =>
    claimName.startsWith(`${template.metadata.name ?? ""}-${metadata.name}-`),
  );
}

/** The claims that the pod of this number needs. */
export function claimsOf({ metadata, spec }: Stored<StatefulSet>, ordinal: number): ClaimOfPod[] {
  return (spec.volumeClaimTemplates ?? []).map((template) => {
    const { labels, annotations, name = "" } = template.metadata;
    return {
      template: name,
      claim: {
        metadata: {
          name: `${name}-${metadata.name}-${ordinal}`,
          labels: { ...labels, ...spec.selector?.matchLabels },
          ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
        },
        spec: cloneJson(template.spec) as Draft<PersistentVolumeClaim>["spec"] & object,
      },
    };
  });
}
