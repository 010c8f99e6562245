// PodCertificateRequest: asks a signer for the certificate of a pod.

import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { type PodCertificateRequest, podCertificateRequestSchema } from "./pod-certificate-request-schema.ts";
import {
  validatePodCertificateRequest,
  validatePodCertificateRequestUpdate,
} from "./pod-certificate-request-validation.ts";
import { validatePodCertificateStatus } from "./pod-certificate-status-validation.ts";

export type { PodCertificateRequest } from "./pod-certificate-request-schema.ts";

export const podCertificateRequest = defineKind({
  group: "certificates",
  version: "v1alpha1",
  kind: "PodCertificateRequest",
  resource: "podcertificaterequests",
  scope: "Namespaced",
  schema: podCertificateRequestSchema,
  offByDefault: true,
  gate: "PodCertificateRequest",
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
