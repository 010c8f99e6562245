// Volumes that show several sources in one directory.

import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { labelSelector } from "../../meta/label-selector.ts";
import { localObjectReference } from "../object-reference.ts";
import { downwardAPIVolumeFile, keyToPath } from "./file-volumes.ts";

export type ProjectedVolumeSource = ObjectOf<typeof projectedVolumeSource>;

export const projectedVolumeSource = s.struct(
  "core.v1.ProjectedVolumeSource",
  "Several sources in one directory.",
  () => ({
    sources: shown.atomic(volumeProjection, 1, "What is shown."),
    defaultMode: ptr.int32(
      2,
      "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
    ),
  }),
);

export type VolumeProjection = ObjectOf<typeof volumeProjection>;

const volumeProjection = s.struct(
  "core.v1.VolumeProjection",
  "One source of a projected volume; exactly one member is set.",
  () => ({
    secret: ptr.of(secretProjection, 1, "Keys of a Secret as files."),
    downwardAPI: ptr.of(downwardAPIProjection, 2, "Fields of the pod as files."),
    configMap: ptr.of(configMapProjection, 3, "Keys of a ConfigMap as files."),
    serviceAccountToken: ptr.of(
      serviceAccountTokenProjection,
      4,
      "A token of the pod's service account as a file, renewed in time.",
    ),
    clusterTrustBundle: ptr.of(
      clusterTrustBundleProjection,
      5,
      "Trusted certificates of ClusterTrustBundles as a file, kept up to date.",
      { gate: "ClusterTrustBundleProjection" },
    ),
    podCertificate: ptr.of(
      podCertificateProjection,
      6,
      "A key and a certificate for the pod as files, renewed in time.",
      { gate: "PodCertificateRequest" },
    ),
  }),
);

const secretProjection = s.struct("core.v1.SecretProjection", "Keys of a Secret as files.", () => ({
  localObjectReference: s.inline(localObjectReference, 1),
  items: opt.atomic(
    keyToPath,
    2,
    "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
  ),
  optional: ptr.boolean(4, "Whether the Secret or its keys may be missing. Not set means false."),
}));

const downwardAPIProjection = s.struct("core.v1.DownwardAPIProjection", "Fields of the pod as files.", () => ({
  items: opt.atomic(downwardAPIVolumeFile, 1, "The files."),
}));

const configMapProjection = s.struct("core.v1.ConfigMapProjection", "Keys of a ConfigMap as files.", () => ({
  localObjectReference: s.inline(localObjectReference, 1),
  items: opt.atomic(
    keyToPath,
    2,
    "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
  ),
  optional: ptr.boolean(4, "Whether the ConfigMap or its keys may be missing. Not set means false."),
}));

export type ServiceAccountTokenProjection = ObjectOf<typeof serviceAccountTokenProjection>;

const serviceAccountTokenProjection = s.struct(
  "core.v1.ServiceAccountTokenProjection",
  "A token of the pod's service account as a file.",
  () => ({
    audience: opt.string(1, "For whom the token is: others must refuse it. Not set, the server."),
    expirationSeconds: ptr.int64(
      2,
      "How long a token is good for, in seconds; at least 600. A new one comes in time. Not set, 3600.",
    ),
    path: s.string(3, "Path of the file in the volume; relative and without `..`."),
  }),
);

export type ClusterTrustBundleProjection = ObjectOf<typeof clusterTrustBundleProjection>;

const clusterTrustBundleProjection = s.struct(
  "core.v1.ClusterTrustBundleProjection",
  "Trusted certificates as a file; either `name` or `signerName` is set.",
  () => ({
    name: ptr.string(1, "A single ClusterTrustBundle."),
    signerName: ptr.string(2, "All ClusterTrustBundles of this signer that `labelSelector` selects."),
    labelSelector: ptr.of(labelSelector, 3, "Which bundles of the signer are taken. Not set, none; empty, all."),
    optional: ptr.boolean(
      5,
      "Whether the bundles may be missing; the file is then empty. Not set, the pod waits for them.",
    ),
    path: s.string(4, "Path of the file in the volume; relative."),
  }),
);

export type PodCertificateProjection = ObjectOf<typeof podCertificateProjection>;

const podCertificateProjection = s.struct(
  "core.v1.PodCertificateProjection",
  "A key and a certificate for the pod as files, in one bundle or apart.",
  () => ({
    signerName: s.string(1, "Signer that issues the certificate.", { omitEmpty: true }),
    keyType: s.string(2, "Key to make: `RSA3072`, `RSA4096`, `ECDSAP256`, `ECDSAP384`, `ECDSAP521` or `ED25519`.", {
      omitEmpty: true,
    }),
    maxExpirationSeconds: ptr.int32(
      3,
      "The longest that a certificate may be valid, from 3600 to 7862400 seconds; signers may choose less. Not set, 86400.",
    ),
    credentialBundlePath: opt.string(
      4,
      "File in the volume that gets the key and then the certificates, in PEM. Read at once, the two always match.",
    ),
    keyPath: opt.string(
      5,
      "File in the volume that gets the key, in PEM. For a moment it may not match the certificate.",
    ),
    certificateChainPath: opt.string(
      6,
      "File in the volume that gets the certificates, in PEM. For a moment they may not match the key.",
    ),
  }),
);
