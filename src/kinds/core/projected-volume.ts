// Volumes that show several sources in one directory.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { downwardAPIVolumeFile, keyToPath } from "./file-volumes.ts";
import { localObjectReference } from "./object-reference.ts";

export type ProjectedVolumeSource = ObjectOf<typeof projectedVolumeSource>;

export const projectedVolumeSource = s.struct(
  "core.v1.ProjectedVolumeSource",
  { doc: "Several sources in one directory." },
  () => ({
    sources: s.list(volumeProjection, { proto: 1, required: false, listType: "atomic", doc: "What is shown." }),
    defaultMode: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
    }),
  }),
);

export type VolumeProjection = ObjectOf<typeof volumeProjection>;

export const volumeProjection = s.struct(
  "core.v1.VolumeProjection",
  { doc: "One source of a projected volume; exactly one member is set." },
  () => ({
    secret: s.of(secretProjection, { proto: 1, optional: true, pointer: true, doc: "Keys of a Secret as files." }),
    downwardAPI: s.of(downwardAPIProjection, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Fields of the pod as files.",
    }),
    configMap: s.of(configMapProjection, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Keys of a ConfigMap as files.",
    }),
    serviceAccountToken: s.of(serviceAccountTokenProjection, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "A token of the pod's service account as a file, renewed in time.",
    }),
    clusterTrustBundle: s.of(clusterTrustBundleProjection, {
      proto: 5,
      optional: true,
      pointer: true,
      gate: "ClusterTrustBundleProjection",
      doc: "Trusted certificates of ClusterTrustBundles as a file, kept up to date.",
    }),
    podCertificate: s.of(podCertificateProjection, {
      proto: 6,
      optional: true,
      pointer: true,
      gate: "PodCertificateRequest",
      doc: "A key and a certificate for the pod as files, renewed in time.",
    }),
  }),
);

export type SecretProjection = ObjectOf<typeof secretProjection>;

export const secretProjection = s.struct("core.v1.SecretProjection", { doc: "Keys of a Secret as files." }, () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  items: s.list(keyToPath, {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
  }),
  optional: s.boolean({
    proto: 4,
    optional: true,
    pointer: true,
    doc: "Whether the Secret or its keys may be missing. Not set means false.",
  }),
}));

export type DownwardAPIProjection = ObjectOf<typeof downwardAPIProjection>;

export const downwardAPIProjection = s.struct(
  "core.v1.DownwardAPIProjection",
  { doc: "Fields of the pod as files." },
  () => ({
    items: s.list(downwardAPIVolumeFile, { proto: 1, optional: true, listType: "atomic", doc: "The files." }),
  }),
);

export type ConfigMapProjection = ObjectOf<typeof configMapProjection>;

export const configMapProjection = s.struct(
  "core.v1.ConfigMapProjection",
  { doc: "Keys of a ConfigMap as files." },
  () => ({
    localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
    items: s.list(keyToPath, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
    }),
    optional: s.boolean({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Whether the ConfigMap or its keys may be missing. Not set means false.",
    }),
  }),
);

export type ServiceAccountTokenProjection = ObjectOf<typeof serviceAccountTokenProjection>;

export const serviceAccountTokenProjection = s.struct(
  "core.v1.ServiceAccountTokenProjection",
  { doc: "A token of the pod's service account as a file." },
  () => ({
    audience: s.string({
      proto: 1,
      optional: true,
      doc: "For whom the token is: others must refuse it. Not set, the server.",
    }),
    expirationSeconds: s.int64({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "How long a token is good for, in seconds; at least 600. A new one comes in time. Not set, 3600.",
    }),
    path: s.string({ proto: 3, doc: "Path of the file in the volume; relative and without `..`." }),
  }),
);

export type ClusterTrustBundleProjection = ObjectOf<typeof clusterTrustBundleProjection>;

export const clusterTrustBundleProjection = s.struct(
  "core.v1.ClusterTrustBundleProjection",
  { doc: "Trusted certificates as a file; either `name` or `signerName` is set." },
  () => ({
    name: s.string({ proto: 1, optional: true, pointer: true, doc: "A single ClusterTrustBundle." }),
    signerName: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "All ClusterTrustBundles of this signer that `labelSelector` selects.",
    }),
    labelSelector: s.of(labelSelector, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Which bundles of the signer are taken. Not set, none; empty, all.",
    }),
    optional: s.boolean({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Whether the bundles may be missing; the file is then empty. Not set, the pod waits for them.",
    }),
    path: s.string({ proto: 4, doc: "Path of the file in the volume; relative." }),
  }),
);

export type PodCertificateProjection = ObjectOf<typeof podCertificateProjection>;

export const podCertificateProjection = s.struct(
  "core.v1.PodCertificateProjection",
  { doc: "A key and a certificate for the pod as files, in one bundle or apart." },
  () => ({
    signerName: s.string({ proto: 1, omitEmpty: true, doc: "Signer that issues the certificate." }),
    keyType: s.string({
      proto: 2,
      omitEmpty: true,
      doc: "Key to make: `RSA3072`, `RSA4096`, `ECDSAP256`, `ECDSAP384`, `ECDSAP521` or `ED25519`.",
    }),
    maxExpirationSeconds: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The longest that a certificate may be valid, from 3600 to 7862400 seconds; signers may choose less. Not set, 86400.",
    }),
    credentialBundlePath: s.string({
      proto: 4,
      optional: true,
      doc: "File in the volume that gets the key and then the certificates, in PEM. Read at once, the two always match.",
    }),
    keyPath: s.string({
      proto: 5,
      optional: true,
      doc: "File in the volume that gets the key, in PEM. For a moment it may not match the certificate.",
    }),
    certificateChainPath: s.string({
      proto: 6,
      optional: true,
      doc: "File in the volume that gets the certificates, in PEM. For a moment they may not match the key.",
    }),
  }),
);
