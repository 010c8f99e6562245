// What an Ingress must look like. Requirements: document 3, "Ingress", "Errors".

import { append } from "../../base/append.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, wildcardSubdomainProblems } from "../../meta/name-formats.ts";
import { checkFields } from "../../schema/check-fields.ts";
import type { HookContext } from "../define-kind.ts";
import { validateIngressBackend, validateIngressPath } from "./ingress-path-validation.ts";
import {
  type Ingress,
  type IngressLoadBalancerIngress,
  type IngressRule,
  type IngressTLS,
  ingressLoadBalancerIngress,
  ingressSpec,
} from "./ingress-schema.ts";
import { ipWarnings, readIp, validateLegacyIp } from "./ip-fields.ts";

/** So many addresses are judged in one step. */
const ADDRESSES_PER_STEP = 250;

export function validateIngress(ingress: Ingress, context: HookContext): FieldError[] {
  const errors = validateSpec(ingress, undefined, context);
  const annotation = context.names.ingressClassAnnotation;
  const annotated = ingress.metadata.annotations?.[annotation];
  const { ingressClassName } = ingress.spec;
  if (annotated !== undefined && ingressClassName !== undefined && annotated !== ingressClassName) {
    const detail = "must match `ingressClassName` when both are specified";
    errors.push(invalid(`annotations.${annotation}`, annotated, detail));
  }
  return errors;
}

/** Faults that the stored object has already stay: an old one must remain updatable. */
export function validateIngressUpdate(ingress: Ingress, old: Ingress, context: HookContext): FieldError[] {
  return validateSpec(ingress, old, context);
}

export function validateIngressStatus(ingress: Ingress, old: Ingress, context: HookContext): Steps<FieldError[]> {
  const before = new Set((old.status.loadBalancer.ingress ?? []).map(({ ip }) => ip ?? ""));
  const points = ingress.status.loadBalancer.ingress ?? [];
  return flatMapInSteps(points, new Pace(ADDRESSES_PER_STEP), (point, index) => {
    const at = `status.loadBalancer.ingress[${index}]`;
    const errors = validatePoint(point, at, before, context);
    if (context.names.dialect === "platform") checkFields(point, ingressLoadBalancerIngress, at, errors, ["ports"]);
    return errors;
  });
}

export function warnAboutIngress(
  { metadata, spec }: Ingress,
  old: Ingress | undefined,
  context: HookContext,
): string[] {
  const annotation = context.names.ingressClassAnnotation;
  const alone = metadata.annotations?.[annotation] !== undefined && spec.ingressClassName === undefined;
  if (old !== undefined || !alone) return [];
  return [`annotation ${JSON.stringify(annotation)} is deprecated, please use 'spec.ingressClassName' instead`];
}

export function warnAboutIngressStatus(ingress: Ingress, _old: Ingress, context: HookContext): Steps<string[]> {
  const points = ingress.status.loadBalancer.ingress ?? [];
  return flatMapInSteps(points, new Pace(ADDRESSES_PER_STEP), ({ ip }, index) =>
    ip ? ipWarnings(ip, `status.loadBalancer.ingress[${index}]`, context) : [],
  );
}

function validateSpec({ spec }: Ingress, old: Ingress | undefined, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  const rules = spec.rules ?? [];
  if (rules.length === 0 && !spec.defaultBackend) {
    errors.push(invalid("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (spec.defaultBackend) append(errors, validateIngressBackend(spec.defaultBackend, "spec.defaultBackend", context));
  const badHostsStay = (old?.spec.rules ?? []).some(({ host }) => hostProblems(host ?? "").length > 0);
  rules.forEach((rule, index) => {
    append(errors, validateRule(rule, `spec.rules[${index}]`, badHostsStay, context));
  });
  const badSecretsStay = (old?.spec.tls ?? []).some(({ secretName }) => secretProblems(secretName).length > 0);
  (spec.tls ?? []).forEach((tls, index) => {
    append(errors, validateTls(tls, `spec.tls[${index}]`, badSecretsStay));
  });
  checkFields(spec, ingressSpec, "spec", errors);
  return errors;
}

function validateRule(rule: IngressRule, field: string, badHostsStay: boolean, context: HookContext): FieldError[] {
  const host = rule.host ?? "";
  const errors: FieldError[] = [];
  if (host !== "" && readIp(host) !== undefined) {
    errors.push(invalid(`${field}.host`, host, "must be a DNS name, not an IP address"));
  }
  for (const problem of badHostsStay && host.includes("*") ? [] : hostProblems(host)) {
    errors.push(invalid(`${field}.host`, host, problem));
  }
  if (!rule.http) return errors;
  const paths = rule.http.paths ?? [];
  if (paths.length === 0) errors.push(required(`${field}.http.paths`));
  paths.forEach((path, index) => {
    append(errors, validateIngressPath(path, `${field}.http.paths[${index}]`, context));
  });
  return errors;
}

function hostProblems(host: string): string[] {
  if (host === "") return [];
  return host.includes("*") ? wildcardSubdomainProblems(host) : dns1123SubdomainProblems(host);
}

function validateTls({ hosts, secretName }: IngressTLS, field: string, badSecretsStay: boolean): FieldError[] {
  const errors: FieldError[] = [];
  (hosts ?? []).forEach((host, index) => {
    const problems = host.includes("*") ? wildcardSubdomainProblems(host) : dns1123SubdomainProblems(host);
    for (const problem of problems) errors.push(invalid(`${field}.hosts[${index}]`, host, problem));
  });
  for (const problem of badSecretsStay ? [] : secretProblems(secretName)) {
    errors.push(invalid(`${field}.secretName`, secretName, problem));
  }
  return errors;
}

function secretProblems(secretName: string | undefined): string[] {
  return secretName ? dns1123SubdomainProblems(secretName) : [];
}

function validatePoint(
  { ip = "", hostname = "" }: IngressLoadBalancerIngress,
  field: string,
  before: ReadonlySet<string>,
  context: HookContext,
): FieldError[] {
  const errors = ip === "" ? [] : validateLegacyIp(ip, `${field}.ip`, context, before);
  if (hostname === "") return errors;
  for (const problem of dns1123SubdomainProblems(hostname))
    errors.push(invalid(`${field}.hostname`, hostname, problem));
  if (readIp(hostname) !== undefined) {
    errors.push(invalid(`${field}.hostname`, hostname, "must be a DNS name, not an IP address"));
  }
  return errors;
}
