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
    spec: s.of(podCertificateRequestSpec, {
      proto: 2,
      doc: "What is asked for and for which pod. Cannot be changed after creation.",
    }),
    status: s.of(podCertificateRequestStatus, {
      proto: 3,
      optional: true,
      doc: "The decision of the signer, and the certificate once it is issued.",
    }),
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

export const podCertificateRequestSpec = s.struct(
  "certificates.v1alpha1.PodCertificateRequestSpec",
  { doc: "What certificate is asked for, and the pod that will use it." },
  () => ({
    signerName: s.string({ proto: 1, doc: "The signer that is asked, as domain/path." }),
    podName: s.string({ proto: 2, doc: "Name of the pod, in the namespace of this request." }),
    podUID: s.string({ alias: "types.UID", proto: 3, doc: "UID of the pod." }),
    serviceAccountName: s.string({ proto: 4, doc: "Name of the service account that the pod runs as." }),
    serviceAccountUID: s.string({
      alias: "types.UID",
      proto: 5,
      doc: "UID of the service account that the pod runs as.",
    }),
    nodeName: s.string({ alias: "v1.NodeName", proto: 6, doc: "Name of the node that the pod runs on." }),
    nodeUID: s.string({ alias: "types.UID", proto: 7, doc: "UID of the node that the pod runs on." }),
    maxExpirationSeconds: s.int32({
      proto: 8,
      optional: true,
      pointer: true,
      default: 86400,
      doc: "Longest lifetime the signer may grant, in seconds: from 3600 to 7862400 (91 days), by default 86400.",
    }),
    pkixPublicKey: s.bytes({
      proto: 9,
      doc: "The public key to certify, in the DER form of PKIX and then base64: RSA 3072 or 4096, ECDSA or Ed25519.",
    }),
    proofOfPossession: s.bytes({
      proto: 10,
      doc: "Signature over the UID of the pod with the private key, in base64: shows that the requester has that key.",
    }),
  }),
);

export type PodCertificateRequestStatus = ObjectOf<typeof podCertificateRequestStatus>;

export const podCertificateRequestStatus = s.struct(
  "certificates.v1alpha1.PodCertificateRequestStatus",
  { doc: "What the signer answered." },
  () => ({
    conditions: s.list(condition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "Issued, Denied or Failed: exactly one of them, once the signer has decided.",
    }),
    certificateChain: s.string({
      proto: 2,
      optional: true,
      doc: "The issued certificate, then its intermediates, as PEM blocks. Set together with Issued.",
    }),
    notBefore: s.time({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "From when the certificate is valid, as the certificate itself says.",
    }),
    beginRefreshAt: s.time({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "When the node agent should start to ask for the next certificate.",
    }),
    notAfter: s.time({
      proto: 6,
      optional: true,
      pointer: true,
      doc: "Until when the certificate is valid, as the certificate itself says.",
    }),
  }),
);
