// The claim behind one entry of a pod's spec.resourceClaims: named there, or made for the pod from a template.

import type { Pod } from "../core/pod.ts";

export type PodClaim = NonNullable<Pod["spec"]["resourceClaims"]>[number];

export interface ClaimOfPod {
  /** Undefined while it has not been made, or is not needed. */
  readonly name: string | undefined;
  /** Made for this pod: nobody else's will do. */
  readonly isOwn: boolean;
  /** It was found that the pod needs none. */
  readonly isNeedless: boolean;
}

export function claimOf(pod: Pod, { name, resourceClaimName }: PodClaim): ClaimOfPod {
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isOwn: false, isNeedless: false };
  const known = pod.status.resourceClaimStatuses?.find((each) => each.name === name);
  return {
    name: known?.resourceClaimName,
    isOwn: true,
    isNeedless: known !== undefined && known.resourceClaimName === undefined,
  };
}
