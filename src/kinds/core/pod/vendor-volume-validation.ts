// What the volumes of single storage systems must say.

import { type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { dns1123LabelProblems, rangeMessage } from "../../../meta/name-formats.ts";
import { addProblems, checkOptionalWord, checkRequired, checkRequiredName } from "../../meta/value-checks.ts";
import type { AzureDiskVolumeSource } from "../volumes/cloud-volumes.ts";
import type { ISCSIVolumeSource } from "../volumes/network-volumes.ts";
import type { QuobyteVolumeSource } from "../volumes/vendor-volumes.ts";
import type { Volume, VolumeSource } from "../volumes/volume.ts";
import type { PodRules } from "./validation-rules.ts";

type VendorCheck = (volume: Volume, at: string, errors: FieldError[], rules: PodRules) => void;

function source<K extends keyof VolumeSource>(
  key: K,
  check: (source: NonNullable<VolumeSource[K]>, at: string, errors: FieldError[], rules: PodRules) => void,
): VendorCheck {
  return (volume, at, errors, rules) => check(volume[key]!, `${at}.${key}`, errors, rules);
}

/** By the source's name; a check is called for a volume that has the source. */
export const VENDOR_CHECKS = {
  gcePersistentDisk: ({ gcePersistentDisk }, at, errors) => {
    // Upstream calls it so in its messages.
    checkRequired(errors, `${at}.persistentDisk.pdName`, gcePersistentDisk?.pdName);
    checkPartition(gcePersistentDisk?.partition, `${at}.persistentDisk`, errors);
  },
  awsElasticBlockStore: source("awsElasticBlockStore", ({ volumeID, partition }, at, errors) => {
    checkRequired(errors, `${at}.volumeID`, volumeID);
    checkPartition(partition, at, errors);
  }),
  iscsi: source("iscsi", checkIscsi),
  glusterfs: source("glusterfs", ({ endpoints, path }, at, errors) => {
    checkRequired(errors, `${at}.endpoints`, endpoints);
    checkRequired(errors, `${at}.path`, path);
  }),
  flocker: source("flocker", ({ datasetName = "", datasetUUID = "" }, at, errors) => {
    if (!datasetName && !datasetUUID) errors.push(required(at, "one of datasetName and datasetUUID is required"));
    if (datasetName && datasetUUID) {
      errors.push(invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
    }
    if (datasetName.includes("/")) errors.push(invalid(`${at}.datasetName`, datasetName, "must not contain '/'"));
  }),
  rbd: source("rbd", ({ monitors, image }, at, errors) => {
    if (!monitors?.length) errors.push(required(`${at}.monitors`));
    checkRequired(errors, `${at}.image`, image);
  }),
  cinder: source("cinder", ({ volumeID, secretRef }, at, errors) => {
    checkRequired(errors, `${at}.volumeID`, volumeID);
    if (secretRef) checkRequired(errors, `${at}.secretRef.name`, secretRef.name);
  }),
  cephfs: source("cephfs", ({ monitors }, at, errors) => {
    if (!monitors?.length) errors.push(required(`${at}.monitors`));
  }),
  quobyte: source("quobyte", checkQuobyte),
  fc: source("fc", ({ targetWWNs, wwids, lun }, at, errors) => {
    const targets = targetWWNs?.length ?? 0;
    const ids = wwids?.length ?? 0;
    if (targets === 0 && ids === 0) {
      errors.push(required(`${at}.targetWWNs`, "must specify either targetWWNs or wwids, but not both"));
    }
    if (targets > 0 && ids > 0) {
      const detail = "targetWWNs and wwids can not be specified simultaneously";
      errors.push(invalid(`${at}.targetWWNs`, targetWWNs, detail));
    }
    if (targets === 0) return;
    if (lun === undefined) errors.push(required(`${at}.lun`, "lun is required if targetWWNs is specified"));
    else checkLun(lun, at, errors);
  }),
  flexVolume: source("flexVolume", ({ driver, options }, at, errors, { names }) => {
    checkRequired(errors, `${at}.driver`, driver);
    for (const key in options) {
      const domain = `.${(key.split("/").length > 1 ? key.slice(0, key.indexOf("/")) : key).toLowerCase()}`;
      if (!domain.endsWith(`.${names.ownDomain}`) && !domain.endsWith(`.${names.ownShortDomain}`)) continue;
      errors.push(invalid(`${at}.options[${key}]`, key, names.ownDomainsReserved));
    }
  }),
  azureFile: source("azureFile", ({ secretName, shareName }, at, errors) => {
    checkRequired(errors, `${at}.secretName`, secretName);
    checkRequired(errors, `${at}.shareName`, shareName);
  }),
  azureDisk: source("azureDisk", checkAzureDisk),
  vsphereVolume: source("vsphereVolume", ({ volumePath }, at, errors) => {
    checkRequired(errors, `${at}.volumePath`, volumePath);
  }),
  photonPersistentDisk: source("photonPersistentDisk", ({ pdID }, at, errors) => {
    checkRequired(errors, `${at}.pdID`, pdID);
  }),
  portworxVolume: source("portworxVolume", ({ volumeID }, at, errors) => {
    checkRequired(errors, `${at}.volumeID`, volumeID);
  }),
  storageos: source("storageos", ({ volumeName, volumeNamespace, secretRef }, at, errors) => {
    checkRequiredName(errors, `${at}.volumeName`, volumeName, dns1123LabelProblems);
    if (volumeNamespace) {
      addProblems(errors, `${at}.volumeNamespace`, volumeNamespace, dns1123LabelProblems(volumeNamespace));
    }
    if (secretRef) checkRequired(errors, `${at}.secretRef.name`, secretRef.name);
  }),
  scaleIO: source("scaleIO", ({ gateway, system, volumeName }, at, errors) => {
    checkRequired(errors, `${at}.gateway`, gateway);
    checkRequired(errors, `${at}.system`, system);
    checkRequired(errors, `${at}.volumeName`, volumeName);
  }),
} satisfies Partial<Record<keyof VolumeSource, VendorCheck>>;

const MAX_BYTE = 255;

function checkPartition(partition: number | undefined, at: string, errors: FieldError[]): void {
  if (partition === undefined || (partition >= 0 && partition <= MAX_BYTE)) return;
  errors.push(invalid(`${at}.partition`, partition, rangeMessage(1, MAX_BYTE)));
}

function checkLun(lun: number, at: string, errors: FieldError[]): void {
  if (lun < 0 || lun > MAX_BYTE) errors.push(invalid(`${at}.lun`, lun, rangeMessage(0, MAX_BYTE)));
}

const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function checkIscsi(iscsi: ISCSIVolumeSource, at: string, errors: FieldError[]): void {
  checkRequired(errors, `${at}.targetPortal`, iscsi.targetPortal);
  if (iscsi.iqn === "") errors.push(required(`${at}.iqn`));
  else checkIscsiName(iscsi.iqn, `${at}.iqn`, errors);
  checkLun(iscsi.lun, at, errors);
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !iscsi.secretRef) errors.push(required(`${at}.secretRef`));
  if (iscsi.initiatorName !== undefined) checkIscsiName(iscsi.initiatorName, `${at}.initiatorname`, errors);
}

function checkIscsiName(name: string, field: string, errors: FieldError[]): void {
  const form = ISCSI_NAMES[name.slice(0, 3)];
  if (form === undefined) errors.push(invalid(field, name, "must be valid format starting with iqn, eui, or naa"));
  else if (!form.test(name)) errors.push(invalid(field, name, "must be valid format"));
}

const QUOBYTE_REGISTRY = "must be a host:port pair or multiple pairs separated by commas";
const MAX_TENANT_LENGTH = 64;

function checkQuobyte({ registry, tenant, volume }: QuobyteVolumeSource, at: string, errors: FieldError[]): void {
  if (registry === "") errors.push(required(`${at}.registry`, QUOBYTE_REGISTRY));
  else if (Buffer.byteLength(tenant ?? "") > MAX_TENANT_LENGTH) {
    errors.push(required(`${at}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    for (const pair of registry.split(",")) {
      if (!isHostPort(pair)) errors.push(invalid(`${at}.registry`, registry, QUOBYTE_REGISTRY));
    }
  }
  checkRequired(errors, `${at}.volume`, volume);
}

const isHostPort = (text: string): boolean => /^(?:\[[^[\]]*\]|[^[\]:]*):[^[\]:]*$/.test(text);

const AZURE_MANAGED = [
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
];
const AZURE_BLOB = ["https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"];

function checkAzureDisk(disk: AzureDiskVolumeSource, at: string, errors: FieldError[]): void {
  checkRequired(errors, `${at}.diskName`, disk.diskName);
  checkRequired(errors, `${at}.diskURI`, disk.diskURI);
  checkOptionalWord(errors, `${at}.cachingMode`, disk.cachingMode, ["None", "ReadOnly", "ReadWrite"]);
  checkOptionalWord(errors, `${at}.kind`, disk.kind, ["Dedicated", "Managed", "Shared"]);
  if (disk.kind === undefined) return;
  const [start, form] = disk.kind === "Managed" ? ["/subscriptions/", AZURE_MANAGED] : ["https://", AZURE_BLOB];
  if (!disk.diskURI.startsWith(start as string)) {
    errors.push(notSupported(`${at}.diskURI`, disk.diskURI, form as string[]));
  }
}
