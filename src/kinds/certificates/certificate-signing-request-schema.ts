// The schema of CertificateSigningRequest.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { USAGES } from "./certificate-usages.ts";

export type CertificateSigningRequest = ObjectOf<typeof certificateSigningRequestSchema>;

export const certificateSigningRequestSchema = objectSchema(
  "certificates.v1.CertificateSigningRequest",
  "Asks a signer for a certificate.",
  () => ({
    spec: s.of(
      certificateSigningRequestSpec,
      2,
      "What is asked for. Cannot be changed after creation, and who asks is filled in by the server.",
    ),
    status: opt.of(
      certificateSigningRequestStatus,
      3,
      "The decision about the request, and the certificate once it is issued.",
    ),
  }),
);

export const certificateSigningRequestSpec = s.struct(
  "certificates.v1.CertificateSigningRequestSpec",
  "What certificate is asked for, from whom and by whom.",
  () => ({
    request: s.bytes(1, "The PKCS#10 request as one PEM block of type CERTIFICATE REQUEST, in base64.", {
      publishedListType: "atomic",
    }),
    signerName: s.string(
      7,
      "The signer that is asked, as domain/path. It settles what may be requested and who trusts the result.",
    ),
    expirationSeconds: ptr.int32(
      8,
      "Wanted lifetime in seconds, at least 600. The signer may grant another; when not set, it chooses.",
      { must: { amount: lifetimeProblems } },
    ),
    usages: opt.atomic(
      s.enumValue(USAGES),
      5,
      "What the key may be used for, such as digital signature or client auth. Signers may require certain sets.",
      { alias: "KeyUsage", must: { filled: true, each: { listed: true }, unique: true } },
    ),
    username: opt.string(2, "User who made the request; set by the server."),
    uid: opt.string(3, "UID of the user who made the request; set by the server."),
    groups: opt.atomic("string", 4, "Groups of the user who made the request; set by the server."),
    extra: opt.map(extraValue, 6, "Further attributes of the user who made the request; set by the server."),
  }),
);

const lifetimeProblems = (seconds: number | bigint): string[] =>
  seconds < 600 ? ["may not specify a duration less than 600 seconds (10 minutes)"] : [];

const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
const certificateSigningRequestStatus = s.struct(
  "certificates.v1.CertificateSigningRequestStatus",
  "What became of a request.",
  () => ({
    conditions: opt.list(
      certificateSigningRequestCondition,
      1,
      "Approved, Denied or Failed, once decided. These are never removed, and the first two exclude each other.",
      { listType: "map", mapKeys: ["type"] },
    ),
    certificate: opt.bytes(
      2,
      "The issued certificate, then its intermediates, as PEM in base64. Written once by the signer; empty until then.",
      { publishedListType: "atomic" },
    ),
  }),
);

export type CertificateSigningRequestCondition = ObjectOf<typeof certificateSigningRequestCondition>;

export const certificateSigningRequestCondition = s.struct(
  "certificates.v1.CertificateSigningRequestCondition",
  "One decision or report about a request.",
  () => ({
    type: s.named("RequestConditionType", 1, "Approved, Denied, Failed, or another word of the signer."),
    status: s.named("ConditionStatus", 6, "True, False or Unknown. Approved, Denied and Failed are always True."),
    reason: opt.string(2, "Why, as a short word for programs."),
    message: opt.string(3, "Why, for people."),
    lastUpdateTime: shown.time(4, "When this condition was last written."),
    lastTransitionTime: shown.time(
      5,
      "When the status last became another one. The server fills it in when it is missing.",
    ),
  }),
);
