// Kinds and versions that are off until --runtime-config turns them on. Imported only then.

import { mutatingAdmissionPolicy, PUBLISHED_IN_V1ALPHA1 } from "./admissionregistration/mutating-admission-policy.ts";
import {
  mutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicyBindingV1alpha1,
} from "./admissionregistration/mutating-admission-policy-binding.ts";
import { anotherVersion } from "./another-version.ts";
import { clusterTrustBundle } from "./certificates/cluster-trust-bundle.ts";
import { podCertificateRequest } from "./certificates/pod-certificate-request.ts";
import { leaseCandidate } from "./coordination/lease-candidate.ts";
import type { Kind } from "./define-kind.ts";
import { deprecation, type Lifecycle } from "./deprecation.ts";
import { storageVersion } from "./internal/storage-version.ts";
import { ipAddress } from "./networking/ip-address.ts";
import { serviceCIDR } from "./networking/service-cidr.ts";
import { deviceClass } from "./resource/device-class.ts";
import { deviceTaintRule } from "./resource/device-taint-rule.ts";
import { resourceClaim } from "./resource/resource-claim.ts";
import { resourceClaimTemplate } from "./resource/resource-claim-template.ts";
import { resourceSlice } from "./resource/resource-slice.ts";
import {
  resourceClaimTemplateV1beta1,
  resourceClaimV1beta1,
  resourceSliceV1beta1,
} from "./resource/resource-v1beta1.ts";
import { volumeAttributesClass } from "./storage/volume-attributes-class.ts";
import { storageVersionMigration } from "./storagemigration/storage-version-migration.ts";

export const OPTIONAL_KINDS: readonly Kind[] = [
  clusterTrustBundle,
  goingAway(anotherVersion(clusterTrustBundle, "v1alpha1"), { since: "1.34", removedRelease: "1.37" }),
  podCertificateRequest,
  goingAway(anotherVersion(ipAddress, "v1beta1"), { since: "1.34", removedRelease: "1.37" }),
  goingAway(anotherVersion(serviceCIDR, "v1beta1"), { since: "1.34", removedRelease: "1.37" }),
  goingAway(anotherVersion(volumeAttributesClass, "v1beta1"), {
    since: "1.34",
    removedRelease: "1.37",
    instead: volumeAttributesClass,
  }),
  goingAway(anotherVersion(volumeAttributesClass, "v1alpha1"), {
    since: "1.32",
    removedRelease: "1.35",
    instead: volumeAttributesClass,
  }),
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  anotherVersion(mutatingAdmissionPolicy, "v1alpha1", PUBLISHED_IN_V1ALPHA1),
  mutatingAdmissionPolicyBindingV1alpha1,
  leaseCandidate,
  anotherVersion(leaseCandidate, "v1alpha2"),
  ...[deviceClass, resourceClaim, resourceClaimTemplate, resourceSlice].map((kind) =>
    anotherVersion(kind as Kind, "v1beta2"),
  ),
  anotherVersion(deviceClass, "v1beta1"),
  resourceClaimV1beta1,
  resourceClaimTemplateV1beta1,
  resourceSliceV1beta1,
  deviceTaintRule,
  storageVersion,
  storageVersionMigration,
];

function goingAway<T>(kind: Kind<T>, lifecycle: Lifecycle): Kind<T> {
  return { ...kind, deprecated: deprecation(kind, lifecycle) };
}
