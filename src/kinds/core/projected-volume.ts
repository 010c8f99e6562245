// Volumes that show several sources in one directory.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { localObjectReference } from "./object-reference.ts";
import { downwardAPIVolumeFile, keyToPath } from "./volume.ts";

export type ProjectedVolumeSource = ObjectOf<typeof projectedVolumeSource>;

export const projectedVolumeSource = s.struct("core.v1.ProjectedVolumeSource", () => ({
  sources: s.list(volumeProjection, { proto: 1, required: false, listType: "atomic" }),
  defaultMode: s.int32({ proto: 2, optional: true, pointer: true }),
}));

export type VolumeProjection = ObjectOf<typeof volumeProjection>;

export const volumeProjection = s.struct("core.v1.VolumeProjection", () => ({
  secret: s.of(secretProjection, { proto: 1, optional: true, pointer: true }),
  downwardAPI: s.of(downwardAPIProjection, { proto: 2, optional: true, pointer: true }),
  configMap: s.of(configMapProjection, { proto: 3, optional: true, pointer: true }),
  serviceAccountToken: s.of(serviceAccountTokenProjection, { proto: 4, optional: true, pointer: true }),
  clusterTrustBundle: s.of(clusterTrustBundleProjection, {
    proto: 5,
    optional: true,
    pointer: true,
    gate: "ClusterTrustBundleProjection",
  }),
  podCertificate: s.of(podCertificateProjection, {
    proto: 6,
    optional: true,
    pointer: true,
    gate: "PodCertificateRequest",
  }),
}));

export type SecretProjection = ObjectOf<typeof secretProjection>;

export const secretProjection = s.struct("core.v1.SecretProjection", () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  items: s.list(keyToPath, { proto: 2, optional: true, listType: "atomic" }),
  optional: s.boolean({ proto: 4, optional: true, pointer: true }),
}));

export type DownwardAPIProjection = ObjectOf<typeof downwardAPIProjection>;

export const downwardAPIProjection = s.struct("core.v1.DownwardAPIProjection", () => ({
  items: s.list(downwardAPIVolumeFile, { proto: 1, optional: true, listType: "atomic" }),
}));

export type ConfigMapProjection = ObjectOf<typeof configMapProjection>;

export const configMapProjection = s.struct("core.v1.ConfigMapProjection", () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  items: s.list(keyToPath, { proto: 2, optional: true, listType: "atomic" }),
  optional: s.boolean({ proto: 4, optional: true, pointer: true }),
}));

export type ServiceAccountTokenProjection = ObjectOf<typeof serviceAccountTokenProjection>;

export const serviceAccountTokenProjection = s.struct("core.v1.ServiceAccountTokenProjection", () => ({
  audience: s.string({ proto: 1, optional: true }),
  expirationSeconds: s.int64({ proto: 2, optional: true, pointer: true }),
  path: s.string({ proto: 3 }),
}));

export type ClusterTrustBundleProjection = ObjectOf<typeof clusterTrustBundleProjection>;

export const clusterTrustBundleProjection = s.struct("core.v1.ClusterTrustBundleProjection", () => ({
  name: s.string({ proto: 1, optional: true, pointer: true }),
  signerName: s.string({ proto: 2, optional: true, pointer: true }),
  labelSelector: s.of(labelSelector, { proto: 3, optional: true, pointer: true }),
  optional: s.boolean({ proto: 5, optional: true, pointer: true }),
  path: s.string({ proto: 4 }),
}));

export type PodCertificateProjection = ObjectOf<typeof podCertificateProjection>;

export const podCertificateProjection = s.struct("core.v1.PodCertificateRequest", () => ({
  signerName: s.string({ proto: 1, omitEmpty: true }),
  keyType: s.string({ proto: 2, omitEmpty: true }),
  maxExpirationSeconds: s.int32({ proto: 3, optional: true, pointer: true }),
  credentialBundlePath: s.string({ proto: 4, optional: true }),
  keyPath: s.string({ proto: 5, optional: true }),
  certificateChainPath: s.string({ proto: 6, optional: true }),
}));
