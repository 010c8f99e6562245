// Where the data of a persistent volume is: exactly one place, described as its system wants it.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import type { HookContext } from "../../define-kind.ts";
import { addProblems, checkRequired, checkRequiredName } from "../../meta/value-checks.ts";
import type { SecretReference } from "../object-reference.ts";
import { checkNoBacksteps } from "../pod/path-validation.ts";
import { podRules } from "../pod/validation-rules.ts";
import { checkSecretName, checkVendorSource } from "../pod/vendor-volume-validation.ts";
import { HOST_PATH_TYPES } from "../pod/volume-validation.ts";
import type { CSIPersistentVolumeSource } from "../volumes/driver-volumes.ts";
import type { VolumeSource } from "../volumes/volume.ts";
import { type PersistentVolumeSource, persistentVolumeSource } from "./source.ts";

/** How many sources are given; the second and every further one is an error. */
export function checkVolumeSources(
  sources: PersistentVolumeSource,
  at: string,
  context: HookContext,
  errors: FieldError[],
): number {
  let count = 0;
  for (const [key, check] of CHECKS) {
    if (!sources[key]) continue;
    // Upstream counts drivers of flexVolume, and takes them beside another source.
    if (++count > 1 && key !== "flexVolume") {
      // Upstream spells this one differently here.
      const field = key === "cephfs" ? "cephFS" : key;
      errors.push(forbiddenField(`${at}.${field}`, "may not specify more than 1 volume type"));
    } else check(sources, at, context, errors);
  }
  return count;
}

type SourceCheck = (sources: PersistentVolumeSource, at: string, context: HookContext, errors: FieldError[]) => void;

type Entry = readonly [keyof PersistentVolumeSource, SourceCheck];

function source<K extends keyof PersistentVolumeSource>(
  key: K,
  check: (source: NonNullable<PersistentVolumeSource[K]>, at: string, errors: FieldError[]) => void,
): Entry {
  return [
    key,
    (sources, at, _context, errors) => {
      const place = `${at}.${key}`;
      checkFields(sources[key]!, structOf(key), place, errors);
      check(sources[key]!, place, errors);
    },
  ];
}

const structOf = (key: keyof PersistentVolumeSource) => persistentVolumeSource.fields.get(key)!.schema as StructSchema;

/** A source that pods describe in the same way, and what is asked of it here beyond that. */
function asInPods<K extends keyof PersistentVolumeSource & keyof VolumeSource>(
  key: K,
  more?: (source: NonNullable<PersistentVolumeSource[K]>, at: string, errors: FieldError[]) => void,
): Entry {
  return [
    key,
    (sources, at, context, errors) => {
      const source = sources[key]!;
      // The two differ in the references to secrets.
      const inPods = source as unknown as NonNullable<VolumeSource[K]>;
      checkVendorSource(key, inPods, structOf(key), at, errors, podRules(context, false));
      more?.(source, `${at}.${key}`, errors);
    },
  ];
}

// In the order in which upstream looks for them.
const CHECKS: readonly Entry[] = [
  source("hostPath", ({ path, type }, at, errors) => {
    if (path === "") {
      errors.push(required(`${at}.path`));
      return;
    }
    checkNoBacksteps(errors, `${at}.path`, path);
    if (type !== undefined && !HOST_PATH_TYPES.includes(type)) {
      errors.push(notSupported(`${at}.type`, type, HOST_PATH_TYPES));
    }
  }),
  asInPods("gcePersistentDisk"),
  asInPods("awsElasticBlockStore"),
  asInPods("glusterfs", ({ endpointsNamespace: namespace }, at, errors) => {
    if (namespace === undefined) return;
    const field = `${at}.endpointsNamespace`;
    const detail = "if the endpointnamespace is set, it must be a valid namespace name";
    if (namespace === "") errors.push(invalid(field, namespace, detail));
    addProblems(errors, field, namespace, dns1123LabelProblems(namespace));
  }),
  asInPods("flocker"),
  source("nfs", ({ path }, at, errors) => {
    if (!path.startsWith("/")) errors.push(invalid(`${at}.path`, path, "must be an absolute path"));
  }),
  asInPods("rbd"),
  asInPods("quobyte"),
  asInPods("cephfs"),
  asInPods("iscsi", checkSecretName),
  source("cinder", ({ secretRef }, at, errors) => {
    if (secretRef) checkSecretParts(secretRef, `${at}.secretRef`, errors);
  }),
  asInPods("fc"),
  asInPods("flexVolume"),
  asInPods("azureFile", ({ secretNamespace }, at, errors) => {
    if (secretNamespace === "") errors.push(required(`${at}.secretNamespace`));
  }),
  asInPods("vsphereVolume"),
  asInPods("photonPersistentDisk"),
  asInPods("portworxVolume"),
  asInPods("azureDisk"),
  asInPods("scaleIO"),
  source("local", ({ path }, at, errors) => {
    if (path === "") errors.push(required(`${at}.path`));
    else checkNoBacksteps(errors, `${at}.path`, path);
  }),
  source("storageos", ({ secretRef }, at, errors) => {
    if (secretRef) checkSecretParts(secretRef, `${at}.secretRef`, errors);
  }),
  source("csi", checkCsi),
];

function checkCsi(csi: CSIPersistentVolumeSource, at: string, errors: FieldError[]): void {
  const secrets = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const;
  for (const key of secrets) {
    const secret = csi[key];
    if (!secret) continue;
    checkRequiredName(errors, `${at}.${key}.name`, secret.name, dns1123SubdomainProblems);
    checkRequiredName(errors, `${at}.${key}.namespace`, secret.namespace, dns1123LabelProblems);
  }
}

function checkSecretParts({ name, namespace }: SecretReference, at: string, errors: FieldError[]): void {
  checkRequired(errors, `${at}.name`, name);
  checkRequired(errors, `${at}.namespace`, namespace);
}
