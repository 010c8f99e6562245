// Where the data of a persistent volume is.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { cephFSPersistentVolumeSource, rbdPersistentVolumeSource } from "./ceph-volumes.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFilePersistentVolumeSource,
  cinderPersistentVolumeSource,
  gcePersistentDiskVolumeSource,
  photonPersistentDiskVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "./cloud-volumes.ts";
import { csiPersistentVolumeSource, flexPersistentVolumeSource } from "./driver-volumes.ts";
import { fcVolumeSource, iscsiPersistentVolumeSource, nfsVolumeSource } from "./network-volumes.ts";
import { hostPathVolumeSource, localVolumeSource } from "./node-volumes.ts";
import {
  flockerVolumeSource,
  glusterfsPersistentVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  scaleIOPersistentVolumeSource,
  storageOSPersistentVolumeSource,
} from "./vendor-volumes.ts";

export type PersistentVolumeSource = ObjectOf<typeof persistentVolumeSource>;

export const persistentVolumeSource = s.struct(
  "core.v1.PersistentVolumeSource",
  { doc: "Where the data of a volume is; exactly one member is set." },
  () => ({
    gcePersistentDisk: s.of(gcePersistentDiskVolumeSource, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "A disk of Google Compute Engine. Handled by its CSI driver.",
    }),
    awsElasticBlockStore: s.of(awsElasticBlockStoreVolumeSource, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "A disk of Amazon EBS. Handled by its CSI driver.",
    }),
    hostPath: s.of(hostPathVolumeSource, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A directory of the node, for tests on a single node only: the data does not follow a pod.",
    }),
    glusterfs: s.of(glusterfsPersistentVolumeSource, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "A GlusterFS volume. No longer supported.",
    }),
    nfs: s.of(nfsVolumeSource, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "A directory that an NFS server exports.",
    }),
    rbd: s.of(rbdPersistentVolumeSource, {
      proto: 6,
      optional: true,
      pointer: true,
      doc: "A Ceph block device. No longer supported.",
    }),
    iscsi: s.of(iscsiPersistentVolumeSource, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "An iSCSI disk that is attached to the node.",
    }),
    cinder: s.of(cinderPersistentVolumeSource, {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "A disk of OpenStack Cinder. Handled by its CSI driver.",
    }),
    cephfs: s.of(cephFSPersistentVolumeSource, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "A Ceph file system. No longer supported.",
    }),
    fc: s.of(fcVolumeSource, {
      proto: 10,
      optional: true,
      pointer: true,
      doc: "A Fibre Channel disk that is attached to the node.",
    }),
    flocker: s.of(flockerVolumeSource, {
      proto: 11,
      optional: true,
      pointer: true,
      doc: "A Flocker dataset. No longer supported.",
    }),
    flexVolume: s.of(flexPersistentVolumeSource, {
      proto: 12,
      optional: true,
      pointer: true,
      doc: "A volume of a driver that is a program on the node. Deprecated: CSI has taken its place.",
    }),
    azureFile: s.of(azureFilePersistentVolumeSource, {
      proto: 13,
      optional: true,
      pointer: true,
      doc: "A file share of Azure. Handled by its CSI driver.",
    }),
    vsphereVolume: s.of(vsphereVirtualDiskVolumeSource, {
      proto: 14,
      optional: true,
      pointer: true,
      doc: "A virtual disk of vSphere. Handled by its CSI driver.",
    }),
    quobyte: s.of(quobyteVolumeSource, {
      proto: 15,
      optional: true,
      pointer: true,
      doc: "A Quobyte volume. No longer supported.",
    }),
    azureDisk: s.of(azureDiskVolumeSource, {
      proto: 16,
      optional: true,
      pointer: true,
      doc: "A disk of Azure. Handled by its CSI driver.",
    }),
    photonPersistentDisk: s.of(photonPersistentDiskVolumeSource, {
      proto: 17,
      optional: true,
      pointer: true,
      doc: "A disk of the Photon controller. No longer supported.",
    }),
    portworxVolume: s.of(portworxVolumeSource, {
      proto: 18,
      optional: true,
      pointer: true,
      doc: "A Portworx volume. Handled by its CSI driver.",
    }),
    scaleIO: s.of(scaleIOPersistentVolumeSource, {
      proto: 19,
      optional: true,
      pointer: true,
      doc: "A ScaleIO volume. No longer supported.",
    }),
    local: s.of(localVolumeSource, {
      proto: 20,
      optional: true,
      pointer: true,
      doc: "A disk, partition or directory of one node. Needs `nodeAffinity`.",
    }),
    storageos: s.of(storageOSPersistentVolumeSource, {
      proto: 21,
      optional: true,
      pointer: true,
      doc: "A StorageOS volume. No longer supported.",
    }),
    csi: s.of(csiPersistentVolumeSource, {
      proto: 22,
      optional: true,
      pointer: true,
      doc: "A volume of an external storage driver (CSI).",
    }),
  }),
);
