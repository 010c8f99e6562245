// Claims of devices: what a pod names, and what was made for it.

import { type ObjectOf, ptr, s } from "../../../schema/builder.ts";

export type PodResourceClaim = ObjectOf<typeof podResourceClaim>;

export const podResourceClaim = s.struct(
  "core.v1.PodResourceClaim",
  "A claim of devices under a name of the pod; exactly one of the two sources is set.",
  () => ({
    name: s.string(1, "Name by which containers refer to the claim; a DNS label, unique in the pod."),
    resourceClaimName: ptr.string(3, "A ResourceClaim of the namespace, which several pods may share."),
    resourceClaimTemplateName: ptr.string(
      4,
      "A ResourceClaimTemplate of the namespace: a claim is made from it for this pod and goes with it.",
    ),
  }),
);

export const podResourceClaimStatus = s.struct(
  "core.v1.PodResourceClaimStatus",
  "A claim that was made from a template for a pod.",
  () => ({
    name: s.string(1, "Name of the entry in `resourceClaims` of the pod."),
    resourceClaimName: ptr.string(2, "The ResourceClaim in the namespace of the pod. Not set, none was needed."),
  }),
);

export type PodExtendedResourceClaimStatus = ObjectOf<typeof podExtendedResourceClaimStatus>;

export const podExtendedResourceClaimStatus = s.struct(
  "core.v1.PodExtendedResourceClaimStatus",
  "A claim that was made for the extended resources of a pod.",
  () => ({
    requestMappings: s.atomic(
      containerExtendedResourceRequest,
      1,
      "Which request of the claim serves which resource of which container.",
    ),
    resourceClaimName: s.string(2, "The ResourceClaim in the namespace of the pod."),
  }),
);

const containerExtendedResourceRequest = s.struct(
  "core.v1.ContainerExtendedResourceRequest",
  "The request of a claim that serves an extended resource of a container.",
  () => ({
    containerName: s.string(1, "The container."),
    resourceName: s.string(2, "The extended resource of the container."),
    requestName: s.string(3, "The request of the claim."),
  }),
);
