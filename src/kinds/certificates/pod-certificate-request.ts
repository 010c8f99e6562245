// PodCertificateRequest: asks a signer for the certificate of a pod.

import { s } from "../../schema/builder.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { ALL_VERBS } from "../verbs.ts";
import {
  validatePodCertificateRequest,
  validatePodCertificateRequestUpdate,
} from "./pod-certificate-request-validation.ts";
import { validatePodCertificateStatus } from "./pod-certificate-status-validation.ts";

export type PodCertificateRequest = ObjectOf<typeof podCertificateRequestSchema>;

export const podCertificateRequestSchema = objectSchema(
  "certificates.v1alpha1.PodCertificateRequest",
  { doc: "Asks a signer for the certificate of a pod." },
  () => ({
    spec: s.of(podCertificateRequestSpec, { proto: 2 }),
    status: s.of(podCertificateRequestStatus, { proto: 3, optional: true }),
  }),
);

export const podCertificateRequest = defineKind({
  group: "certificates",
  version: "v1alpha1",
  kind: "PodCertificateRequest",
  resource: "podcertificaterequests",
  singular: "podcertificaterequest",
  scope: "Namespaced",
  verbs: ALL_VERBS,
  schema: podCertificateRequestSchema,
  storagePrefix: "podcertificaterequests",
  protobuf: true,
  offByDefault: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "PodName", type: "string", cell: ({ spec }) => spec.podName },
    { name: "ServiceAccountName", type: "string", cell: ({ spec }) => spec.serviceAccountName },
    { name: "NodeName", type: "string", cell: ({ spec }) => spec.nodeName },
    { name: "SignerName", type: "string", cell: ({ spec }) => spec.signerName },
    { name: "State", type: "string", cell: stateCell },
  ],
  selectableFields: {
    "spec.signerName": ({ spec }) => spec.signerName,
    "spec.podName": ({ spec }) => spec.podName,
    "spec.nodeName": ({ spec }) => spec.nodeName,
  },
  subresources: {
    status: {
      ...statusSubresource<PodCertificateRequest>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validatePodCertificateStatus,
    },
  },
  hooks: {
    prepareForCreate(request) {
      request.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validatePodCertificateRequest,
    validateUpdate: validatePodCertificateRequestUpdate,
  },
});

function stateCell({ status }: PodCertificateRequest): string {
  const types = new Set((status.conditions ?? []).map(({ type }) => type));
  return ["Denied", "Failed", "Issued"].find((type) => types.has(type)) ?? "Pending";
}

export type PodCertificateRequestSpec = ObjectOf<typeof podCertificateRequestSpec>;

export const podCertificateRequestSpec = s.struct("certificates.v1alpha1.PodCertificateRequestSpec", () => ({
  signerName: s.string({ proto: 1 }),
  podName: s.string({ proto: 2 }),
  podUID: s.string({ alias: "types.UID", proto: 3 }),
  serviceAccountName: s.string({ proto: 4 }),
  serviceAccountUID: s.string({ alias: "types.UID", proto: 5 }),
  nodeName: s.string({ alias: "v1.NodeName", proto: 6 }),
  nodeUID: s.string({ alias: "types.UID", proto: 7 }),
  maxExpirationSeconds: s.int32({ proto: 8, optional: true, pointer: true, default: 86400 }),
  pkixPublicKey: s.bytes({ proto: 9 }),
  proofOfPossession: s.bytes({ proto: 10 }),
}));

export type PodCertificateRequestStatus = ObjectOf<typeof podCertificateRequestStatus>;

export const podCertificateRequestStatus = s.struct("certificates.v1alpha1.PodCertificateRequestStatus", () => ({
  conditions: s.list(condition, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  certificateChain: s.string({ proto: 2, optional: true }),
  notBefore: s.time({ proto: 4, optional: true, pointer: true }),
  beginRefreshAt: s.time({ proto: 5, optional: true, pointer: true }),
  notAfter: s.time({ proto: 6, optional: true, pointer: true }),
}));
