// The claims that a pod asks for: by name, or made for it from a template. Pure.

import { cloneJson } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { claimOf, type PodClaim } from "../../kinds/resource/claim-of-pod.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import type { ResourceClaimTemplate } from "../../kinds/resource/resource-claim-template.ts";
import type { Names } from "../../meta/names.ts";
import { controllerOf } from "../pods-of-owner/claim-objects.ts";

/** Names of all claims that a pod refers to, as far as they are known; that for extended resources included. */
export function claimNames(pod: Stored<Pod>): string[] {
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  const named = (pod.spec.resourceClaims ?? []).flatMap((podClaim) => claimOf(pod, podClaim).name ?? []);
  return extended ? [...named, extended] : named;
}

export const hasClaims = ({ spec, status }: Stored<Pod>): boolean =>
  (spec.resourceClaims ?? []).length > 0 || status.extendedResourceClaimStatus !== undefined;

export function isMadeFor(claim: Stored<ResourceClaim>, pod: Stored<Pod>): boolean {
  return controllerOf(claim)?.uid === pod.metadata.uid;
}

/** Leaves room for a dash and five characters in a name of 63. */
const MAX_PREFIX_LENGTH = 57;

/** The claim of a template for one pod. Goes when the pod does. */
export function claimFromTemplate(
  pod: Stored<Pod>,
  podClaim: PodClaim,
  { spec }: ResourceClaimTemplate,
  names: Names,
): Draft<ResourceClaim> {
  const { name, uid } = pod.metadata;
  const { labels, annotations } = spec.metadata ?? {};
  const owner = { apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true };
  return {
    metadata: {
      generateName: prefixOf(name, podClaim.name),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...annotations, [names.podClaimNameAnnotation]: podClaim.name },
      ownerReferences: [owner],
    },
    spec: cloneJson(spec.spec) as Draft<ResourceClaim>["spec"] & object,
  };
}

/** Both names have their share of what fits. */
function prefixOf(podName: string, claimName: string): string {
  const whole = `${podName}-${claimName}-`;
  if (whole.length <= MAX_PREFIX_LENGTH) return whole;
  const share = MAX_PREFIX_LENGTH / whole.length;
  const cut = (text: string) => text.slice(0, Math.floor(text.length * share));
  return `${cut(podName)}-${cut(claimName)}-`;
}

/** It will never run (again): what it has reserved is free. */
export function isPodDone({ metadata, spec, status }: Stored<Pod>): boolean {
  if (status.phase === "Succeeded" || status.phase === "Failed") return true;
  return metadata.deletionTimestamp !== undefined && !spec.nodeName;
}
