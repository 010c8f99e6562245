// The volumes of a pod.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { cephFSVolumeSource, rbdVolumeSource } from "./ceph-volumes.ts";
import { ephemeralVolumeSource, persistentVolumeClaimVolumeSource } from "./claim-volumes.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFileVolumeSource,
  cinderVolumeSource,
  gcePersistentDiskVolumeSource,
  photonPersistentDiskVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "./cloud-volumes.ts";
import { csiVolumeSource, flexVolumeSource } from "./driver-volumes.ts";
import { configMapVolumeSource, downwardAPIVolumeSource, secretVolumeSource } from "./file-volumes.ts";
import { fcVolumeSource, iscsiVolumeSource, nfsVolumeSource } from "./network-volumes.ts";
import { emptyDirVolumeSource, gitRepoVolumeSource, hostPathVolumeSource, imageVolumeSource } from "./node-volumes.ts";
import { projectedVolumeSource } from "./projected-volume.ts";
import {
  flockerVolumeSource,
  glusterfsVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  scaleIOVolumeSource,
  storageOSVolumeSource,
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
