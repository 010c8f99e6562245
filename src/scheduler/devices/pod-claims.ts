// The claims for devices that a pod refers to, as far as they are there. Pure.

import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";
import type { PodInfo } from "../state/pod-info.ts";

type PodClaims =
  | { readonly claims: readonly DeviceClaim[] }
  /** One is not there, or not the pod's: in upstream's words. */
  | { readonly missing: string };

export function claimsOfPod(pod: PodInfo, lookup: DeviceLookup): PodClaims {
  const claims: DeviceClaim[] = [];
  for (const { name, isOwn, isNeedless } of pod.deviceClaims) {
    if (isNeedless) continue;
    if (name === undefined) return { missing: `pod "${pod.key}": ResourceClaim not created yet` };
    const claim = lookup.claim(pod.namespace, name);
    if (claim === undefined) return { missing: `could not find claim "${pod.namespace}/${name}"` };
    const { deletionTimestamp, ownerReferences } = claim.metadata;
    if (deletionTimestamp !== undefined) return { missing: `resourceclaim "${name}" is being deleted` };
    if (isOwn && ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.uid) !== true)
      return {
        missing: `ResourceClaim ${pod.namespace}/${name} was not created for pod ${pod.key} (pod is not owner)`,
      };
    claims.push(claim);
  }
  return { claims };
}

export const isReservedFor = (claim: DeviceClaim, { uid }: PodInfo): boolean =>
  (claim.status.reservedFor ?? []).some((each) => each.uid === uid);
