// Annotations of pods and templates that mean something: profiles of old, tolerations of old, the cost of deletion.

import { isObject } from "../../../base/json.ts";
import { type FieldError, forbiddenField, invalid } from "../../../meta/field-error.ts";
import { validateTolerations } from "./affinity-validation.ts";
import { allContainers } from "./containers.ts";
import { isBadDeletionCost } from "./faults.ts";
import { checkDescendingPath } from "./path-validation.ts";
import type { AppArmorProfile, SeccompProfile } from "./security-context.ts";
import type { PodSpec } from "./spec.ts";
import type { Toleration } from "./toleration.ts";
import type { PodRules } from "./validation-rules.ts";

type Annotations = Readonly<Record<string, string>>;

export function validatePodAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  field: string,
  rules: PodRules,
  errors: FieldError[],
): void {
  if (annotations === undefined) return;
  const { names } = rules;
  let containers: ReadonlySet<string> | undefined;
  for (const key in annotations) {
    const value = annotations[key]!;
    if (key === names.mirrorPodAnnotation && !spec.nodeName) {
      errors.push(invalid(`${field}[${key}]`, value, "must set spec.nodeName if mirror pod annotation is set"));
    } else if (key === names.tolerationsAnnotation && value !== "") {
      checkTolerations(value, key, field, errors);
    } else if (key === names.podDeletionCostAnnotation) {
      const bad = isBadDeletionCost(value) && !rules.forgiven.deletionCost && rules.gateEnabled("PodDeletionCost");
      if (bad) errors.push(invalid(`${field}[${key}]`, value, "must be a 32bit integer"));
    } else if (key === names.seccompPodAnnotation || key.startsWith(names.seccompContainerPrefix)) {
      checkSeccompText(value, `${field}.${key}`, errors);
    } else if (key.startsWith(names.appArmorContainerPrefix)) {
      containers ??= new Set(allContainers(spec).map(({ container }) => container.name));
      const name = key.slice(names.appArmorContainerPrefix.length);
      if (!containers.has(name)) errors.push(invalid(`${field}[${key}]`, name, "container not found"));
      checkAppArmorText(value, `${field}[${key}]`, errors);
    }
  }
}

/** Annotations that stay as they are for the life of a pod. */
export function validatePodAnnotationUpdate(
  annotations: Annotations = {},
  old: Annotations = {},
  field: string,
  { names }: PodRules,
  errors: FieldError[],
): void {
  const guarded = (key: string): string | undefined => {
    if (key.startsWith(names.appArmorContainerPrefix)) return "AppArmor annotations";
    return key === names.mirrorPodAnnotation ? "mirror pod annotation" : undefined;
  };
  for (const key in old) {
    const what = guarded(key);
    if (what === undefined || (Object.hasOwn(annotations, key) && annotations[key] === old[key])) continue;
    errors.push(forbiddenField(`${field}[${key}]`, `may not remove or update ${what}`));
  }
  for (const key in annotations) {
    const what = guarded(key);
    if (what === undefined || Object.hasOwn(old, key)) continue;
    errors.push(forbiddenField(`${field}[${key}]`, `may not add ${what}`));
  }
}

/** A profile that is said twice, in a field and in an annotation, is said the same way. */
export function validateProfilesMatch(
  annotations: Annotations | undefined,
  spec: PodSpec,
  at: string,
  { names }: PodRules,
  errors: FieldError[],
): void {
  if (annotations === undefined) return;
  const said = (key: string) => (Object.hasOwn(annotations, key) ? annotations[key] : undefined);
  const podSeccomp = spec.securityContext?.seccompProfile;
  const podText = said(names.seccompPodAnnotation);
  const match = (
    text: string | undefined,
    profile: SeccompProfile | AppArmorProfile | undefined,
    field: string,
    kind: string,
  ) => {
    if (text !== undefined && profile !== undefined) checkMatch(text, profile, field, kind, errors);
  };
  match(podText, podSeccomp, `${at}.securityContext.seccompProfile`, "seccomp");
  for (const { container, place } of allContainers(spec)) {
    const own = container.securityContext;
    const field = `${at}.${place}.securityContext`;
    match(
      said(names.seccompContainerPrefix + container.name),
      own?.seccompProfile,
      `${field}.seccompProfile`,
      "seccomp",
    );
    if (spec.os?.name === "windows") continue;
    const appArmor = own?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    match(said(names.appArmorContainerPrefix + container.name), appArmor, `${field}.appArmorProfile`, "apparmor");
  }
}

const LOCALHOST = "localhost/";
const RUNTIME_DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  seccomp: ["runtime/default", "docker/default"],
  apparmor: ["runtime/default"],
};

function checkMatch(
  text: string,
  { type, localhostProfile }: SeccompProfile | AppArmorProfile,
  field: string,
  kind: string,
  errors: FieldError[],
): void {
  const differs = () => errors.push(forbiddenField(`${field}.type`, `${kind} type in annotation and field must match`));
  if (type === "Unconfined") {
    if (text !== "unconfined") differs();
  } else if (type === "RuntimeDefault") {
    if (!RUNTIME_DEFAULTS[kind]?.includes(text)) differs();
  } else if (type === "Localhost") {
    if (!text.startsWith(LOCALHOST)) differs();
    else if (text.slice(LOCALHOST.length) !== localhostProfile) {
      const detail = `${kind} profile in annotation and field must match`;
      errors.push(forbiddenField(`${field}.localhostProfile`, detail));
    }
  }
}

function checkSeccompText(text: string, field: string, errors: FieldError[]): void {
  if (text === "runtime/default" || text === "docker/default" || text === "unconfined") return;
  if (text.startsWith(LOCALHOST)) checkDescendingPath(errors, field, text.slice(LOCALHOST.length));
  else errors.push(invalid(field, text, "must be a valid seccomp profile"));
}

function checkAppArmorText(text: string, field: string, errors: FieldError[]): void {
  if (text === "" || text === "runtime/default" || text === "unconfined" || text.startsWith(LOCALHOST)) return;
  errors.push(invalid(field, text, `invalid AppArmor profile name: ${JSON.stringify(text)}`));
}

function checkTolerations(text: string, key: string, field: string, errors: FieldError[]): void {
  let tolerations: unknown;
  try {
    tolerations = JSON.parse(text);
  } catch {
    errors.push(invalid(field, key, "must be a JSON list of tolerations"));
    return;
  }
  if (!Array.isArray(tolerations) || !tolerations.every(isObject)) {
    errors.push(invalid(field, key, "must be a JSON list of tolerations"));
    return;
  }
  validateTolerations(tolerations.map(readToleration), `${field}.${key}`, errors);
}

function readToleration(value: Record<string, unknown>): Toleration {
  const words = ["key", "operator", "value", "effect"].filter((name) => typeof value[name] === "string");
  const read: Record<string, unknown> = Object.fromEntries(words.map((name) => [name, value[name]]));
  if (typeof value["tolerationSeconds"] === "number") read["tolerationSeconds"] = value["tolerationSeconds"];
  return read as Toleration;
}
