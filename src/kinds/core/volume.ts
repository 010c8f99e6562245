// The volumes of a pod.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectFieldSelector, resourceFieldSelector } from "./env.ts";
import { localObjectReference } from "./object-reference.ts";
import { persistentVolumeClaimSpec } from "./persistent-volume-claim-schema.ts";
import { projectedVolumeSource } from "./projected-volume.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFileVolumeSource,
  cephFSVolumeSource,
  cinderVolumeSource,
  fcVolumeSource,
  flexVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  glusterfsVolumeSource,
  iscsiVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  rbdVolumeSource,
  scaleIOVolumeSource,
  storageOSVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "./vendor-volumes.ts";

export type Volume = ObjectOf<typeof volume>;

export const volume = s.struct("core.v1.Volume", { doc: "A named volume that containers may mount." }, () => ({
  name: s.string({ proto: 1, doc: "Name by which containers mount the volume; a DNS label, unique in the pod." }),
  volumeSource: s.inline(volumeSource, { proto: 2, protoName: "volumeSource" }),
}));

export type VolumeSource = ObjectOf<typeof volumeSource>;

export const volumeSource = s.struct(
  "core.v1.VolumeSource",
  { doc: "What a volume shows; exactly one member is set, and `emptyDir` if none is." },
  () => ({
    hostPath: s.of(hostPathVolumeSource, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "A file or directory of the node. Gives the pod access to the node: avoid it where possible.",
    }),
    emptyDir: s.of(emptyDirVolumeSource, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "An empty directory that lives as long as the pod does on its node.",
    }),
    gcePersistentDisk: s.of(gcePersistentDiskVolumeSource, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A disk of Google Compute Engine. Handled by its CSI driver.",
    }),
    awsElasticBlockStore: s.of(awsElasticBlockStoreVolumeSource, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "A disk of Amazon EBS. Handled by its CSI driver.",
    }),
    gitRepo: s.of(gitRepoVolumeSource, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "A clone of a Git repository. Deprecated and off on most nodes: clone in an init container instead.",
    }),
    secret: s.of(secretVolumeSource, { proto: 6, optional: true, pointer: true, doc: "Keys of a Secret as files." }),
    nfs: s.of(nfsVolumeSource, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "A directory that an NFS server exports.",
    }),
    iscsi: s.of(iscsiVolumeSource, {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "An iSCSI disk that is attached to the node.",
    }),
    glusterfs: s.of(glusterfsVolumeSource, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "A GlusterFS volume. No longer supported.",
    }),
    persistentVolumeClaim: s.of(persistentVolumeClaimVolumeSource, {
      proto: 10,
      optional: true,
      pointer: true,
      doc: "The volume of a claim in the namespace of the pod.",
    }),
    rbd: s.of(rbdVolumeSource, {
      proto: 11,
      optional: true,
      pointer: true,
      doc: "A Ceph block device. No longer supported.",
    }),
    flexVolume: s.of(flexVolumeSource, {
      proto: 12,
      optional: true,
      pointer: true,
      doc: "A volume of a driver that is a program on the node. Deprecated: CSI has taken its place.",
    }),
    cinder: s.of(cinderVolumeSource, {
      proto: 13,
      optional: true,
      pointer: true,
      doc: "A disk of OpenStack Cinder. Handled by its CSI driver.",
    }),
    cephfs: s.of(cephFSVolumeSource, {
      proto: 14,
      optional: true,
      pointer: true,
      doc: "A Ceph file system. No longer supported.",
    }),
    flocker: s.of(flockerVolumeSource, {
      proto: 15,
      optional: true,
      pointer: true,
      doc: "A Flocker dataset. No longer supported.",
    }),
    downwardAPI: s.of(downwardAPIVolumeSource, {
      proto: 16,
      optional: true,
      pointer: true,
      doc: "Fields of the pod as files.",
    }),
    fc: s.of(fcVolumeSource, {
      proto: 17,
      optional: true,
      pointer: true,
      doc: "A Fibre Channel disk that is attached to the node.",
    }),
    azureFile: s.of(azureFileVolumeSource, {
      proto: 18,
      optional: true,
      pointer: true,
      doc: "A file share of Azure. Handled by its CSI driver.",
    }),
    configMap: s.of(configMapVolumeSource, {
      proto: 19,
      optional: true,
      pointer: true,
      doc: "Keys of a ConfigMap as files.",
    }),
    vsphereVolume: s.of(vsphereVirtualDiskVolumeSource, {
      proto: 20,
      optional: true,
      pointer: true,
      doc: "A virtual disk of vSphere. Handled by its CSI driver.",
    }),
    quobyte: s.of(quobyteVolumeSource, {
      proto: 21,
      optional: true,
      pointer: true,
      doc: "A Quobyte volume. No longer supported.",
    }),
    azureDisk: s.of(azureDiskVolumeSource, {
      proto: 22,
      optional: true,
      pointer: true,
      doc: "A disk of Azure. Handled by its CSI driver.",
    }),
    photonPersistentDisk: s.of(photonPersistentDiskVolumeSource, {
      proto: 23,
      optional: true,
      pointer: true,
      doc: "A disk of the Photon controller. No longer supported.",
    }),
    projected: s.of(projectedVolumeSource, {
      proto: 26,
      optional: true,
      pointer: true,
      doc: "Several sources in one directory: secrets, config maps, fields of the pod, tokens and certificates.",
    }),
    portworxVolume: s.of(portworxVolumeSource, {
      proto: 24,
      optional: true,
      pointer: true,
      doc: "A Portworx volume. Handled by its CSI driver.",
    }),
    scaleIO: s.of(scaleIOVolumeSource, {
      proto: 25,
      optional: true,
      pointer: true,
      doc: "A ScaleIO volume. No longer supported.",
    }),
    storageos: s.of(storageOSVolumeSource, {
      proto: 27,
      optional: true,
      pointer: true,
      doc: "A StorageOS volume. No longer supported.",
    }),
    csi: s.of(csiVolumeSource, {
      proto: 28,
      optional: true,
      pointer: true,
      doc: "A volume that an external storage driver (CSI) makes for the pod and that goes with it.",
    }),
    ephemeral: s.of(ephemeralVolumeSource, {
      proto: 29,
      optional: true,
      pointer: true,
      doc: "A volume for which a claim is made from a template, and which goes with the pod.",
    }),
    image: s.of(imageVolumeSource, {
      proto: 30,
      optional: true,
      pointer: true,
      gate: "ImageVolume",
      doc: "The files of an image or other OCI artifact, to be read only.",
    }),
  }),
);

