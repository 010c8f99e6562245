// The volumes of a pod. Each has one source; what each source must say is here for the platform's own kinds of sources.

import { append } from "../../../base/append.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import type { ObjectMeta } from "../../../meta/object.ts";
import { parseQuantity, quantitySign } from "../../../meta/quantity.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import { addProblems, checkRequired, checkRequiredName, checkWord } from "../../meta/value-checks.ts";
import { validateClaimTemplate } from "../persistent-volume-claim/template-validation.ts";
import type { CSIVolumeSource } from "../volumes/driver-volumes.ts";
import type { KeyToPath } from "../volumes/file-volumes.ts";
import { type GoodVolumes, type Volume, type VolumeSource, volumeSource } from "../volumes/volume.ts";
import { checkDescendingPath, checkFileMode, checkKeyToPath, checkNoBacksteps } from "./path-validation.ts";
import { checkDownwardFile, checkProjectedVolume } from "./projected-volume-validation.ts";
import type { PodRules } from "./validation-rules.ts";
import { checkVendorSource } from "./vendor-volume-validation.ts";

export function validateVolumes(
  volumes: readonly Volume[],
  field: string,
  podMeta: ObjectMeta | undefined,
  rules: PodRules,
  errors: FieldError[],
): GoodVolumes {
  const good = new Map<string, VolumeSource>();
  const podName = podMeta?.name ?? "";
  // Claims that the pod's ephemeral volumes will make.
  const madeClaims = new Set<string>();
  for (const volume of volumes) if (podName !== "" && volume.ephemeral) madeClaims.add(`${podName}-${volume.name}`);
  volumes.forEach((volume, index) => {
    const at = `${field}[${index}]`;
    const before = errors.length;
    checkSource(volume, at, podName, rules, errors);
    checkRequiredName(errors, `${at}.name`, volume.name, dns1123LabelProblems);
    if (good.has(volume.name)) errors.push(duplicate(`${at}.name`, volume.name));
    if (errors.length === before) good.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && madeClaims.has(claim)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      errors.push(invalid(`${at}.persistentVolumeClaim.claimName`, claim, detail));
    }
  });
  return good;
}

function checkSource(volume: Volume, at: string, podName: string, rules: PodRules, errors: FieldError[]): void {
  const sources = sourcesOf(volume);
  sources.forEach(({ key, sayAs, check }, index) => {
    if (index === 0) check({ volume, at, podName, rules, errors });
    else errors.push(forbiddenField(`${at}.${sayAs ?? key}`, "may not specify more than 1 volume type"));
  });
  const { iscsi } = volume;
  if (iscsi?.initiatorName !== undefined && Buffer.byteLength(`${volume.name}:${iscsi.targetPortal}`) > 64) {
    const detail =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    errors.push(invalid(`${at}.name`, volume.name, detail));
  }
  if (sources.length === 0) errors.push(required(at, "must specify a volume type"));
}

/** Nearly always one; several in the order in which upstream looks. */
function sourcesOf(volume: Volume): SourceCheck[] {
  const sources: SourceCheck[] = [];
  for (const key in volume) {
    const source = SOURCE_OF.get(key);
    if (source !== undefined && volume[source.key] !== undefined) sources.push(source);
  }
  return sources.length < 2 ? sources : SOURCES.filter((source) => sources.includes(source));
}

interface Visit {
  readonly volume: Volume;
  readonly at: string;
  readonly podName: string;
  readonly rules: PodRules;
  readonly errors: FieldError[];
}

interface SourceCheck {
  readonly key: keyof VolumeSource;
  /** The name in messages, where upstream's differs. */
  readonly sayAs?: string;
  readonly check: (visit: Visit) => void;
}

/** A check that needs the source alone. */
function source<K extends keyof VolumeSource>(
  key: K,
  check: (source: NonNullable<VolumeSource[K]>, at: string, errors: FieldError[], rules: PodRules) => void,
  sayAs?: string,
): SourceCheck {
  return {
    key,
    ...(sayAs === undefined ? {} : { sayAs }),
    check({ volume, at, errors, rules }) {
      const place = `${at}.${key}`;
      checkFields(volume[key]!, structOf(key), place, errors);
      check(volume[key]!, place, errors, rules);
    },
  };
}

const vendor = (key: keyof VolumeSource, sayAs?: string): SourceCheck => ({
  key,
  ...(sayAs === undefined ? {} : { sayAs }),
  check: ({ volume, at, errors, rules }) => checkVendorSource(key, volume[key]!, structOf(key), at, errors, rules),
});

const structOf = (key: keyof VolumeSource) => volumeSource.fields.get(key)!.schema as StructSchema;

export const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

