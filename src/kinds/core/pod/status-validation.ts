// What a kubelet may report about a pod.

import { append } from "../../../base/append.ts";
import { indexBy } from "../../../base/index-by.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  internalFieldError,
  invalid,
  notSupported,
  required,
} from "../../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems, qualifiedNameProblems } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { HookContext } from "../../define-kind.ts";
import { addProblems, IMMUTABLE } from "../../meta/value-checks.ts";
import { readIp, validateLegacyIp } from "../../networking/ip-fields.ts";
import type { Container } from "./container.ts";
import { type ContainerStatus, containerUser } from "./container-status.ts";
import type { PodExtendedResourceClaimStatus } from "./resource-claim.ts";
import type { ResourceStatus } from "./resource-status.ts";
import type { Pod } from "./schema.ts";
import type { PodSpec } from "./spec.ts";
import { checkAnnotations } from "./update-validation.ts";
import { podRules } from "./validation-rules.ts";

export function validatePodStatus(pod: Pod, old: Pod, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  const { status, spec } = pod;
  checkAnnotations(pod, old, podRules(context, true, old), errors);
  checkConditions(status.conditions ?? [], errors);
  checkNominatedNode(pod, old, context, errors);
  if ((status.observedGeneration ?? 0) < 0) {
    errors.push(invalid("status.observedGeneration", status.observedGeneration, NOT_NEGATIVE));
  }
  if (status.qosClass !== old.status.qosClass)
    errors.push(invalid("status.qosClass", status.qosClass ?? "", IMMUTABLE));
  checkRestarts(pod, old, context, errors);
  checkClaimStatuses(pod, errors);
  checkExtendedClaims(status.extendedResourceClaimStatus, spec, errors);
  checkAddresses(pod, old, "podIPs", context, errors);
  if (status.hostIPs?.length) {
    const first = status.hostIPs[0]!.ip;
    if (first !== (status.hostIP ?? ""))
      errors.push(invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"));
    checkAddresses(pod, old, "hostIPs", context, errors);
  }
  for (const sort of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    const owners = indexBy(sort === "containerStatuses" ? spec.containers : spec.initContainers, ({ name }) => name);
    (status[sort] ?? []).forEach((container, index) => {
      checkUser(container, `status.${sort}[${index}].user`, spec.os?.name ?? "linux", errors);
      const field = `status.${sort}[${index}].allocatedResourcesStatus`;
      if (sort === "ephemeralContainerStatuses") {
        if (!container.allocatedResourcesStatus?.length) return;
        errors.push(forbiddenField(field, "must not be specified in container status"));
      } else {
        checkAllocated(container.allocatedResourcesStatus ?? [], owners.get(container.name), field, errors);
      }
    });
  }
  return errors;
}

const NOT_NEGATIVE = "must be a non-negative integer";
const OWN_CONDITIONS = new Set(["PodScheduled", "Ready", "Initialized"]);

function checkConditions(conditions: NonNullable<Pod["status"]["conditions"]>, errors: FieldError[]): void {
  conditions.forEach(({ type, observedGeneration = 0 }, index) => {
    const at = `status.conditions[${index}]`;
    if (observedGeneration < 0) errors.push(invalid(`${at}.observedGeneration`, observedGeneration, NOT_NEGATIVE));
    if (!OWN_CONDITIONS.has(type)) addProblems(errors, `${at}.Type`, type, qualifiedNameProblems(type));
  });
}

function checkNominatedNode({ status }: Pod, old: Pod, { gateEnabled }: HookContext, errors: FieldError[]): void {
  const name = status.nominatedNodeName;
  if (!name || name === old.status.nominatedNodeName) return;
  const field = "status.nominatedNodeName";
  addProblems(errors, field, name, dns1123SubdomainProblems(name));
  if (old.spec.nodeName && gateEnabled("ClearingNominatedNodeNameAfterBinding")) {
    errors.push(forbiddenField(field, "may not be set on pods that are already bound to a node"));
  }
}

const ENDED = "may not be transitioned to non-terminated state";

/** A container that has ended starts again only if something lets it. */
function checkRestarts(pod: Pod, old: Pod, { gateEnabled }: HookContext, errors: FieldError[]): void {
  const spec = old.spec;
  const check = (
    sort: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
    mayRestart: (name: string, exitCode: number) => boolean,
  ) => {
    const byName = indexBy(pod.status[sort], ({ name }) => name);
    (old.status[sort] ?? []).forEach(({ name, state }, index) => {
      if (state.terminated === undefined || mayRestart(name, state.terminated.exitCode)) return;
      const now = byName.get(name);
      if (now !== undefined && now.state.terminated === undefined) {
        errors.push(forbiddenField(`status.${sort}[${index}].state`, ENDED));
      }
    });
  };
  const byPolicy = (policy: string | undefined, exitCode: number) =>
    policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
  const containers = indexBy(spec.containers, ({ name }) => name);
  check("containerStatuses", (name, exitCode) => {
    const container = containers.get(name);
    const ruled = gateEnabled("ContainerRestartRules") && container !== undefined;
    return ruled ? restartsByRule(container, spec, exitCode) : byPolicy(spec.restartPolicy, exitCode);
  });
  const initContainers = indexBy(spec.initContainers, ({ name }) => name);
  check("initContainerStatuses", (name, exitCode) => {
    const container = initContainers.get(name);
    return byPolicy(spec.restartPolicy, exitCode) || container?.restartPolicy === "Always";
  });
  check("ephemeralContainerStatuses", () => false);
}

function restartsByRule(container: Container, spec: PodSpec, exitCode: number): boolean {
  for (const { exitCodes } of container.restartPolicyRules ?? []) {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes && (exitCodes.operator === "In") === listed) return true;
  }
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function checkClaimStatuses({ status, spec }: Pod, errors: FieldError[]): void {
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  (status.resourceClaimStatuses ?? []).forEach(({ name, resourceClaimName }, index) => {
    const field = `status.resourceClaimStatuses[${index}].name`;
    if (!claims.has(name)) {
      errors.push(invalid(field, name, "must match the name of an entry in `spec.resourceClaims`"));
    }
    if (seen.has(name)) errors.push(duplicate(field, name));
    seen.add(name);
    if (resourceClaimName === undefined) return;
    addProblems(errors, field, resourceClaimName, dns1123SubdomainProblems(resourceClaimName));
  });
}

function checkExtendedClaims(
  claim: PodExtendedResourceClaimStatus | undefined,
  spec: PodSpec,
  errors: FieldError[],
): void {
  if (claim === undefined) return;
  const at = "status.extendedResourceClaimStatus";
  const mappings = claim.requestMappings ?? [];
  if (mappings.length === 0) errors.push(required(`${at}.requestMappings`, "at least one request mapping is required"));
  const owners = indexBy([...(spec.containers ?? []), ...(spec.initContainers ?? [])], ({ name }) => name);
  const seen = new Set<string>();
  mappings.forEach(({ containerName, resourceName, requestName }, index) => {
    const place = `${at}.requestMappings[${index}]`;
    const owner = owners.get(containerName);
    if (owner === undefined) {
      const detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      errors.push(invalid(`${place}.containerName`, containerName, detail));
    } else if (!Object.hasOwn(owner.resources.requests ?? {}, resourceName)) {
      const detail =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      errors.push(invalid(`${place}.resourceName`, resourceName, detail));
    }
    addProblems(errors, `${at}.requestName`, requestName, dns1123LabelProblems(requestName));
    const key = `${containerName}/${resourceName}`;
    if (seen.has(key)) {
      errors.push(duplicate(`${place}.containerName`, containerName), duplicate(`${place}.resourceName`, resourceName));
    }
    seen.add(key);
  });
  const { resourceClaimName: name } = claim;
  if (name === "") errors.push(required(`${at}.resourceClaimName`));
  else addProblems(errors, `${at}.resourceClaimName`, name, dns1123SubdomainProblems(name));
}

function checkAddresses(
  { status }: Pod,
  old: Pod,
  list: "podIPs" | "hostIPs",
  context: HookContext,
  errors: FieldError[],
): void {
  const field = `status.${list}`;
  const addresses = (status[list] ?? []).map(({ ip }) => ip);
  const existing = new Set((old.status[list] ?? []).map(({ ip }) => ip));
  addresses.forEach((ip, index) => {
    append(errors, validateLegacyIp(ip, `${field}[${index}]`, context, existing));
  });
  if (addresses.length < 2) return;
  const families = addresses.map((ip) => readIp(ip)?.family);
  if (families.includes(undefined)) {
    const bad = addresses[families.indexOf(undefined)];
    const detail = `failed to check for dual stack with error:invalid IP[${families.indexOf(undefined)}]: ${bad}`;
    errors.push(internalFieldError(field, detail));
  }
  if (addresses.length === 2 && new Set(families).size === 2 && !families.includes(undefined)) return;
  const value = addresses.map((ip) => ({ IP: ip }));
  errors.push(invalid(field, value, "may specify no more than one IP for each IP family"));
}

function checkUser({ user }: ContainerStatus, at: string, os: string, errors: FieldError[]): void {
  if (user?.linux === undefined) return;
  if (os === "windows") errors.push(forbiddenField(`${at}.linux`, "cannot be set for a windows pod"));
  else checkFields(user, containerUser, at, errors);
}

const CLAIM = "claim:";
const HEALTHS = ["Healthy", "Unhealthy", "Unknown"];

function checkAllocated(
  statuses: readonly ResourceStatus[],
  owner: Container | undefined,
  field: string,
  errors: FieldError[],
): void {
  const claims = new Set((owner?.resources.claims ?? []).map(claimText));
  statuses.forEach(({ name, resources }, index) => {
    const at = `${field}[${index}]`;
    const asked = name.startsWith(CLAIM) ? claims.has(name) : Object.hasOwn(owner?.resources.requests ?? {}, name);
    if (owner !== undefined && !asked) {
      const detail = name.startsWith(CLAIM)
        ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
        : "must match one of the container's resource requests";
      errors.push(invalid(`${at}.name`, name, detail));
    }
    const seen = new Set<string>();
    (resources ?? []).forEach(({ resourceID, health = "" }, place) => {
      if (!HEALTHS.includes(health)) errors.push(notSupported(`${at}.resources[${place}].health`, health, HEALTHS));
      if (seen.has(resourceID)) errors.push(duplicate(`${at}.resources[${place}].resourceID`, resourceID));
      seen.add(resourceID);
    });
  });
}

const claimText = ({ name, request }: { name: string; request?: string | undefined }): string =>
  `${CLAIM}${name}${request ? `/${request}` : ""}`;
