// What differs between operating systems: options of Windows, and what a pod of one system may not set.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { allContainers } from "./containers.ts";
import type { PodSpec } from "./spec.ts";
import type { PodRules } from "./validation-rules.ts";

const SYSTEMS = ["linux", "windows"];

/** The system that a pod names, and what does not fit it. */
export function validateOs(spec: PodSpec, at: string, errors: FieldError[]): void {
  if (spec.os === undefined) return;
  const { name } = spec.os;
  if (name === "") errors.push(required(`${at}.os.name`));
  else if (!SYSTEMS.includes(name)) errors.push(notSupported(`${at}.os`, name, SYSTEMS));
  else if (name === "linux") checkLinux(spec, at, errors);
  else checkWindows(spec, at, errors);
}

/** Containers that run as processes of a Windows host: all of a pod or none. */
export function validateHostProcess(spec: PodSpec, at: string, rules: PodRules, errors: FieldError[]): void {
  const podWide = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = allContainers(spec);
  let count = 0;
  for (const { container, place } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (podWide !== undefined && own !== undefined && podWide !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${podWide}`;
      errors.push(invalid(`${at}.${place}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
    if (own ?? podWide) count += 1;
  }
  if (count === 0) return;
  if (count !== containers.length) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(invalid(at, "", detail));
  }
  if (!spec.hostNetwork) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(invalid(`${at}.hostNetwork`, false, detail));
  }
  if (!rules.context.allowPrivileged) {
    errors.push(forbiddenField(at, "hostProcess containers are disallowed by cluster policy"));
  }
}

function checkLinux(spec: PodSpec, at: string, errors: FieldError[]): void {
  const detail = "windows options cannot be set for a linux pod";
  if (spec.securityContext?.windowsOptions) {
    errors.push(forbiddenField(`${at}.securityContext.windowsOptions`, detail));
  }
  for (const { container, place } of allContainers(spec)) {
    if (!container.securityContext?.windowsOptions) continue;
    errors.push(forbiddenField(`${at}.${place}.securityContext.windowsOptions`, detail));
  }
}

const NOT_ON_WINDOWS = "cannot be set for a windows pod";
const POD_CONTEXT = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const POD_FIELDS = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"] as const;
const CONTAINER_CONTEXT = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

function checkWindows(spec: PodSpec, at: string, errors: FieldError[]): void {
  const deny = (field: string) => errors.push(forbiddenField(`${at}.${field}`, NOT_ON_WINDOWS));
  for (const key of POD_CONTEXT) if (spec.securityContext?.[key] !== undefined) deny(`securityContext.${key}`);
  for (const key of POD_FIELDS) if (spec[key] !== undefined) deny(key);
  for (const { container, place } of allContainers(spec)) {
    for (const key of CONTAINER_CONTEXT) {
      if (container.securityContext?.[key] !== undefined) deny(`${place}.securityContext.${key}`);
    }
  }
}