// In the order in which upstream looks: the first one counts, the others are one too many.
const SOURCES: readonly SourceCheck[] = [
  source("emptyDir", ({ sizeLimit }, at, errors) => {
    const limit = sizeLimit === undefined ? undefined : parseQuantity(sizeLimit);
    if (limit !== undefined && quantitySign(limit) < 0) {
      errors.push(forbiddenField(`${at}.sizeLimit`, "SizeLimit field must be a valid resource quantity"));
    }
  }),
  source("hostPath", ({ path, type }, at, errors) => {
    if (path === "") return errors.push(required(`${at}.path`));
    checkNoBacksteps(errors, `${at}.path`, path);
    if (type !== undefined && !HOST_PATH_TYPES.includes(type)) {
      errors.push(notSupported(`${at}.type`, type, HOST_PATH_TYPES));
    }
  }),
  source("gitRepo", ({ directory }, at, errors) => {
    checkDescendingPath(errors, `${at}.directory`, directory ?? "");
  }),
  vendor("gcePersistentDisk"),
  vendor("awsElasticBlockStore"),
  source("secret", ({ defaultMode, items }, at, errors) => checkFiles(items, defaultMode, at, errors)),
  source("nfs", ({ path }, at, errors) => {
    if (!path.startsWith("/")) errors.push(invalid(`${at}.path`, path, "must be an absolute path"));
  }),
  vendor("iscsi"),
  vendor("glusterfs"),
  vendor("flocker"),
  vendor("persistentVolumeClaim"),
  vendor("rbd"),
  vendor("cinder"),
  vendor("cephfs", "cephFS"),
  vendor("quobyte"),
  source(
    "downwardAPI",
    ({ defaultMode, items }, at, errors) => {
      checkFileMode(errors, `${at}.defaultMode`, defaultMode);
      for (const file of items ?? []) checkDownwardFile(file, at, errors);
    },
    "downwarAPI",
  ),
  vendor("fc"),
  vendor("flexVolume"),
  source("configMap", ({ name, defaultMode, items }, at, errors) => {
    checkRequired(errors, `${at}.name`, name);
    checkFiles(items, defaultMode, at, errors);
  }),
  vendor("azureFile"),
  vendor("vsphereVolume"),
  vendor("photonPersistentDisk"),
  vendor("portworxVolume"),
  vendor("azureDisk"),
  vendor("storageos"),
  source("projected", checkProjectedVolume),
  vendor("scaleIO"),
  source("csi", checkCsi),
  { key: "ephemeral", check: checkEphemeral },
  source("image", ({ reference, pullPolicy }, at, errors, { isPod }) => {
    if (isPod) checkRequired(errors, `${at}.reference`, reference);
    checkWord(errors, `${at}.pullPolicy`, pullPolicy, ["Always", "IfNotPresent", "Never"]);
  }),
];

const SOURCE_OF: ReadonlyMap<string, SourceCheck> = new Map(SOURCES.map((source) => [source.key, source]));

function checkFiles(
  items: readonly KeyToPath[] | undefined,
  defaultMode: number | undefined,
  at: string,
  errors: FieldError[],
): void {
  checkFileMode(errors, `${at}.defaultMode`, defaultMode);
  (items ?? []).forEach((item, index) => {
    checkKeyToPath(item, `${at}.items[${index}]`, errors);
  });
}

const MAX_DRIVER_LENGTH = 63;

function checkCsi({ driver, nodePublishSecretRef }: CSIVolumeSource, at: string, errors: FieldError[]): void {
  checkRequired(errors, `${at}.driver`, driver);
  if (Buffer.byteLength(driver) > MAX_DRIVER_LENGTH) errors.push(tooLong(`${at}.driver`, MAX_DRIVER_LENGTH));
  addProblems(errors, `${at}.driver`, driver, dns1123SubdomainProblems(driver.toLowerCase()));
  if (nodePublishSecretRef === undefined) return;
  const { name } = nodePublishSecretRef;
  if (!name) errors.push(required(`${at}.nodePublishSecretRef.name`));
  else addProblems(errors, `${at}.name`, name, dns1123SubdomainProblems(name));
}

function checkEphemeral({ volume, at, podName, errors }: Visit): void {
  const template = volume.ephemeral?.volumeClaimTemplate;
  const field = `${at}.ephemeral.volumeClaimTemplate`;
  if (template === undefined) errors.push(required(field));
  else append(errors, validateClaimTemplate(template, field));
  if (podName === "" || volume.name === "") return;
  const claim = `${podName}-${volume.name}`;
  for (const problem of dns1123SubdomainProblems(claim)) {
    errors.push(invalid(`${at}.name`, volume.name, `PVC name ${JSON.stringify(claim)}: ${problem}`));
  }
}