export type EmptyDirVolumeSource = ObjectOf<typeof emptyDirVolumeSource>;

export const emptyDirVolumeSource = s.struct(
  "core.v1.EmptyDirVolumeSource",
  { doc: "An empty directory that lives as long as the pod does on its node." },
  () => ({
    medium: s.string({
      alias: "StorageMedium",
      proto: 1,
      optional: true,
      doc: "Where it is kept: on the node's disk if empty, in memory with `Memory`, in huge pages with `HugePages` or `HugePages-<size>`.",
    }),
    sizeLimit: s.quantity({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The most that it may hold; beyond it the pod is evicted. Not set, no limit of its own.",
    }),
  }),
);

export type HostPathVolumeSource = ObjectOf<typeof hostPathVolumeSource>;

export const hostPathVolumeSource = s.struct(
  "core.v1.HostPathVolumeSource",
  { doc: "A file or directory of the node." },
  () => ({
    path: s.string({ proto: 1, doc: "Path on the node; a symbolic link is followed. Must not contain `..`." }),
    type: s.enumOf(
      ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"],
      {
        alias: "HostPathType",
        proto: 2,
        optional: true,
        pointer: true,
        doc: "What must be at the path, or be made there if there is nothing. Empty, also when not set, no check is made.",
      },
    ),
  }),
);

export type SecretVolumeSource = ObjectOf<typeof secretVolumeSource>;

export const secretVolumeSource = s.struct("core.v1.SecretVolumeSource", { doc: "Keys of a Secret as files." }, () => ({
  secretName: s.string({ proto: 1, optional: true, doc: "The Secret, in the namespace of the pod." }),
  items: s.list(keyToPath, {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
  }),
  defaultMode: s.int32({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
  }),
  optional: s.boolean({
    proto: 4,
    optional: true,
    pointer: true,
    doc: "Whether the Secret or its keys may be missing. Not set means false.",
  }),
}));

export type ConfigMapVolumeSource = ObjectOf<typeof configMapVolumeSource>;

export const configMapVolumeSource = s.struct(
  "core.v1.ConfigMapVolumeSource",
  { doc: "Keys of a ConfigMap as files." },
  () => ({
    localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
    items: s.list(keyToPath, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
    }),
    defaultMode: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
    }),
    optional: s.boolean({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Whether the ConfigMap or its keys may be missing. Not set means false.",
    }),
  }),
);

export type KeyToPath = ObjectOf<typeof keyToPath>;

export const keyToPath = s.struct("core.v1.KeyToPath", { doc: "The file that a key becomes." }, () => ({
  key: s.string({ proto: 1, doc: "The key." }),
  path: s.string({ proto: 2, doc: "Path of the file in the volume; relative and without `..`." }),
  mode: s.int32({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Mode of the file, from 0 to 0777; in JSON as a decimal number. Not set, the volume's default.",
  }),
}));

export type PersistentVolumeClaimVolumeSource = ObjectOf<typeof persistentVolumeClaimVolumeSource>;

export const persistentVolumeClaimVolumeSource = s.struct(
  "core.v1.PersistentVolumeClaimVolumeSource",
  { doc: "The volume of a claim." },
  () => ({
    claimName: s.string({ proto: 1, doc: "The claim, in the namespace of the pod." }),
    readOnly: s.boolean({
      proto: 2,
      optional: true,
      doc: "Whether every mount of the volume is read-only. Not set means false.",
    }),
  }),
);

