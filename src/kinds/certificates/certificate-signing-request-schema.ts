// The schema of CertificateSigningRequest.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { USAGES } from "./certificate-usages.ts";

export type CertificateSigningRequest = ObjectOf<typeof certificateSigningRequestSchema>;

export const certificateSigningRequestSchema = objectSchema(
  "certificates.v1.CertificateSigningRequest",
  { doc: "Asks a signer for a certificate." },
  () => ({
    spec: s.of(certificateSigningRequestSpec, { proto: 2 }),
    status: s.of(certificateSigningRequestStatus, { proto: 3, optional: true }),
  }),
);

export type CertificateSigningRequestSpec = ObjectOf<typeof certificateSigningRequestSpec>;

export const certificateSigningRequestSpec = s.struct("certificates.v1.CertificateSigningRequestSpec", () => ({
  request: s.bytes({ proto: 1 }),
  signerName: s.string({ proto: 7 }),
  expirationSeconds: s.int32({ proto: 8, optional: true, pointer: true }),
  usages: s.list(s.enumValue(USAGES), { alias: "KeyUsage", proto: 5, optional: true, listType: "atomic" }),
  username: s.string({ proto: 2, optional: true }),
  uid: s.string({ proto: 3, optional: true }),
  groups: s.list("string", { proto: 4, optional: true, listType: "atomic" }),
  extra: s.map(extraValue, { proto: 6, optional: true }),
}));

export const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
export type CertificateSigningRequestStatus = ObjectOf<typeof certificateSigningRequestStatus>;

export const certificateSigningRequestStatus = s.struct("certificates.v1.CertificateSigningRequestStatus", () => ({
  conditions: s.list(certificateSigningRequestCondition, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
  }),
  certificate: s.bytes({ proto: 2, optional: true }),
}));

export type CertificateSigningRequestCondition = ObjectOf<typeof certificateSigningRequestCondition>;

export const certificateSigningRequestCondition = s.struct(
  "certificates.v1.CertificateSigningRequestCondition",
  () => ({
    type: s.string({ alias: "RequestConditionType", proto: 1 }),
    status: s.string({ alias: "ConditionStatus", proto: 6 }),
    reason: s.string({ proto: 2, optional: true }),
    message: s.string({ proto: 3, optional: true }),
    lastUpdateTime: s.time({ proto: 4, required: false }),
    lastTransitionTime: s.time({ proto: 5, required: false }),
  }),
);
