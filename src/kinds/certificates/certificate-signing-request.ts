// CertificateSigningRequest: asks a signer for a certificate.

import { humanDuration } from "../../meta/human-duration.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { orNone } from "../cells/text.ts";
import { defineKind } from "../define-kind.ts";
import { prepareApproval, prepareForCreate, prepareStatus } from "./certificate-signing-request-prepare.ts";
import {
  type CertificateSigningRequest,
  certificateSigningRequestSchema,
} from "./certificate-signing-request-schema.ts";
import {
  validateRequest,
  validateRequestApproval,
  validateRequestStatus,
  validateRequestUpdate,
} from "./certificate-signing-request-validation.ts";

export type { CertificateSigningRequest } from "./certificate-signing-request-schema.ts";

export const certificateSigningRequest = defineKind({
  group: "certificates",
  version: "v1",
  kind: "CertificateSigningRequest",
  resource: "certificatesigningrequests",
  scope: "Cluster",
  shortNames: ["csr"],
  schema: certificateSigningRequestSchema,
  unconditionalUpdate: true,
  name: "pathSegment",
  resetFields: [["spec"], ["status"]],
  columns: [
    NAME_COLUMN,
    AGE_COLUMN,
    { name: "SignerName", type: "string", cell: ({ spec }) => orNone(spec.signerName) },
    { name: "Requestor", type: "string", cell: ({ spec }) => spec.username ?? "" },
    { name: "RequestedDuration", type: "string", cell: durationCell },
    { name: "Condition", type: "string", cell: conditionCell },
  ],
  selectableFields: { "spec.signerName": ({ spec }) => spec.signerName },
  subresources: {
    approval: {
      type: "object",
      verbs: ["get", "patch", "update"],
      prepareForUpdate: prepareApproval,
      validateUpdate: validateRequestApproval,
      resetFields: [["spec"], ["status", "certificate"]],
    },
    status: {
      type: "object",
      verbs: ["get", "patch", "update"],
      prepareForUpdate: prepareStatus,
      validateUpdate: validateRequestStatus,
      resetFields: [["spec"], ["status", "conditions"]],
    },
  },
  hooks: {
    prepareForCreate,
    prepareForUpdate(request, old) {
      request.spec = old.spec;
      request.status = old.status;
    },
    validate: validateRequest,
    validateUpdate: validateRequestUpdate,
  },
});

function durationCell({ spec }: CertificateSigningRequest): string {
  return spec.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000);
}

function conditionCell({ status }: CertificateSigningRequest): string {
  const types = new Set((status.conditions ?? []).map(({ type }) => type));
  const words = [types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending"];
  if (types.has("Failed")) words.push("Failed");
  if (status.certificate) words.push("Issued");
  return words.join(",");
}
