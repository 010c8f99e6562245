// What a Service must look like. Requirements: document 3, "Service", "Errors", "Limits".

import { append } from "../../../base/append.ts";
import { equalJson } from "../../../base/json.ts";
import { flatMapInSteps, Pace, type Steps } from "../../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import {
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  portNumberProblems,
  qualifiedNameProblems,
} from "../../../meta/name-formats.ts";
import type { HookContext } from "../../define-kind.ts";
import { validateEndpointIp, validateLegacyCidr, validateLegacyIp } from "../../networking/ip-fields.ts";
import { validateClusterAddresses } from "./address-validation.ts";
import { HEADLESS, isHeadless, isReachedFromOutside, needsHealthCheckPort } from "./needs.ts";
import { validatePortNumbers, validateServicePorts } from "./port-validation.ts";
import type { Service, ServiceSpec } from "./schema.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const POLICIES = ["Cluster", "Local"];
const MAX_AFFINITY_SECONDS = 86_400;

/** So many addresses or ranges are judged in one step. */
export const ADDRESSES_PER_STEP = 250;

/** `old` is the stored object on an update: what it has already is not judged again. */
export function* validateService(
  service: Service,
  old: Service | undefined,
  context: HookContext,
): Steps<FieldError[]> {
  const { spec } = service;
  const errors = [
    ...validateTopologyAnnotations(service, context),
    ...validateType(service),
    ...validateServicePorts(service),
    ...validateSelector(spec.selector ?? {}),
    ...validateAffinity(spec),
    ...validateClusterAddresses(service, old, context),
  ];
  append(errors, yield* validateExternalIps(service, old, context));
  append(errors, validatePortNumbers(service, typesWithoutNodePorts(old, context)));
  append(errors, yield* validateLoadBalancer(service, old, context));
  if (old === undefined) append(errors, validateLoadBalancerClass(spec));
  append(errors, validateTrafficPolicies(spec));
  append(errors, validateTrafficDistribution(spec, old?.spec, context));
  return errors;
}

/** The document has a new Service fail that names a port which it does not need; upstream lets ExternalName have them. */
function typesWithoutNodePorts(old: Service | undefined, { names }: HookContext): readonly string[] {
  return old === undefined && names.dialect === "platform" ? ["ClusterIP", "ExternalName"] : ["ClusterIP"];
}

function validateType(service: Service): FieldError[] {
  const { spec } = service;
  const errors: FieldError[] = [];
  if ((spec.ports ?? []).length === 0 && !isHeadless(service) && spec.type !== "ExternalName") {
    errors.push(required("spec.ports"));
  }
  switch (spec.type) {
    case "NodePort":
    case "LoadBalancer":
      if (isHeadless(service)) {
        errors.push(invalid("spec.clusterIPs[0]", HEADLESS, `may not be set to 'None' for ${spec.type} services`));
      }
      break;
    case "ExternalName":
      append(errors, validateExternalName(spec));
      break;
  }
  if ((spec.type ?? "") === "") errors.push(required("spec.type"));
  else if (!TYPES.includes(spec.type!)) errors.push(notSupported("spec.type", spec.type, TYPES));
  return errors;
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const unwanted = "may not be set for ExternalName services";
  if ((spec.clusterIPs ?? []).length > 0) errors.push(forbiddenField("spec.clusterIPs", unwanted));
  if ((spec.ipFamilies ?? []).length > 0) errors.push(forbiddenField("spec.ipFamilies", unwanted));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbiddenField("spec.ipFamilyPolicy", unwanted));
  const given = spec.externalName ?? "";
  const name = given.endsWith(".") ? given.slice(0, -1) : given;
  if (name === "") errors.push(required("spec.externalName"));
  else for (const problem of dns1123SubdomainProblems(name)) errors.push(invalid("spec.externalName", name, problem));
  return errors;
}

function validateSelector(selector: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(selector).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalid("spec.selector", key, problem)),
    ...labelValueProblems(value).map((problem) => invalid("spec.selector", value, problem)),
  ]);
}

function validateAffinity(spec: ServiceSpec): FieldError[] {
  const field = "spec.sessionAffinityConfig";
  switch (spec.sessionAffinity ?? "") {
    case "":
      return [required("spec.sessionAffinity")];
    case "None":
      return spec.sessionAffinityConfig ? [forbiddenField(field, "must not be set when session affinity is None")] : [];
    case "ClientIP": {
      const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
      const why = "when session affinity type is ClientIP";
      if (!spec.sessionAffinityConfig) return [required(field, why)];
      if (!spec.sessionAffinityConfig.clientIP) return [required(`${field}.clientIP`, why)];
      if (seconds === undefined) return [required(`${field}.clientIP.timeoutSeconds`, why)];
      if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
      return [
        invalid(
          `${field}.clientIP.timeoutSeconds`,
          seconds,
          `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`,
        ),
      ];
    }
    default:
      return [notSupported("spec.sessionAffinity", spec.sessionAffinity, ["ClientIP", "None"])];
  }
}

