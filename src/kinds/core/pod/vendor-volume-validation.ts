// What the volumes of single storage systems must say.

import { type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { rangeMessage } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import { addProblems, checkRequired } from "../../meta/value-checks.ts";
import type { AzureDiskVolumeSource } from "../volumes/cloud-volumes.ts";
import { type ISCSIVolumeSource, iscsiNameProblems } from "../volumes/network-volumes.ts";
import type { QuobyteVolumeSource } from "../volumes/vendor-volumes.ts";
import type { VolumeSource } from "../volumes/volume.ts";
import type { PodRules } from "./validation-rules.ts";

/** A source that is given: what is asked of its single fields, then what they must say together. */
export function checkVendorSource<K extends keyof VolumeSource>(
  key: K,
  source: NonNullable<VolumeSource[K]>,
  struct: StructSchema,
  at: string,
  errors: FieldError[],
  rules: PodRules,
): void {
  // Upstream calls one of them so in its messages.
  const field = `${at}.${key === "gcePersistentDisk" ? "persistentDisk" : key}`;
  checkFields(source, struct, field, errors);
  TOGETHER[key]?.(source, field, errors, rules);
}

type Together = {
  readonly [K in keyof VolumeSource]?: (
    source: NonNullable<VolumeSource[K]>,
    at: string,
    errors: FieldError[],
    rules: PodRules,
  ) => void;
};

const TOGETHER: Together = {
  gcePersistentDisk: checkPartition,
  awsElasticBlockStore: checkPartition,
  iscsi: checkIscsi,
  flocker: ({ datasetName = "", datasetUUID = "" }, at, errors) => {
    if (!datasetName && !datasetUUID) errors.push(required(at, "one of datasetName and datasetUUID is required"));
    if (datasetName && datasetUUID) {
      errors.push(invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
    }
    if (datasetName.includes("/")) errors.push(invalid(`${at}.datasetName`, datasetName, "must not contain '/'"));
  },
  cinder: checkSecretName,
  quobyte: checkQuobyte,
  fc: ({ targetWWNs, wwids, lun }, at, errors) => {
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
    else if (lun < 0 || lun > MAX_BYTE) errors.push(invalid(`${at}.lun`, lun, rangeMessage(0, MAX_BYTE)));
  },
  flexVolume: ({ options }, at, errors, { names }) => {
    for (const key in options) {
      const domain = `.${key.split("/", 1)[0]!.toLowerCase()}`;
      if (!domain.endsWith(`.${names.ownDomain}`) && !domain.endsWith(`.${names.ownShortDomain}`)) continue;
      errors.push(invalid(`${at}.options[${key}]`, key, names.ownDomainsReserved));
    }
  },
  azureDisk: checkAzureDisk,
  storageos: checkSecretName,
};

const MAX_BYTE = 255;

function checkPartition({ partition }: { readonly partition?: number }, at: string, errors: FieldError[]): void {
  if (partition === undefined || (partition >= 0 && partition <= MAX_BYTE)) return;
  errors.push(invalid(`${at}.partition`, partition, rangeMessage(1, MAX_BYTE)));
}

export function checkSecretName(
  { secretRef }: { readonly secretRef?: { readonly name?: string } },
  at: string,
  errors: FieldError[],
): void {
  if (secretRef) checkRequired(errors, `${at}.secretRef.name`, secretRef.name);
}

function checkIscsi(iscsi: ISCSIVolumeSource, at: string, errors: FieldError[]): void {
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !iscsi.secretRef) errors.push(required(`${at}.secretRef`));
  const { initiatorName } = iscsi;
  if (initiatorName === undefined) return;
  addProblems(errors, `${at}.initiatorname`, initiatorName, iscsiNameProblems(initiatorName));
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
  if (disk.kind === undefined) return;
  const [start, form] = disk.kind === "Managed" ? ["/subscriptions/", AZURE_MANAGED] : ["https://", AZURE_BLOB];
  if (!disk.diskURI.startsWith(start as string)) {
    errors.push(notSupported(`${at}.diskURI`, disk.diskURI, form as string[]));
  }
}
