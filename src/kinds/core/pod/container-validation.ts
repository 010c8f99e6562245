// Containers of every sort: what all of them must have, and what only init or ephemeral ones may not.

import type { Steps } from "../../../base/steps.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
} from "../../../meta/field-error.ts";
import { portNameProblems, portNumberProblems } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { addProblems, checkWord } from "../../meta/value-checks.ts";
import type { GoodVolumes } from "../volumes/volume.ts";
import {
  type Container,
  type ContainerPort,
  type ContainerResizePolicy,
  type ContainerRestartRule,
  container,
} from "./container.ts";
import { validateEnv, validateEnvFrom } from "./env-validation.ts";
import type { EphemeralContainer } from "./ephemeral-container.ts";
import { validateDevices, validateMounts } from "./mount-validation.ts";
import { validateProbes } from "./probe-validation.ts";
import { type ClaimNames, validateContainerResources } from "./resource-validation.ts";
import { validateSecurityContext } from "./security-validation.ts";
import type { PodSpec } from "./spec.ts";
import type { PodRules } from "./validation-rules.ts";

/** What the containers of one pod are judged with. */
interface ContainerScope {
  readonly spec: PodSpec;
  /** Path of the spec. */
  readonly at: string;
  readonly volumes: GoodVolumes;
  readonly claims: ClaimNames;
  readonly rules: PodRules;
  readonly errors: FieldError[];
}

const CONTAINERS_PER_STEP = 30;

export function* validateContainers(scope: ContainerScope): Steps<void> {
  const { spec, at, rules, errors } = scope;
  const containers = spec.containers ?? [];
  const field = `${at}.containers`;
  if (containers.length === 0) {
    errors.push(required(field));
    return;
  }
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    if (index % CONTAINERS_PER_STEP === CONTAINERS_PER_STEP - 1) yield;
    const place = `${field}[${index}]`;
    checkContainer(container, place, scope);
    if (names.has(container.name)) errors.push(duplicate(`${place}.name`, container.name));
    names.add(container.name);
    validateProbes(container, place, spec, rules, errors);
    if (allowsRestartRules(rules)) checkRestartRules(container, place, errors);
    else if (container.restartPolicy !== undefined) {
      errors.push(forbiddenField(`${place}.restartPolicy`, "may not be set for non-init containers"));
    }
  }
  checkHostPorts(containers, field, errors);
}

const WITHOUT_ALWAYS = "may not be set for init containers without restartPolicy=Always";
const RUNNING_ONLY = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

export function* validateInitContainers(scope: ContainerScope): Steps<void> {
  const { spec, at, rules, errors } = scope;
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    if (index % CONTAINERS_PER_STEP === CONTAINERS_PER_STEP - 1) yield;
    const place = `${at}.initContainers[${index}]`;
    checkContainer(container, place, scope);
    if (container.restartPolicy !== undefined) checkInitRestartPolicy(container, place, rules, errors);
    if (names.has(container.name)) errors.push(duplicate(`${place}.name`, container.name));
    else if (container.name !== "") names.add(container.name);
    checkHostPorts([container], `${at}.initContainers`, errors);
    if (container.restartPolicy === "Always") validateProbes(container, place, spec, rules, errors);
    else {
      for (const part of RUNNING_ONLY) {
        if (container[part] !== undefined) errors.push(forbiddenField(`${place}.${part}`, WITHOUT_ALWAYS));
      }
    }
  }
}

const EPHEMERAL_ONLY = "cannot be set for an Ephemeral Container";
// Everything else that a container has an ephemeral one may not.
const EPHEMERAL_FORBIDDEN = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

