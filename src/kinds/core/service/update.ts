// What an update of a Service and of its status may do, and what writers are warned about.
// Requirements: document 3, "Service", "Status".

import { append } from "../../../base/append.ts";
import { equalJson } from "../../../base/json.ts";
import { equalJsonInSteps } from "../../../base/json-in-steps.ts";
import { flatMapInSteps, Pace, type Steps } from "../../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { HookContext } from "../../define-kind.ts";
import { validateConditions } from "../../meta/condition.ts";
import { cidrWarnings, ipWarnings, readIp, validateLegacyIp } from "../../networking/ip-fields.ts";
import { validateAddressUpdate } from "./address-validation.ts";
import { heldAddresses, isHeadless, needsHealthCheckPort } from "./needs.ts";
import { type LoadBalancerIngress, loadBalancerIngress, type Service } from "./schema.ts";
import { ADDRESSES_PER_STEP, validateLoadBalancerClass, validateService } from "./validation.ts";

export function* validateServiceUpdate(service: Service, old: Service, context: HookContext): Steps<FieldError[]> {
  const errors = validateAddressUpdate(service, old);
  if (
    needsHealthCheckPort(service.spec) &&
    needsHealthCheckPort(old.spec) &&
    service.spec.healthCheckNodePort !== old.spec.healthCheckNodePort
  ) {
    errors.push(forbiddenField("spec.healthCheckNodePort", "field is immutable"));
  }
  append(errors, validateLoadBalancerClass(service.spec, old.spec));
  append(errors, yield* validateService(service, old, context));
  return errors;
}

export function* validateServiceStatus(service: Service, old: Service, context: HookContext): Steps<FieldError[]> {
  const field = "status.loadBalancer.ingress";
  const points = service.status.loadBalancer.ingress ?? [];
  const before = old.status.loadBalancer.ingress ?? [];
  const errors: FieldError[] = [];
  if (service.spec.type !== "LoadBalancer" && points.length > 0 && !(yield* equalJsonInSteps(points, before))) {
    errors.push(forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'"));
    return errors;
  }
  const existing = new Set(before.map(({ ip }) => ip ?? ""));
  const pace = new Pace(ADDRESSES_PER_STEP);
  for (const [index, point] of points.entries()) {
    if (pace.due()) yield;
    append(errors, validateIngressPoint(point, `${field}[${index}]`, context, existing));
    if (context.names.dialect === "platform") {
      checkFields(point, loadBalancerIngress, `${field}[${index}]`, errors, ["ports"]);
    }
  }
  // The document has rules for conditions, upstream takes them as they come.
  if (context.names.dialect === "platform" && !equalJson(service.status.conditions, old.status.conditions)) {
    append(errors, validateConditions(service.status.conditions ?? [], "status.conditions"));
  }
  return errors;
}

function validateIngressPoint(
  { ip = "", hostname = "", ipMode }: LoadBalancerIngress,
  field: string,
  context: HookContext,
  existing: ReadonlySet<string>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (ip !== "") {
    append(errors, validateLegacyIp(ip, `${field}.ip`, context, existing));
    if (ipMode === undefined) errors.push(required(`${field}.ipMode`, "must be specified when `ip` is set"));
  } else if (ipMode !== undefined) {
    errors.push(forbiddenField(`${field}.ipMode`, "may not be specified when `ip` is not set"));
  }
  if (ip !== "" && ipMode !== undefined && ipMode !== "VIP" && ipMode !== "Proxy") {
    errors.push(notSupported(`${field}.ipMode`, ipMode, ["Proxy", "VIP"]));
  }
  return [...errors, ...validateIngressHostname(hostname, `${field}.hostname`)];
}

/** A name, not an address; empty means none. */
function validateIngressHostname(hostname: string, field: string): FieldError[] {
  if (hostname === "") return [];
  const errors = dns1123SubdomainProblems(hostname).map((problem) => invalid(field, hostname, problem));
  if (readIp(hostname) !== undefined) errors.push(invalid(field, hostname, "must be a DNS name, not an IP address"));
  return errors;
}

export function warnAboutServiceStatus(service: Service, _old: Service, context: HookContext): Steps<string[]> {
  const points = service.status.loadBalancer.ingress ?? [];
  return flatMapInSteps(points, new Pace(ADDRESSES_PER_STEP), ({ ip }, index) =>
    ip ? ipWarnings(ip, `status.loadBalancer.ingress[${index}]`, context) : [],
  );
}

export function* warnAboutService(service: Service, _old: Service | undefined, context: HookContext): Steps<string[]> {
  const { spec, metadata } = service;
  const { names } = context;
  const warnings: string[] = [];
  if (metadata.annotations?.[names.topologyAwareHintsAnnotation] !== undefined) {
    warnings.push(
      `annotation ${names.topologyAwareHintsAnnotation} is deprecated, please use ${names.topologyModeAnnotation} instead`,
    );
  }
  heldAddresses(service).forEach((ip, index) => {
    append(warnings, ipWarnings(ip, `spec.clusterIPs[${index}]`, context));
  });
  const ignored = (field: string) => warnings.push(`${field} is ignored for headless services`);
  if (isHeadless(service)) {
    if (spec.loadBalancerIP) ignored("spec.loadBalancerIP");
    if ((spec.externalIPs ?? []).length > 0) ignored("spec.externalIPs");
    // Upstream's releases before 1.34.2 warn of the default, too: every headless Service is told of then.
    if ((spec.sessionAffinity ?? "None") !== "None") ignored("spec.SessionAffinity");
  }
  const pace = new Pace(ADDRESSES_PER_STEP);
  const ofIps = flatMapInSteps(spec.externalIPs ?? [], pace, (ip, index) =>
    ipWarnings(ip, `spec.externalIPs[${index}]`, context),
  );
  append(warnings, yield* ofIps);
  if (spec.loadBalancerIP) append(warnings, ipWarnings(spec.loadBalancerIP, "spec.loadBalancerIP", context));
  const ofRanges = flatMapInSteps(spec.loadBalancerSourceRanges ?? [], pace, (range, index) =>
    cidrWarnings(range, `spec.loadBalancerSourceRanges[${index}]`, context),
  );
  append(warnings, yield* ofRanges);
  if (spec.type === "ExternalName" && (spec.externalIPs ?? []).length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (spec.type !== "ExternalName" && spec.externalName) {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  return warnings;
}
