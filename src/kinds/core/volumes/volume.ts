// The volumes of a pod.

import { type ObjectOf, ptr, s } from "../../../schema/builder.ts";
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

export const volume = s.struct("core.v1.Volume", "A named volume that containers may mount.", () => ({
  name: s.string(1, "Name by which containers mount the volume; a DNS label, unique in the pod."),
  volumeSource: s.inline(volumeSource, 2),
}));

export type VolumeSource = ObjectOf<typeof volumeSource>;

export const volumeSource = s.struct(
  "core.v1.VolumeSource",
  "What a volume shows; exactly one member is set, and `emptyDir` if none is.",
  () => ({
    hostPath: ptr.of(
      hostPathVolumeSource,
      1,
      "A file or directory of the node. Gives the pod access to the node: avoid it where possible.",
    ),
    emptyDir: ptr.of(emptyDirVolumeSource, 2, "An empty directory that lives as long as the pod does on its node."),
    gcePersistentDisk: ptr.of(
      gcePersistentDiskVolumeSource,
      3,
      "A disk of Google Compute Engine. Handled by its CSI driver.",
    ),
    awsElasticBlockStore: ptr.of(
      awsElasticBlockStoreVolumeSource,
      4,
      "A disk of Amazon EBS. Handled by its CSI driver.",
    ),
    gitRepo: ptr.of(
      gitRepoVolumeSource,
      5,
      "A clone of a Git repository. Deprecated and off on most nodes: clone in an init container instead.",
    ),
    secret: ptr.of(secretVolumeSource, 6, "Keys of a Secret as files."),
    nfs: ptr.of(nfsVolumeSource, 7, "A directory that an NFS server exports."),
    iscsi: ptr.of(iscsiVolumeSource, 8, "An iSCSI disk that is attached to the node."),
    glusterfs: ptr.of(glusterfsVolumeSource, 9, "A GlusterFS volume. No longer supported."),
    persistentVolumeClaim: ptr.of(
      persistentVolumeClaimVolumeSource,
      10,
      "The volume of a claim in the namespace of the pod.",
    ),
    rbd: ptr.of(rbdVolumeSource, 11, "A Ceph block device. No longer supported."),
    flexVolume: ptr.of(
      flexVolumeSource,
      12,
      "A volume of a driver that is a program on the node. Deprecated: CSI has taken its place.",
    ),
    cinder: ptr.of(cinderVolumeSource, 13, "A disk of OpenStack Cinder. Handled by its CSI driver."),
    cephfs: ptr.of(cephFSVolumeSource, 14, "A Ceph file system. No longer supported."),
    flocker: ptr.of(flockerVolumeSource, 15, "A Flocker dataset. No longer supported."),
    downwardAPI: ptr.of(downwardAPIVolumeSource, 16, "Fields of the pod as files."),
    fc: ptr.of(fcVolumeSource, 17, "A Fibre Channel disk that is attached to the node."),
    azureFile: ptr.of(azureFileVolumeSource, 18, "A file share of Azure. Handled by its CSI driver."),
    configMap: ptr.of(configMapVolumeSource, 19, "Keys of a ConfigMap as files."),
    vsphereVolume: ptr.of(vsphereVirtualDiskVolumeSource, 20, "A virtual disk of vSphere. Handled by its CSI driver."),
    quobyte: ptr.of(quobyteVolumeSource, 21, "A Quobyte volume. No longer supported."),
    azureDisk: ptr.of(azureDiskVolumeSource, 22, "A disk of Azure. Handled by its CSI driver."),
    photonPersistentDisk: ptr.of(
      photonPersistentDiskVolumeSource,
      23,
      "A disk of the Photon controller. No longer supported.",
    ),
    projected: ptr.of(
      projectedVolumeSource,
      26,
      "Several sources in one directory: secrets, config maps, fields of the pod, tokens and certificates.",
    ),
    portworxVolume: ptr.of(portworxVolumeSource, 24, "A Portworx volume. Handled by its CSI driver."),
    scaleIO: ptr.of(scaleIOVolumeSource, 25, "A ScaleIO volume. No longer supported."),
    storageos: ptr.of(storageOSVolumeSource, 27, "A StorageOS volume. No longer supported."),
    csi: ptr.of(
      csiVolumeSource,
      28,
      "A volume that an external storage driver (CSI) makes for the pod and that goes with it.",
    ),
    ephemeral: ptr.of(
      ephemeralVolumeSource,
      29,
      "A volume for which a claim is made from a template, and which goes with the pod.",
    ),
    image: ptr.of(imageVolumeSource, 30, "The files of an image or other OCI artifact, to be read only.", {
      gate: "ImageVolume",
    }),
  }),
);

/** Volumes that are good, by name: containers may mount these. */
export type GoodVolumes = ReadonlyMap<string, VolumeSource>;