export function validateEphemeralContainers(scope: ContainerScope): void {
  const { spec, at, errors } = scope;
  const containers = spec.ephemeralContainers ?? [];
  if (containers.length === 0) return;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  containers.forEach((container, index) => {
    const place = `${at}.ephemeralContainers[${index}]`;
    checkContainer(container, place, scope);
    checkImageSpaces(container.image, `${place}.image`, errors);
    if (names.has(container.name)) errors.push(duplicate(`${place}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.push(notFound(`${place}.targetContainerName`, target));
    for (const part of EPHEMERAL_FORBIDDEN) {
      const value = container[part];
      if (value === undefined || (part === "resources" && Object.keys(value).length === 0)) continue;
      errors.push(forbiddenField(`${place}.${part}`, EPHEMERAL_ONLY));
    }
    (container.volumeMounts ?? []).forEach(({ subPath, subPathExpr }, mount) => {
      if (subPath) errors.push(forbiddenField(`${place}.volumeMounts[${mount}].subPath`, EPHEMERAL_ONLY));
      if (subPathExpr) errors.push(forbiddenField(`${place}.volumeMounts[${mount}].subPathExpr`, EPHEMERAL_ONLY));
    });
  });
}

/** Only for pods: templates of old have been accepted with such images. */
export function checkImageSpaces(image: string | undefined, field: string, errors: FieldError[]): void {
  if (image === undefined || image === image.trim()) return;
  errors.push(invalid(field, image, "must not have leading or trailing whitespace"));
}

function checkContainer(given: Container | EphemeralContainer, place: string, scope: ContainerScope): void {
  const { spec, volumes, claims, rules, errors } = scope;
  checkFields(given, container, place, errors, ["name", "image", "terminationMessagePolicy"]);
  if (given.ports) checkPorts(given.ports, `${place}.ports`, errors);
  validateEnv(given.env, `${place}.env`, rules, errors);
  validateEnvFrom(given.envFrom, `${place}.envFrom`, rules, errors);
  validateMounts(given, `${place}.volumeMounts`, volumes, errors);
  validateDevices(given, `${place}.volumeDevices`, volumes, errors);
  checkFields(given, container, place, errors, ["imagePullPolicy"]);
  validateContainerResources(given.resources, `${place}.resources`, claims, rules, errors);
  if (given.resizePolicy) checkResizePolicies(given.resizePolicy, `${place}.resizePolicy`, spec, errors);
  const { securityContext } = given;
  if (securityContext) {
    validateSecurityContext(securityContext, `${place}.securityContext`, spec.hostUsers !== false, rules, errors);
  }
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function checkPorts(ports: readonly ContainerPort[], field: string, errors: FieldError[]): void {
  const names = new Set<string>();
  ports.forEach(({ name, containerPort, hostPort, protocol }, index) => {
    const at = `${field}[${index}]`;
    if (name) {
      const problems = portNameProblems(name);
      addProblems(errors, `${at}.name`, name, problems);
      if (problems.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      if (problems.length === 0) names.add(name);
    }
    if (!containerPort) errors.push(required(`${at}.containerPort`));
    else addProblems(errors, `${at}.containerPort`, containerPort, portNumberProblems(containerPort));
    if (hostPort) addProblems(errors, `${at}.hostPort`, hostPort, portNumberProblems(hostPort));
    checkWord(errors, `${at}.protocol`, protocol, PROTOCOLS);
  });
}

function checkHostPorts(containers: readonly Container[], field: string, errors: FieldError[]): void {
  let taken: Set<string> | undefined;
  containers.forEach((container, index) => {
    (container.ports ?? []).forEach(({ protocol, hostIP = "", hostPort }, port) => {
      if (!hostPort) return;
      taken ??= new Set();
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) errors.push(duplicate(`${field}[${index}].ports[${port}].hostPort`, key));
      taken.add(key);
    });
  });
}

const RESIZE_RESOURCES = ["cpu", "memory"];
const RESIZE_POLICIES = ["NotRequired", "RestartContainer"];

function checkResizePolicies(
  policies: readonly ContainerResizePolicy[],
  field: string,
  spec: PodSpec,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  policies.forEach(({ resourceName, restartPolicy }, index) => {
    if (seen.has(resourceName)) errors.push(duplicate(`${field}[${index}]`, resourceName));
    seen.add(resourceName);
    checkWord(errors, field, resourceName, RESIZE_RESOURCES);
    checkWord(errors, field, restartPolicy, RESIZE_POLICIES);
    if (spec.restartPolicy !== "Never" || restartPolicy === "NotRequired") return;
    errors.push(invalid(field, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
  });
}

const allowsRestartRules = ({ gateEnabled, forgiven }: PodRules): boolean =>
  gateEnabled("ContainerRestartRules") || forgiven.restartRules;

function checkInitRestartPolicy(container: Container, place: string, rules: PodRules, errors: FieldError[]): void {
  const policy = container.restartPolicy ?? "";
  if (!allowsRestartRules(rules)) {
    if (policy !== "Always") errors.push(notSupported(`${place}.restartPolicy`, policy, ["Always"]));
  } else if (policy !== "Always") {
    checkRestartRules(container, place, errors);
  } else if (container.restartPolicyRules?.length) {
    const detail = "restartPolicyRules are not allowed for init containers with restart policy Always";
    errors.push(forbiddenField(`${place}.restartPolicyRules`, detail));
  }
}

const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const MAX_RESTART_RULES = 20;
const MAX_EXIT_CODES = 255;

function checkRestartRules(
  { restartPolicy, restartPolicyRules }: Container,
  place: string,
  errors: FieldError[],
): void {
  const rules = restartPolicyRules ?? [];
  if (restartPolicy === undefined) {
    if (rules.length === 0) return;
    errors.push(required(`${place}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  } else if (!RESTART_POLICIES.includes(restartPolicy)) {
    errors.push(notSupported(`${place}.restartPolicy`, restartPolicy, RESTART_POLICIES));
  }
  if (rules.length > MAX_RESTART_RULES) errors.push(tooLong(`${place}.restartPolicyRules`, MAX_RESTART_RULES));
  rules.forEach((rule, index) => {
    checkRestartRule(rule, `${place}.restartPolicyRules[${index}]`, errors);
  });
}

function checkRestartRule({ action, exitCodes }: ContainerRestartRule, at: string, errors: FieldError[]): void {
  if (action !== "Restart") errors.push(notSupported(`${at}.action`, action ?? "", ["Restart"]));
  if (exitCodes === undefined) {
    errors.push(required(`${at}.exitCodes`, "must be specified"));
    return;
  }
  const operator = exitCodes.operator ?? "";
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(notSupported(`${at}.exitCodes.operator`, operator, ["In", "NotIn"]));
  }
  if ((exitCodes.values?.length ?? 0) > MAX_EXIT_CODES) {
    errors.push(tooLong(`${at}.exitCodes.values`, MAX_EXIT_CODES));
  }
}
