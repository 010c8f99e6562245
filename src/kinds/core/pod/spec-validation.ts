// What a pod shall be, in pods and in templates of pods: everything but the containers, and the order of it all.

import { append } from "../../../base/append.ts";
import type { Steps } from "../../../base/steps.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notFound,
  required,
  WHOLE_OBJECT,
} from "../../../meta/field-error.ts";
import { validateLabels } from "../../../meta/metadata-validation.ts";
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  dns1123SubdomainWithUnderscoreProblems,
  qualifiedNameProblems,
} from "../../../meta/name-formats.ts";
import type { ObjectMeta } from "../../../meta/object.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { internalForm } from "../../meta/internal-form.ts";
import { addProblems, checkWord } from "../../meta/value-checks.ts";
import { validateLegacyIp } from "../../networking/ip-fields.ts";
import type { Volume } from "../volumes/volume.ts";
import { validateAffinity, validateSpreadConstraints, validateTolerations } from "./affinity-validation.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./container-validation.ts";
import { allContainers } from "./containers.ts";
import type { PodDNSConfig } from "./dns.ts";
import { type PodResourceClaim, podResourceClaim } from "./resource-claim.ts";
import { ClaimNames, NO_CLAIMS, validateContainerResources, validatePodResources } from "./resource-validation.ts";
import { validatePodSecurityContext } from "./security-validation.ts";
import { type PodSpec, podSpec } from "./spec.ts";
import type { PodRules } from "./validation-rules.ts";
import { validateVolumes } from "./volume-validation.ts";
import { validateHostProcess, validateOs } from "./windows-validation.ts";

