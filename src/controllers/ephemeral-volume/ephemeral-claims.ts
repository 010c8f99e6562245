// The claims of a pod's ephemeral volumes: made from the pod, owned by it, and gone with it. Pure.

import { ownerReferenceTo } from "../../client/controller.ts";
import type { Stored } from "../../client/informer.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";

interface EphemeralClaim {
  /** The name of the volume in the pod. */
  readonly volume: string;
  readonly claim: Draft<PersistentVolumeClaim> & { readonly metadata: { readonly name: string } };
}

export function ephemeralClaims(pod: Stored<Pod>): EphemeralClaim[] {
  return (pod.spec.volumes ?? []).flatMap(({ name: volume, ephemeral }) => {
    const template = ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [];
    const { labels, annotations } = template.metadata ?? {};
    const metadata = {
      name: `${pod.metadata.name}-${volume}`,
      ownerReferences: [ownerReferenceTo(pod)],
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    };
    return [{ volume, claim: { metadata, spec: template.spec } }];
  });
}

/** Why a claim of that name is not the pod's; undefined when it is. */
export function whyForeign({ metadata }: Stored<PersistentVolumeClaim>, pod: Stored<Pod>): string | undefined {
  const isOwn = metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid,
  );
  if (isOwn === true) return undefined;
  const { namespace, name } = pod.metadata;
  return `PVC ${metadata.namespace}/${metadata.name} was not created for pod ${namespace}/${name} (pod is not owner)`;
}
