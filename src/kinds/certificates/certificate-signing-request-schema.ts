// The schema of CertificateSigningRequest.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { USAGES } from "./certificate-usages.ts";

export type CertificateSigningRequest = ObjectOf<typeof certificateSigningRequestSchema>;

export const certificateSigningRequestSchema = objectSchema(
  "certificates.v1.CertificateSigningRequest",
  { doc: "Asks a signer for a certificate." },
  () => ({
    spec: s.of(certificateSigningRequestSpec, {
      proto: 2,
      doc: "What is asked for. Cannot be changed after creation, and who asks is filled in by the server.",
    }),
    status: s.of(certificateSigningRequestStatus, {
      proto: 3,
      optional: true,
      doc: "The decision about the request, and the certificate once it is issued.",
    }),
  }),
);

export type CertificateSigningRequestSpec = ObjectOf<typeof certificateSigningRequestSpec>;

export const certificateSigningRequestSpec = s.struct(
  "certificates.v1.CertificateSigningRequestSpec",
  { doc: "What certificate is asked for, from whom and by whom." },
  () => ({
    request: s.bytes({ proto: 1, doc: "The PKCS#10 request as one PEM block of type CERTIFICATE REQUEST, in base64." }),
    signerName: s.string({
      proto: 7,
      doc: "The signer that is asked, as domain/path. It settles what may be requested and who trusts the result.",
    }),
    expirationSeconds: s.int32({
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Wanted lifetime in seconds, at least 600. The signer may grant another; when not set, it chooses.",
    }),
    usages: s.list(s.enumValue(USAGES), {
      alias: "KeyUsage",
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: "What the key may be used for, such as digital signature or client auth. Signers may require certain sets.",
    }),
    username: s.string({ proto: 2, optional: true, doc: "User who made the request; set by the server." }),
    uid: s.string({ proto: 3, optional: true, doc: "UID of the user who made the request; set by the server." }),
    groups: s.list("string", {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Groups of the user who made the request; set by the server.",
    }),
    extra: s.map(extraValue, {
      proto: 6,
      optional: true,
      doc: "Further attributes of the user who made the request; set by the server.",
    }),
  }),
);

export const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
export type CertificateSigningRequestStatus = ObjectOf<typeof certificateSigningRequestStatus>;

export const certificateSigningRequestStatus = s.struct(
  "certificates.v1.CertificateSigningRequestStatus",
  { doc: "What became of a request." },
  () => ({
    conditions: s.list(certificateSigningRequestCondition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      doc: "Approved, Denied or Failed, once decided. These are never removed, and the first two exclude each other.",
    }),
    certificate: s.bytes({
      proto: 2,
      optional: true,
      doc: "The issued certificate, then its intermediates, as PEM in base64. Written once by the signer; empty until then.",
    }),
  }),
);

export type CertificateSigningRequestCondition = ObjectOf<typeof certificateSigningRequestCondition>;

export const certificateSigningRequestCondition = s.struct(
  "certificates.v1.CertificateSigningRequestCondition",
  { doc: "One decision or report about a request." },
  () => ({
    type: s.string({
      alias: "RequestConditionType",
      proto: 1,
      doc: "Approved, Denied, Failed, or another word of the signer.",
    }),
    status: s.string({
      alias: "ConditionStatus",
      proto: 6,
      doc: "True, False or Unknown. Approved, Denied and Failed are always True.",
    }),
    reason: s.string({ proto: 2, optional: true, doc: "Why, as a short word for programs." }),
    message: s.string({ proto: 3, optional: true, doc: "Why, for people." }),
    lastUpdateTime: s.time({ proto: 4, required: false, doc: "When this condition was last written." }),
    lastTransitionTime: s.time({
      proto: 5,
      required: false,
      doc: "When the status last became another one. The server fills it in when it is missing.",
    }),
  }),
);