export type DownwardAPIVolumeSource = ObjectOf<typeof downwardAPIVolumeSource>;

export const downwardAPIVolumeSource = s.struct(
  "core.v1.DownwardAPIVolumeSource",
  { doc: "Fields of the pod as files." },
  () => ({
    items: s.list(downwardAPIVolumeFile, { proto: 1, optional: true, listType: "atomic", doc: "The files." }),
    defaultMode: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
    }),
  }),
);

export type DownwardAPIVolumeFile = ObjectOf<typeof downwardAPIVolumeFile>;

export const downwardAPIVolumeFile = s.struct(
  "core.v1.DownwardAPIVolumeFile",
  { doc: "The file that a field of the pod becomes; either `fieldRef` or `resourceFieldRef` is set." },
  () => ({
    path: s.string({ proto: 1, doc: "Path of the file in the volume; relative and without `..`." }),
    fieldRef: s.of(objectFieldSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "A field of the pod: name, namespace, uid, labels or annotations.",
    }),
    resourceFieldRef: s.of(resourceFieldSelector, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A limit or request of a container: CPU, memory, ephemeral storage or huge pages.",
    }),
    mode: s.int32({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Mode of the file, from 0 to 0777; in JSON as a decimal number. Not set, the volume's default.",
    }),
  }),
);

export type EphemeralVolumeSource = ObjectOf<typeof ephemeralVolumeSource>;

export const ephemeralVolumeSource = s.struct(
  "core.v1.EphemeralVolumeSource",
  { doc: "A volume that is made by a claim of the pod and goes with it." },
  () => ({
    volumeClaimTemplate: s.of(persistentVolumeClaimTemplate, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The claim that is made, called `<pod>-<volume>` and owned by the pod. Required; cannot be changed.",
    }),
  }),
);

export type PersistentVolumeClaimTemplate = ObjectOf<typeof persistentVolumeClaimTemplate>;

export const persistentVolumeClaimTemplate = s.struct(
  "core.v1.PersistentVolumeClaimTemplate",
  { doc: "The claim that is made for a pod." },
  () => ({
    metadata: s.of(objectMeta, {
      proto: 1,
      optional: true,
      doc: "Labels and annotations that the claim gets; nothing else is allowed.",
    }),
    spec: s.of(persistentVolumeClaimSpec, {
      proto: 2,
      doc: "The storage that is asked for, copied into the claim as it is.",
    }),
  }),
);

export type ImageVolumeSource = ObjectOf<typeof imageVolumeSource>;

export const imageVolumeSource = s.struct(
  "core.v1.ImageVolumeSource",
  { doc: "The files of an image or other OCI artifact." },
  () => ({
    reference: s.string({
      proto: 1,
      optional: true,
      doc: "Reference of the image or artifact, as for containers. Templates may leave it out where something else fills it in.",
    }),
    pullPolicy: s.enumOf(["Always", "IfNotPresent", "Never"], {
      alias: "PullPolicy",
      proto: 2,
      optional: true,
      doc: "When it is pulled. Not set, `Always` for the tag `latest` or none, else `IfNotPresent`.",
    }),
  }),
);

export type GitRepoVolumeSource = ObjectOf<typeof gitRepoVolumeSource>;

export const gitRepoVolumeSource = s.struct(
  "core.v1.GitRepoVolumeSource",
  { doc: "A clone of a Git repository; deprecated." },
  () => ({
    repository: s.string({ proto: 1, doc: "Address of the repository." }),
    revision: s.string({
      proto: 2,
      optional: true,
      doc: "Commit that is checked out. Not set, the tip of the default branch.",
    }),
    directory: s.string({
      proto: 3,
      optional: true,
      doc: "Directory of the clone in the volume; `.` for the volume itself. Not set, named after the repository.",
    }),
  }),
);

export type CSIVolumeSource = ObjectOf<typeof csiVolumeSource>;

export const csiVolumeSource = s.struct(
  "core.v1.CSIVolumeSource",
  { doc: "A volume that an external storage driver makes for a pod." },
  () => ({
    driver: s.string({ proto: 1, doc: "Name of the driver, as it is registered in the cluster." }),
    readOnly: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Whether the volume can only be read. Not set means false.",
    }),
    fsType: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "File system to mount, such as `ext4` or `xfs`. Not set, the driver chooses.",
    }),
    volumeAttributes: s.map("string", {
      proto: 4,
      optional: true,
      doc: "Settings that are passed to the driver, which says what they mean.",
    }),
    nodePublishSecretRef: s.of(localObjectReference, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Secret for the driver when it mounts the volume.",
    }),
  }),
);

export type NFSVolumeSource = ObjectOf<typeof nfsVolumeSource>;

export const nfsVolumeSource = s.struct(
  "core.v1.NFSVolumeSource",
  { doc: "A directory that an NFS server exports." },
  () => ({
    server: s.string({ proto: 1, doc: "Name or address of the server." }),
    path: s.string({ proto: 2, doc: "Directory that the server exports." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);
