// What a pod or template says that works, but should not be said so.

import { append } from "../../../base/append.ts";
import { dns1123LabelProblems, labelValueProblems } from "../../../meta/name-formats.ts";
import type { Names } from "../../../meta/names.ts";
import type { HookContext } from "../../define-kind.ts";
import { ipWarnings } from "../../networking/ip-fields.ts";
import type { NodeSelectorTerm } from "../node-selector.ts";
import { warnClaimSpec } from "../persistent-volume-claim/spec-validation.ts";
import type { VolumeSource } from "../volumes/volume.ts";
import type { PodAffinity } from "./affinity.ts";
import { annotationWarnings } from "./app-armor-annotations.ts";
import { allContainers, type PlacedContainer } from "./containers.ts";
import type { EnvVar } from "./env.ts";
import { warnPorts } from "./port-warnings.ts";
import { isWhole } from "./resource-names.ts";
import type { Pod } from "./schema.ts";
import type { PodSpec } from "./spec.ts";
import type { PodTemplateSpec } from "./template-schema.ts";
import { overlappingPaths } from "./volume-overlap.ts";

/** Pods are updated by controllers and node agents, and whoever labels one has not written what is in it. */
export function warnPod(pod: Pod, old: Pod | undefined, context: HookContext): string[] {
  if (old !== undefined) return [];
  return [
    ...warnName(pod.metadata.name ?? "", dns1123LabelProblems, "the Pod's hostname"),
    ...annotationWarnings(pod),
    ...warn(pod, "", context),
  ];
}

export const warnPodTemplate = (template: PodTemplateSpec, at: string, context: HookContext): string[] =>
  warn(template, at, context);

/** Names that become parts of host names should be labels. */
export function warnName(
  name: string,
  problemsOf: (name: string) => string[],
  use = "Pod names and hostnames",
): string[] {
  const problems = problemsOf(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}

function warn({ metadata, spec }: Pick<Pod, "metadata" | "spec">, place: string, context: HookContext): string[] {
  const { names } = context;
  const at = place === "" ? "" : `${place}.`;
  const warnings: string[] = [];
  warnPlacement(spec, `${at}spec`, names, warnings);
  const { annotations } = metadata;
  if (annotations) warnAnnotations(annotations, spec, at, place !== "", names, warnings);
  warnVolumes(spec, `${at}spec.volumes`, context, warnings);
  warnLists(spec, `${at}spec`, warnings);
  const containers = allContainers(spec);
  for (const placed of containers) warnContainer(placed, `${at}spec.${placed.place}`, warnings);
  warnPorts(containers, `${at}spec`, warnings);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const detail = "must be >= 0; negative values are invalid and will be treated as 1";
    warnings.push(`${at}spec.terminationGracePeriodSeconds: ${detail}`);
  }
  warnPodAffinity(spec.affinity?.podAffinity, `${at}spec.affinity.podAffinity`, warnings);
  warnPodAffinity(spec.affinity?.podAntiAffinity, `${at}spec.affinity.podAntiAffinity`, warnings);
  (spec.dnsConfig?.nameservers ?? []).forEach((server, index) => {
    append(warnings, ipWarnings(server, `${at}spec.dnsConfig.nameservers[${index}]`, context));
  });
  (spec.hostAliases ?? []).forEach(({ ip }, index) => {
    append(warnings, ipWarnings(ip, `${at}spec.hostAliases[${index}].ip`, context));
  });
  return warnings;
}

/** What to use instead of a label of nodes that is going away. */
export function deprecatedLabel(key: string, names: Names): string | undefined {
  switch (key) {
    case names.betaArchLabel:
      return `deprecated since v1.14; use "${names.archLabel}" instead`;
    case names.betaOsLabel:
      return `deprecated since v1.14; use "${names.osLabel}" instead`;
    case names.betaRegionLabel:
      return `deprecated since v1.17; use "${names.regionLabel}" instead`;
    case names.betaZoneLabel:
      return `deprecated since v1.17; use "${names.zoneLabel}" instead`;
    case names.betaInstanceTypeLabel:
      return `deprecated since v1.17; use "${names.instanceTypeLabel}" instead`;
    case names.createdByLabel:
      return "deprecated since v1.9";
    case names.preferAvoidPodsAnnotation:
      return "deprecated since v1.22; use Taints and Tolerations instead";
    case `${names.nodeRolePrefix}master`:
      return `use "${names.nodeRolePrefix}control-plane" instead`;
    default:
      return undefined;
  }
}

const NO_SELECTOR = "a null labelSelector results in matching no pod";

