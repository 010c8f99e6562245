// The schema of PodCertificateRequest.

import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import type { ObjectOf } from "../define-kind.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type PodCertificateRequest = ObjectOf<typeof podCertificateRequestSchema>;

export const podCertificateRequestSchema = objectSchema(
  "certificates.v1alpha1.PodCertificateRequest",
  "Asks a signer for the certificate of a pod.",
  () => ({
    spec: s.of(podCertificateRequestSpec, 2, "What is asked for and for which pod. Cannot be changed after creation."),
    status: opt.of(
      podCertificateRequestStatus,
      3,
      "The decision of the signer, and the certificate once it is issued.",
    ),
  }),
);

export type PodCertificateRequestSpec = ObjectOf<typeof podCertificateRequestSpec>;

export const podCertificateRequestSpec = s.struct(
  "certificates.v1alpha1.PodCertificateRequestSpec",
  "What certificate is asked for, and the pod that will use it.",
  () => ({
    signerName: s.string(1, "The signer that is asked, as domain/path."),
    podName: s.string(2, "Name of the pod, in the namespace of this request.", { must: OBJECT_NAME }),
    podUID: s.named("types.UID", 3, "UID of the pod.", { must: UID }),
    serviceAccountName: s.string(4, "Name of the service account that the pod runs as.", { must: OBJECT_NAME }),
    serviceAccountUID: s.named("types.UID", 5, "UID of the service account that the pod runs as.", { must: UID }),
    nodeName: s.named("v1.NodeName", 6, "Name of the node that the pod runs on.", { must: OBJECT_NAME }),
    nodeUID: s.named("types.UID", 7, "UID of the node that the pod runs on.", { must: UID }),
    maxExpirationSeconds: ptr.int32(
      8,
      "Longest lifetime the signer may grant, in seconds: from 3600 to 7862400 (91 days), by default 86400.",
      { default: 86400 },
    ),
    pkixPublicKey: s.bytes(
      9,
      "The public key to certify, in the DER form of PKIX and then base64: RSA 3072 or 4096, ECDSA or Ed25519.",
    ),
    proofOfPossession: s.bytes(
      10,
      "Signature over the UID of the pod with the private key, in base64: shows that the requester has that key.",
    ),
  }),
);

const OBJECT_NAME = { strict: true, form: dns1123SubdomainProblems };
const UID = { strict: true, maxBytes: 128, form: (uid: string) => (uid === "" ? ["must not be empty"] : []) };

export type PodCertificateRequestStatus = ObjectOf<typeof podCertificateRequestStatus>;

const podCertificateRequestStatus = s.struct(
  "certificates.v1alpha1.PodCertificateRequestStatus",
  "What the signer answered.",
  () => ({
    conditions: opt.listBy(
      "type",
      condition,
      1,
      "Issued, Denied or Failed: exactly one of them, once the signer has decided.",
    ),
    certificateChain: opt.string(
      2,
      "The issued certificate, then its intermediates, as PEM blocks. Set together with Issued.",
    ),
    notBefore: ptr.time(4, "From when the certificate is valid, as the certificate itself says."),
    beginRefreshAt: ptr.time(5, "When the node agent should start to ask for the next certificate."),
    notAfter: ptr.time(6, "Until when the certificate is valid, as the certificate itself says."),
  }),
);