/** `podMeta` is that of a pod; templates have none of their own. In steps where there are many containers. */
export function* validatePodSpec(
  spec: PodSpec,
  podMeta: ObjectMeta | undefined,
  at: string,
  rules: PodRules,
  errors: FieldError[],
): Steps<void> {
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(`${at}.terminationGracePeriodSeconds`));
  const volumes = validateVolumes(spec.volumes ?? [], `${at}.volumes`, podMeta, rules, errors);
  const claims = spec.resourceClaims
    ? checkResourceClaims(spec.resourceClaims, `${at}.resourceClaims`, podMeta, rules, errors)
    : NO_CLAIMS;
  const scope = { spec, at, volumes, claims, rules, errors };
  yield* validateContainers(scope);
  yield* validateInitContainers(scope);
  validateEphemeralContainers(scope);
  yield;
  validatePodResources(spec, `${at}.resources`, claims, rules, errors);
  if (spec.hostNetwork) checkHostNetwork(spec, at, rules, errors);
  checkFields(spec, podSpec, at, errors, ["restartPolicy", "dnsPolicy"]);
  if (spec.nodeSelector) append(errors, validateLabels(spec.nodeSelector, `${at}.nodeSelector`));
  validatePodSecurityContext(spec, `${at}.securityContext`, rules, errors);
  if (spec.affinity) yield* validateAffinity(spec.affinity, `${at}.affinity`, rules, errors);
  checkDnsConfig(spec.dnsConfig, spec.dnsPolicy, `${at}.dnsConfig`, rules, errors);
  checkGates(spec, at, errors);
  if (spec.topologySpreadConstraints) {
    yield* validateSpreadConstraints(spec.topologySpreadConstraints, `${at}.topologySpreadConstraints`, rules, errors);
  }
  yield;
  validateHostProcess(spec, at, rules, errors);
  if (spec.hostUsers === false) checkUserNamespace(spec, at, rules, errors);
  checkHostname(spec, at, errors);
  checkFields(spec, podSpec, at, errors, NAMES_AND_DEADLINE);
  if (spec.tolerations) validateTolerations(spec.tolerations, `${at}.tolerations`, errors);
  checkHostAliases(spec, `${at}.hostAliases`, rules, errors);
  if (spec.preemptionPolicy !== undefined) {
    checkWord(errors, `${at}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
  if (spec.overhead) validateContainerResources({ limits: spec.overhead }, `${at}.overhead`, NO_CLAIMS, rules, errors);
  validateOs(spec, at, errors);
  checkFileKeyVolumes(spec, at, errors);
}

const NAMES_AND_DEADLINE = [
  "serviceAccountName",
  "nodeName",
  "priorityClassName",
  "hostname",
  "subdomain",
  "runtimeClassName",
  "activeDeadlineSeconds",
] as const;

function checkResourceClaims(
  claims: readonly PodResourceClaim[],
  field: string,
  podMeta: ObjectMeta | undefined,
  { names }: PodRules,
  errors: FieldError[],
): ClaimNames {
  const known = new ClaimNames();
  claims.forEach((claim, index) => {
    const at = `${field}[${index}]`;
    if (podMeta?.annotations && Object.hasOwn(podMeta.annotations, names.mirrorPodAnnotation)) {
      errors.push(forbiddenField(WHOLE_OBJECT, "static pods do not support resource claims"));
      return;
    }
    const { name, resourceClaimName: one, resourceClaimTemplateName: template } = claim;
    if (name === "") errors.push(required(`${at}.name`));
    else if (known.has(name)) errors.push(duplicate(`${at}.name`, name));
    else {
      addProblems(errors, `${at}.name`, name, dns1123LabelProblems(name));
      known.add(name);
    }
    const bad = (detail: string) => errors.push(invalid(at, internalForm(claim, podResourceClaim), detail));
    if (one !== undefined && template !== undefined) {
      bad("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    } else if (one === undefined && template === undefined) {
      bad("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    if (one !== undefined) addProblems(errors, `${at}.resourceClaimName`, one, dns1123SubdomainProblems(one));
    if (template !== undefined) {
      addProblems(errors, `${at}.resourceClaimTemplateName`, template, dns1123SubdomainProblems(template));
    }
  });
  return known;
}

function checkHostNetwork(spec: PodSpec, at: string, { isPod }: PodRules, errors: FieldError[]): void {
  (spec.containers ?? []).forEach(({ ports }, container) => {
    (ports ?? []).forEach(({ hostPort = 0, containerPort }, index) => {
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) return;
      const field = `${at}.containers[${container}].ports[${index}].hostPort`;
      errors.push(invalid(field, hostPort, "must match `containerPort` when `hostNetwork` is true"));
    });
  });
}

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LENGTH = 2048;

function checkDnsConfig(
  config: PodDNSConfig | undefined,
  policy: string | undefined,
  at: string,
  rules: PodRules,
  errors: FieldError[],
): void {
  const nameservers = config?.nameservers ?? [];
  if (policy === "None") {
    if (config === undefined) {
      errors.push(required(at, "must provide `dnsConfig` when `dnsPolicy` is None"));
      return;
    }
    if (nameservers.length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      errors.push(required(`${at}.nameservers`, detail));
      return;
    }
  }
  if (config === undefined) return;
  if (nameservers.length > MAX_NAMESERVERS) {
    errors.push(invalid(`${at}.nameservers`, nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  nameservers.forEach((server, index) => {
    append(errors, validateLegacyIp(server, `${at}.nameservers[${index}]`, rules.context));
  });
  const searches = config.searches ?? [];
  const tooMany = (detail: string) =>
    errors.push(invalid(`${at}.searches`, searches, `must not have more than ${detail}`));
  if (searches.length > MAX_SEARCHES) tooMany(`${MAX_SEARCHES} search paths`);
  if (Buffer.byteLength(searches.join(" ")) > MAX_SEARCH_LENGTH) {
    tooMany(`${MAX_SEARCH_LENGTH} characters (including spaces) in the search list`);
  }
  const relaxed = rules.gateEnabled("RelaxedDNSSearchValidation");
  searches.forEach((search, index) => {
    if (relaxed && search === ".") return;
    const name = search.endsWith(".") ? search.slice(0, -1) : search;
    const problems = relaxed ? dns1123SubdomainWithUnderscoreProblems(name) : dns1123SubdomainProblems(name);
    addProblems(errors, `${at}.searches[${index}]`, name, problems);
  });
  (config.options ?? []).forEach(({ name }, index) => {
    if (!name) errors.push(required(`${at}.options[${index}]`, "must not be empty"));
  });
}

function checkGates(spec: PodSpec, at: string, errors: FieldError[]): void {
  checkFields(spec, podSpec, at, errors, ["readinessGates"]);
  const seen = new Set<string>();
  (spec.schedulingGates ?? []).forEach(({ name }, index) => {
    const field = `${at}.schedulingGates[${index}]`;
    addProblems(errors, field, name, qualifiedNameProblems(name));
    if (seen.has(name)) errors.push(duplicate(field, name));
    seen.add(name);
  });
}

function checkUserNamespace(spec: PodSpec, at: string, { forgiven }: PodRules, errors: FieldError[]): void {
  const deny = (field: string) => errors.push(forbiddenField(`${at}.${field}`, "when `hostUsers` is false"));
  if (spec.hostNetwork) deny("hostNetwork");
  if (spec.hostPID) deny("HostPID");
  if (spec.hostIPC) deny("HostIPC");
  if (forgiven.devicesInUserNamespace) return;
  for (const { container, place } of allContainers(spec)) {
    if (container.volumeDevices?.length) deny(`${place}.volumeDevices`);
  }
}

function checkHostname(spec: PodSpec, at: string, errors: FieldError[]): void {
  if (spec.hostnameOverride === undefined) return;
  const deny = (why: string) =>
    errors.push(forbiddenField(`${at}.hostnameOverride`, `may not be specified when ${why} is true`));
  if (spec.setHostnameAsFQDN) deny("setHostnameAsFQDN");
  if (spec.hostNetwork) deny("hostNetwork");
  checkFields(spec, podSpec, at, errors, ["hostnameOverride"]);
}

function checkHostAliases({ hostAliases }: PodSpec, field: string, rules: PodRules, errors: FieldError[]): void {
  (hostAliases ?? []).forEach(({ ip, hostnames }, index) => {
    append(errors, validateLegacyIp(ip, `${field}[${index}].ip`, rules.context));
    (hostnames ?? []).forEach((hostname, place) => {
      addProblems(errors, `${field}[${index}].hostnames[${place}]`, hostname, dns1123SubdomainProblems(hostname));
    });
  });
}

/** Values that come from files need a volume that containers can write them to. */
function checkFileKeyVolumes(spec: PodSpec, at: string, errors: FieldError[]): void {
  let volumes: ReadonlyMap<string, Volume> | undefined;
  for (const { container, place } of allContainers(spec)) {
    container.env?.forEach(({ valueFrom }, index) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) return;
      const field = `${at}.${place}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      volumes ??= new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
      const volume = volumes.get(name);
      if (volume === undefined) errors.push(notFound(field, name));
      else if (!volume.emptyDir) errors.push(invalid(field, name, "referenced volume must be of type emptyDir"));
    });
  }
}