function warnPlacement(spec: PodSpec, at: string, names: Names, warnings: string[]): void {
  for (const key in spec.nodeSelector) {
    const message = deprecatedLabel(key, names);
    if (message !== undefined) warnings.push(`${at}.nodeSelector[${key}]: ${message}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const field = `${at}.affinity.nodeAffinity`;
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  terms.forEach((term, index) => {
    const place = `${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`;
    warnTerm(term, place, false, names, warnings);
  });
  (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach(({ preference }, index) => {
    const place = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`;
    warnTerm(preference, place, true, names, warnings);
  });
  (spec.topologySpreadConstraints ?? []).forEach(({ topologyKey, labelSelector }, index) => {
    const place = `${at}.topologySpreadConstraints[${index}]`;
    const message = deprecatedLabel(topologyKey, names);
    if (message !== undefined) warnings.push(`${place}.topologyKey: ${topologyKey} is ${message}`);
    if (labelSelector === undefined) warnings.push(`${place}.labelSelector: ${NO_SELECTOR}`);
  });
}

function warnTerm(term: NodeSelectorTerm, at: string, values: boolean, names: Names, warnings: string[]): void {
  (term.matchExpressions ?? []).forEach((expression, index) => {
    const place = `${at}.matchExpressions[${index}]`;
    const message = deprecatedLabel(expression.key, names);
    if (message !== undefined) warnings.push(`${place}.key: ${expression.key} is ${message}`);
    if (!values) return;
    (expression.values ?? []).forEach((value, position) => {
      for (const problem of labelValueProblems(value)) {
        warnings.push(`${place}.values[${position}]: ${value} is invalid, ${problem}`);
      }
    });
  });
}

function warnPodAffinity(affinity: PodAffinity | undefined, at: string, warnings: string[]): void {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  required.forEach(({ labelSelector }, index) => {
    if (labelSelector !== undefined) return;
    warnings.push(`${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${NO_SELECTOR}`);
  });
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  preferred.forEach(({ podAffinityTerm }, index) => {
    if (podAffinityTerm.labelSelector !== undefined) return;
    const place = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.labelSelector`;
    warnings.push(`${place}: ${NO_SELECTOR}`);
  });
}

const USE_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function warnAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  at: string,
  isTemplate: boolean,
  names: Names,
  warnings: string[],
): void {
  const say = (key: string, detail: string) => {
    if (Object.hasOwn(annotations, key)) warnings.push(`${at}metadata.annotations[${key}]: ${detail}`);
  };
  say(names.criticalPodAnnotation, 'non-functional in v1.16+; use the "priorityClassName" field instead');
  say(names.sysctlsAnnotation, 'non-functional in v1.11+; use the "sysctls" field instead');
  say(names.unsafeSysctlsAnnotation, 'non-functional in v1.11+; use the "sysctls" field instead');
  const podContext = spec.securityContext;
  if (podContext?.seccompProfile === undefined) say(names.seccompPodAnnotation, USE_SECCOMP);
  for (const { container } of allContainers(spec)) {
    const own = container.securityContext;
    if (own?.seccompProfile === undefined) say(names.seccompContainerPrefix + container.name, USE_SECCOMP);
    // Of a pod itself the profile becomes a field when it is written.
    if (isTemplate && own?.appArmorProfile === undefined && podContext?.appArmorProfile === undefined) {
      say(
        names.appArmorContainerPrefix + container.name,
        'deprecated since v1.30; use the "appArmorProfile" field instead',
      );
    }
  }
}

const OLD_VOLUMES: readonly (readonly [keyof VolumeSource, string, string?])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function warnVolumes({ volumes = [] }: PodSpec, field: string, { gateEnabled }: HookContext, warnings: string[]): void {
  volumes.forEach((volume, index) => {
    const at = `${field}[${index}]`;
    if (volume.gitRepo) {
      const disabled = gateEnabled("GitRepoVolumeDriver") ? "" : ", and disabled by default in v1.33+";
      warnings.push(`${at}.gitRepo: deprecated in v1.11${disabled}`);
    }
    for (const [key, message, name = key] of OLD_VOLUMES) {
      if (volume[key] !== undefined) warnings.push(`${at}.${name}: ${message}`);
    }
    const claim = volume.ephemeral?.volumeClaimTemplate;
    if (claim) append(warnings, warnClaimSpec(claim.spec, `${at}.ephemeral.volumeClaimTemplate.spec`));
  });
  append(warnings, overlappingPaths(volumes));
}

/** An answer has no room for more of them; of a very long list each entry may bring two. */
const MAX_SHOWN = 4_096;

function warnLists(spec: PodSpec, at: string, warnings: string[]): void {
  const repeated = (values: readonly string[], say: (index: number, value: string) => void) => {
    const seen = new Set<string>();
    values.forEach((value, index) => {
      if (seen.has(value) && warnings.length < MAX_SHOWN) say(index, value);
      seen.add(value);
    });
  };
  const addresses = (spec.hostAliases ?? []).map(({ ip }) => ip);
  repeated(addresses, (index, ip) =>
    warnings.push(`${at}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`),
  );
  const secrets = (spec.imagePullSecrets ?? []).map(({ name }) => name ?? "");
  const field = `${at}.imagePullSecrets`;
  repeated(secrets, (index, name) => warnings.push(`${field}[${index}].name: duplicate name ${JSON.stringify(name)}`));
  secrets.forEach((name, index) => {
    if (name === "" && warnings.length < MAX_SHOWN) warnings.push(`${field}[${index}].name: invalid empty name ""`);
  });
  for (const resource of ["memory", "ephemeral-storage"]) {
    warnFraction(spec.overhead, resource, `${at}.overhead`, warnings);
  }
}

function warnContainer({ container }: PlacedContainer, at: string, warnings: string[]): void {
  for (const resource of ["memory", "ephemeral-storage"]) {
    for (const part of ["limits", "requests"] as const) {
      warnFraction(container.resources[part], resource, `${at}.resources.${part}`, warnings);
    }
  }
  if ((container.env?.length ?? 0) > 1) warnHidden(container.env!, `${at}.env`, warnings);
}

function warnFraction(
  list: Readonly<Record<string, string>> | undefined,
  resource: string,
  field: string,
  warnings: string[],
): void {
  const amount = list?.[resource];
  if (amount === undefined || isWhole(amount)) return;
  warnings.push(
    `${field}[${resource}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
  );
}

/** A variable may be said again to add to itself: PATH=$(PATH):/more. */
function warnHidden(variables: readonly EnvVar[], field: string, warnings: string[]): void {
  const seen = new Set<string>();
  variables.forEach(({ name, value = "", valueFrom }, index) => {
    const reference = `$(${name})`;
    const adds = valueFrom === undefined && value !== reference && value.includes(reference);
    if (seen.has(name) && !adds) {
      const detail = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
      warnings.push(`${field}[${index}]: ${detail}`);
    }
    seen.add(name);
  });
}
