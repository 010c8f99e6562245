// With which rights pods and containers run.

import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../meta/field-error.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { internalForm } from "../../meta/internal-form.ts";
import { checkOptionalWord } from "../../meta/value-checks.ts";
import { checkDescendingPath } from "./path-validation.ts";
import {
  type AppArmorProfile,
  podSecurityContext,
  type SeccompProfile,
  type SecurityContext,
  seccompProfile,
  securityContext,
} from "./security-context.ts";
import type { PodSpec } from "./spec.ts";
import { hostSysctlProblem, isSysctlName, SYSCTL_PROBLEM } from "./sysctls.ts";
import type { PodRules } from "./validation-rules.ts";

/** `hostUsers`: the pod shares the users of its node. */
export function validateSecurityContext(
  context: SecurityContext,
  at: string,
  hostUsers: boolean,
  rules: PodRules,
  errors: FieldError[],
): void {
  if (context.privileged && !rules.context.allowPrivileged) {
    errors.push(forbiddenField(`${at}.privileged`, "disallowed by cluster policy"));
  }
  const { procMount } = context;
  checkFields(context, securityContext, at, errors, ["runAsUser", "runAsGroup", "procMount"]);
  if (hostUsers && procMount === "Unmasked") {
    errors.push(invalid(`${at}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`"));
  }
  checkSeccomp(context.seccompProfile, `${at}.seccompProfile`, errors);
  if (context.allowPrivilegeEscalation === false) {
    const bad = (what: string) => {
      const detail = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
      errors.push(invalid(at, internalForm(context, securityContext), detail));
    };
    if (context.privileged) bad("`privileged` to true");
    for (const capability of context.capabilities?.add ?? []) {
      if (capability === "CAP_SYS_ADMIN") bad("`capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  checkFields(context, securityContext, at, errors, ["windowsOptions"]);
  checkAppArmor(context.appArmorProfile, `${at}.appArmorProfile`, errors);
}

export function validatePodSecurityContext(spec: PodSpec, at: string, rules: PodRules, errors: FieldError[]): void {
  const context = spec.securityContext;
  if (context === undefined) return;
  const check = (...keys: (keyof typeof context)[]) => checkFields(context, podSecurityContext, at, errors, keys);
  check("fsGroup", "runAsUser", "runAsGroup", "supplementalGroups");
  if (spec.shareProcessNamespace && spec.hostPID) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(invalid(`${at}.shareProcessNamespace`, true, detail));
  }
  checkSysctls(spec, `${at}.sysctls`, rules, errors);
  check("fsGroupChangePolicy");
  checkSeccomp(context.seccompProfile, `${at}.seccompProfile`, errors);
  check("windowsOptions");
  checkAppArmor(context.appArmorProfile, `${at}.appArmorProfile`, errors);
  check("supplementalGroupsPolicy");
  const anyChange = rules.gateEnabled("SELinuxMount") || rules.forgiven.seLinuxChangePolicy;
  const changes = anyChange ? ["MountOption", "Recursive"] : ["Recursive"];
  checkOptionalWord(errors, `${at}.seLinuxChangePolicy`, context.seLinuxChangePolicy, changes);
}

function checkSysctls(spec: PodSpec, field: string, rules: PodRules, errors: FieldError[]): void {
  const names = new Set<string>();
  (spec.securityContext?.sysctls ?? []).forEach(({ name }, index) => {
    const at = `${field}[${index}].name`;
    if (name === "") errors.push(required(at));
    else if (!isSysctlName(name)) errors.push(invalid(at, name, SYSCTL_PROBLEM));
    else if (names.has(name)) errors.push(duplicate(at, name));
    const problem = hostSysctlProblem(name, spec);
    if (problem !== undefined && !rules.forgiven.hostSysctls) errors.push(invalid(at, name, problem));
    names.add(name);
  });
}

const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];

function checkSeccomp(profile: SeccompProfile | undefined, at: string, errors: FieldError[]): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  checkFields(profile, seccompProfile, at, errors);
  if (type === "Localhost") {
    if (localhostProfile === undefined) {
      errors.push(required(`${at}.localhostProfile`, "must be set when seccomp type is Localhost"));
    } else checkDescendingPath(errors, `${at}.localhostProfile`, localhostProfile);
  } else if (localhostProfile !== undefined) {
    const value = { Type: type, LocalhostProfile: localhostProfile };
    errors.push(invalid(`${at}.localhostProfile`, value, "can only be set when seccomp type is Localhost"));
  }
}

const MAX_PROFILE_LENGTH = 4095;

export function checkAppArmor(profile: AppArmorProfile | undefined, at: string, errors: FieldError[]): void {
  if (profile === undefined) return;
  const type: string = profile.type;
  const { localhostProfile: path } = profile;
  const field = `${at}.localhostProfile`;
  if (type === "") errors.push(required(`${at}.type`, "type is required when appArmorProfile is set"));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(`${at}.type`, type, PROFILE_TYPES));
  else if (type !== "Localhost") {
    if (path !== undefined) errors.push(invalid(field, path, "can only be set when AppArmor type is Localhost"));
  } else if (path === undefined || path === "") {
    errors.push(required(field, "must be set when AppArmor type is Localhost"));
  } else {
    if (path.trim() !== path) errors.push(invalid(field, path, "must not be padded with whitespace"));
    if (Buffer.byteLength(path) > MAX_PROFILE_LENGTH) errors.push(tooLong(field, MAX_PROFILE_LENGTH));
  }
}