function* validateExternalIps({ spec }: Service, old: Service | undefined, context: HookContext): Steps<FieldError[]> {
  const existing = new Set(old?.spec.externalIPs);
  return yield* flatMapInSteps(spec.externalIPs ?? [], new Pace(ADDRESSES_PER_STEP), (ip, index) => {
    const field = `spec.externalIPs[${index}]`;
    const wrong = validateLegacyIp(ip, field, context, existing);
    return wrong.length > 0 ? wrong : validateEndpointIp(ip, field);
  });
}

const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";

function* validateLoadBalancer(service: Service, old: Service | undefined, context: HookContext): Steps<FieldError[]> {
  const { spec, metadata } = service;
  const errors: FieldError[] = [];
  const isLoadBalancer = spec.type === "LoadBalancer";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  // Upstream writes this one field with a capital.
  const field = "spec.LoadBalancerSourceRanges";
  const { loadBalancerSourceRangesAnnotation: annotation } = context.names;
  const annotated = metadata.annotations?.[annotation];
  const pace = new Pace(ADDRESSES_PER_STEP);
  if (ranges.length > 0) {
    if (!isLoadBalancer) errors.push(forbiddenField(field, ONLY_LOAD_BALANCER));
    const existing = new Set(old?.spec.loadBalancerSourceRanges);
    const found = flatMapInSteps(ranges, pace, (range, index) =>
      existing.has(range) ? [] : validateLegacyCidr(range.trim(), `${field}[${index}]`, context),
    );
    append(errors, yield* found);
  } else if (annotated !== undefined && annotated.trim() !== "") {
    const at = `metadata.annotations[${annotation}]`;
    if (!isLoadBalancer) errors.push(forbiddenField(at, ONLY_LOAD_BALANCER));
    const same = old?.metadata.annotations?.[annotation] === annotated;
    const given = same ? [] : annotated.trim().split(",");
    append(errors, yield* flatMapInSteps(given, pace, (range) => validateLegacyCidr(range.trim(), at, context)));
  }
  if (!isLoadBalancer && spec.allocateLoadBalancerNodePorts !== undefined) {
    errors.push(forbiddenField("spec.allocateLoadBalancerNodePorts", ONLY_LOAD_BALANCER));
  }
  if (isLoadBalancer && spec.allocateLoadBalancerNodePorts === undefined) {
    errors.push(required("allocateLoadBalancerNodePorts"));
  }
  return errors;
}

/** `before` is what is stored, on an update. */
export function validateLoadBalancerClass(spec: ServiceSpec, before?: ServiceSpec): FieldError[] {
  const field = "spec.loadBalancerClass";
  const { loadBalancerClass } = spec;
  if (spec.type !== "LoadBalancer") {
    return loadBalancerClass === undefined ? [] : [forbiddenField(field, ONLY_LOAD_BALANCER)];
  }
  const errors: FieldError[] = [];
  if (before?.type === "LoadBalancer" && before.loadBalancerClass !== loadBalancerClass) {
    errors.push(invalid(field, loadBalancerClass ?? null, "may not change once set"));
  }
  if (loadBalancerClass === undefined) return errors;
  const problems = qualifiedNameProblems(loadBalancerClass);
  return [...errors, ...problems.map((problem) => invalid(field, loadBalancerClass, problem))];
}

function validateTrafficPolicies(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const external = spec.externalTrafficPolicy ?? "";
  if (!isReachedFromOutside(spec)) {
    if (external !== "") {
      const detail = "may only be set for externally-accessible services";
      errors.push(invalid("spec.externalTrafficPolicy", external, detail));
    }
  } else if (external === "") errors.push(required("spec.externalTrafficPolicy"));
  else if (!POLICIES.includes(external)) errors.push(notSupported("spec.externalTrafficPolicy", external, POLICIES));

  const port = spec.healthCheckNodePort ?? 0;
  const field = "spec.healthCheckNodePort";
  if (!needsHealthCheckPort(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    if (port !== 0) errors.push(invalid(field, port, detail));
  } else if (port === 0) errors.push(required(field));
  else for (const problem of portNumberProblems(port)) errors.push(invalid(field, port, problem));

  const internal = spec.internalTrafficPolicy;
  if (internal === undefined) {
    if (spec.type !== "ExternalName") errors.push(required("spec.internalTrafficPolicy"));
  } else if (!POLICIES.includes(internal)) errors.push(notSupported("spec.internalTrafficPolicy", internal, POLICIES));
  return errors;
}

function validateTrafficDistribution(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
  context: HookContext,
): FieldError[] {
  const value = spec.trafficDistribution;
  if (value === undefined || (before !== undefined && equalJson(before.trafficDistribution, value))) return [];
  const near = context.gateEnabled("PreferSameTrafficDistribution") ? ["PreferSameZone", "PreferSameNode"] : [];
  const known = ["PreferClose", ...near];
  return known.includes(value) ? [] : [notSupported("spec.trafficDistribution", value, known)];
}

function validateTopologyAnnotations({ metadata }: Service, { names }: HookContext): FieldError[] {
  const mode = metadata.annotations?.[names.topologyModeAnnotation];
  const hints = metadata.annotations?.[names.topologyAwareHintsAnnotation];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const field = `metadata.annotations[${names.topologyModeAnnotation}]`;
  const detail = `must match annotations[${names.topologyAwareHintsAnnotation}] when both are specified`;
  return [invalid(field, mode, detail)];
}
