// Where the data of a persistent volume is.

import { type ObjectOf, ptr, s } from "../../../schema/builder.ts";
import { cephFSPersistentVolumeSource, rbdPersistentVolumeSource } from "../volumes/ceph-volumes.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFilePersistentVolumeSource,
  cinderPersistentVolumeSource,
  gcePersistentDiskVolumeSource,
  photonPersistentDiskVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "../volumes/cloud-volumes.ts";
import { csiPersistentVolumeSource, flexPersistentVolumeSource } from "../volumes/driver-volumes.ts";
import { fcVolumeSource, iscsiPersistentVolumeSource, nfsVolumeSource } from "../volumes/network-volumes.ts";
import { hostPathVolumeSource, localVolumeSource } from "../volumes/node-volumes.ts";
import {
  flockerVolumeSource,
  glusterfsPersistentVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  scaleIOPersistentVolumeSource,
  storageOSPersistentVolumeSource,
} from "../volumes/vendor-volumes.ts";

export type PersistentVolumeSource = ObjectOf<typeof persistentVolumeSource>;

export const persistentVolumeSource = s.struct(
  "core.v1.PersistentVolumeSource",
  "Where the data of a volume is; exactly one member is set.",
  () => ({
    gcePersistentDisk: ptr.of(
      gcePersistentDiskVolumeSource,
      1,
      "A disk of Google Compute Engine. Handled by its CSI driver.",
    ),
    awsElasticBlockStore: ptr.of(
      awsElasticBlockStoreVolumeSource,
      2,
      "A disk of Amazon EBS. Handled by its CSI driver.",
    ),
    hostPath: ptr.of(
      hostPathVolumeSource,
      3,
      "A directory of the node, for tests on a single node only: the data does not follow a pod.",
    ),
    glusterfs: ptr.of(glusterfsPersistentVolumeSource, 4, "A GlusterFS volume. No longer supported."),
    nfs: ptr.of(nfsVolumeSource, 5, "A directory that an NFS server exports."),
    rbd: ptr.of(rbdPersistentVolumeSource, 6, "A Ceph block device. No longer supported."),
    iscsi: ptr.of(iscsiPersistentVolumeSource, 7, "An iSCSI disk that is attached to the node."),
    cinder: ptr.of(cinderPersistentVolumeSource, 8, "A disk of OpenStack Cinder. Handled by its CSI driver."),
    cephfs: ptr.of(cephFSPersistentVolumeSource, 9, "A Ceph file system. No longer supported."),
    fc: ptr.of(fcVolumeSource, 10, "A Fibre Channel disk that is attached to the node."),
    flocker: ptr.of(flockerVolumeSource, 11, "A Flocker dataset. No longer supported."),
    flexVolume: ptr.of(
      flexPersistentVolumeSource,
      12,
      "A volume of a driver that is a program on the node. Deprecated: CSI has taken its place.",
    ),
    azureFile: ptr.of(azureFilePersistentVolumeSource, 13, "A file share of Azure. Handled by its CSI driver."),
    vsphereVolume: ptr.of(vsphereVirtualDiskVolumeSource, 14, "A virtual disk of vSphere. Handled by its CSI driver."),
    quobyte: ptr.of(quobyteVolumeSource, 15, "A Quobyte volume. No longer supported."),
    azureDisk: ptr.of(azureDiskVolumeSource, 16, "A disk of Azure. Handled by its CSI driver."),
    photonPersistentDisk: ptr.of(
      photonPersistentDiskVolumeSource,
      17,
      "A disk of the Photon controller. No longer supported.",
    ),
    portworxVolume: ptr.of(portworxVolumeSource, 18, "A Portworx volume. Handled by its CSI driver."),
    scaleIO: ptr.of(scaleIOPersistentVolumeSource, 19, "A ScaleIO volume. No longer supported."),
    local: ptr.of(localVolumeSource, 20, "A disk, partition or directory of one node. Needs `nodeAffinity`."),
    storageos: ptr.of(storageOSPersistentVolumeSource, 21, "A StorageOS volume. No longer supported."),
    csi: ptr.of(csiPersistentVolumeSource, 22, "A volume of an external storage driver (CSI)."),
  }),
);
