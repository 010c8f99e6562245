// The environment of a container: names, and the places where values come from.

import { type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import {
  configMapKeyProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  envVarNameProblems,
  qualifiedNameProblems,
  relaxedEnvVarNameProblems,
} from "../../../meta/name-formats.ts";
import { formatQuantity, parseQuantity } from "../../../meta/quantity.ts";
import { addProblems, checkRequiredName } from "../../meta/value-checks.ts";
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "./env.ts";
import { checkNoBacksteps } from "./path-validation.ts";
import type { PodRules } from "./validation-rules.ts";

export function validateEnv(
  variables: readonly EnvVar[] | undefined,
  field: string,
  rules: PodRules,
  errors: FieldError[],
): void {
  if (variables === undefined) return;
  const problemsOf = namesOf(rules);
  for (let index = 0; index < variables.length; index += 1) {
    const { name, value, valueFrom } = variables[index]!;
    const at = `${field}[${index}]`;
    checkRequiredName(errors, `${at}.name`, name, problemsOf);
    if (valueFrom) checkValueFrom(valueFrom, value ?? "", `${at}.valueFrom`, rules, errors);
  }
}

export function validateEnvFrom(
  sources: readonly EnvFromSource[] | undefined,
  field: string,
  rules: PodRules,
  errors: FieldError[],
): void {
  (sources ?? []).forEach(({ prefix, configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`;
    if (prefix) addProblems(errors, `${at}.prefix`, prefix, namesOf(rules)(prefix));
    if (configMapRef) checkRequiredName(errors, `${at}.configMapRef.name`, configMapRef.name, dns1123SubdomainProblems);
    if (secretRef) checkRequiredName(errors, `${at}.secretRef.name`, secretRef.name, dns1123SubdomainProblems);
    if (!configMapRef && !secretRef)
      errors.push(invalid(field, "", "must specify one of: `configMapRef` or `secretRef`"));
    else if (configMapRef && secretRef)
      errors.push(invalid(field, "", "may not have more than one field specified at a time"));
  });
}

const namesOf = ({ gateEnabled }: PodRules) =>
  gateEnabled("RelaxedEnvironmentVariableValidation") ? relaxedEnvVarNameProblems : envVarNameProblems;

function checkValueFrom(from: EnvVarSource, value: string, at: string, rules: PodRules, errors: FieldError[]): void {
  let sources = 0;
  if (from.fieldRef) {
    sources += 1;
    checkFieldSelector(from.fieldRef, `${at}.fieldRef`, ENV_FIELDS, errors);
  }
  if (from.resourceFieldRef) {
    sources += 1;
    checkResourceSelector(from.resourceFieldRef, `${at}.resourceFieldRef`, false, errors);
  }
  for (const kind of ["configMapKeyRef", "secretKeyRef"] as const) {
    const selector = from[kind];
    if (!selector) continue;
    sources += 1;
    addProblems(errors, `${at}.${kind}.name`, selector.name ?? "", dns1123SubdomainProblems(selector.name ?? ""));
    checkRequiredName(errors, `${at}.${kind}.key`, selector.key, configMapKeyProblems);
  }
  if (from.fileKeyRef) {
    sources += 1;
    checkFileKey(from.fileKeyRef, `${at}.fileKeyRef`, errors);
  }
  if (sources === 0) {
    const kinds = rules.gateEnabled("EnvFiles")
      ? "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
      : "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    errors.push(invalid(at, "", `must specify one of: ${kinds}`));
  } else if (value !== "") {
    errors.push(invalid(at, "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    errors.push(invalid(at, "", "may not have more than one field specified at a time"));
  }
}

function checkFileKey({ key, volumeName, path }: FileKeySelector, at: string, errors: FieldError[]): void {
  checkRequiredName(errors, `${at}.key`, key, relaxedEnvVarNameProblems);
  checkRequiredName(errors, `${at}.volumeName`, volumeName, dns1123LabelProblems);
  if (path === "") errors.push(required(`${at}.path`));
  else checkNoBacksteps(errors, `${at}.path`, path);
}

const ENV_FIELDS: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

export const VOLUME_FIELDS: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

// Fields that can be named at all; not all of them can be used everywhere.
const NAMED_FIELDS = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

/** A field of the pod: `metadata.labels['key']`, `status.podIP`. */
export function checkFieldSelector(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  at: string,
  usable: readonly string[],
  errors: FieldError[],
): void {
  if (!apiVersion || fieldPath === "") {
    errors.push(required(apiVersion ? `${at}.fieldPath` : `${at}.apiVersion`));
    return;
  }
  const bad = (why: string) => {
    errors.push(invalid(`${at}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`));
  };
  if (apiVersion !== "v1") {
    bad(`unsupported pod version: ${apiVersion}`);
    return;
  }
  const open = fieldPath.indexOf("['");
  if (open > 0 && fieldPath.endsWith("']")) {
    const map = fieldPath.slice(0, open);
    const key = fieldPath.slice(open + 2, -2);
    if (map === "metadata.annotations") {
      addProblems(errors, at, key.toLowerCase(), qualifiedNameProblems(key.toLowerCase()));
    } else if (map === "metadata.labels") addProblems(errors, at, key, qualifiedNameProblems(key));
    else bad(`field label does not support subscript: ${fieldPath}`);
    return;
  }
  // The name of old clients.
  const path = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  if (!NAMED_FIELDS.has(path)) bad(`field label not supported: ${fieldPath}`);
  else if (!usable.includes(path)) errors.push(notSupported(`${at}.fieldPath`, path, usable));
}

const RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;
const CPU_DIVISORS = ["1m", "1"];
const SIZE_DIVISORS = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/** A resource of a container; in a volume the container must be named. */
export function checkResourceSelector(
  { containerName, resource, divisor }: ResourceFieldSelector,
  at: string,
  inVolume: boolean,
  errors: FieldError[],
): void {
  if (inVolume && !containerName) errors.push(required(`${at}.containerName`));
  else if (resource === "") errors.push(required(`${at}.resource`));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(notSupported(`${at}.resource`, resource, RESOURCES));
  }
  checkDivisor(resource, divisor, at, errors);
}

function checkDivisor(resource: string, divisor: string | undefined, at: string, errors: FieldError[]): void {
  const quantity = divisor === undefined ? undefined : parseQuantity(divisor);
  if (quantity === undefined || quantity.value === 0n) return;
  const text = formatQuantity(quantity);
  const bad = (detail: string) => errors.push(invalid(`${at}.divisor`, resource, detail));
  if (resource.endsWith(".cpu")) {
    if (!CPU_DIVISORS.includes(text)) bad("only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  const what = resource.endsWith(".memory")
    ? "memory"
    : resource.endsWith(".ephemeral-storage")
      ? "local ephemeral storage"
      : HUGE_PAGES.test(resource)
        ? "hugepages"
        : undefined;
  if (what === undefined || SIZE_DIVISORS.includes(text)) return;
  bad(`only divisor's values ${SIZE_DIVISORS.join(", ")} are supported with the ${what} resource`);
}
