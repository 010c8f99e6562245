// Claims of devices: what a pod names, and what was made for it.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type PodResourceClaim = ObjectOf<typeof podResourceClaim>;

export const podResourceClaim = s.struct(
  "core.v1.PodResourceClaim",
  { doc: "A claim of devices under a name of the pod; exactly one of the two sources is set." },
  () => ({
    name: s.string({ proto: 1, doc: "Name by which containers refer to the claim; a DNS label, unique in the pod." }),
    resourceClaimName: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A ResourceClaim of the namespace, which several pods may share.",
    }),
    resourceClaimTemplateName: s.string({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "A ResourceClaimTemplate of the namespace: a claim is made from it for this pod and goes with it.",
    }),
  }),
);

export type PodResourceClaimStatus = ObjectOf<typeof podResourceClaimStatus>;

export const podResourceClaimStatus = s.struct(
  "core.v1.PodResourceClaimStatus",
  { doc: "A claim that was made from a template for a pod." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the entry in `resourceClaims` of the pod." }),
    resourceClaimName: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The ResourceClaim in the namespace of the pod. Not set, none was needed.",
    }),
  }),
);

export type PodExtendedResourceClaimStatus = ObjectOf<typeof podExtendedResourceClaimStatus>;

export const podExtendedResourceClaimStatus = s.struct(
  "core.v1.PodExtendedResourceClaimStatus",
  { doc: "A claim that was made for the extended resources of a pod." },
  () => ({
    requestMappings: s.list(containerExtendedResourceRequest, {
      proto: 1,
      listType: "atomic",
      doc: "Which request of the claim serves which resource of which container.",
    }),
    resourceClaimName: s.string({ proto: 2, doc: "The ResourceClaim in the namespace of the pod." }),
  }),
);

export type ContainerExtendedResourceRequest = ObjectOf<typeof containerExtendedResourceRequest>;

export const containerExtendedResourceRequest = s.struct(
  "core.v1.ContainerExtendedResourceRequest",
  { doc: "The request of a claim that serves an extended resource of a container." },
  () => ({
    containerName: s.string({ proto: 1, doc: "The container." }),
    resourceName: s.string({ proto: 2, doc: "The extended resource of the container." }),
    requestName: s.string({ proto: 3, doc: "The request of the claim." }),
  }),
);
