// What a NetworkPolicy must look like, in upstream's words.

import { append } from "../../base/append.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { portNameProblems, portNumberProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import { validateLabelSelector } from "../meta/selector-validation.ts";
import { cidrWarnings, isStrictSubset, readCidr, validateLegacyCidr } from "./ip-fields.ts";
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "./network-policy-schema.ts";

const MAX_POLICY_TYPES = 2;
const PROTOCOLS = ["TCP", "UDP", "SCTP"];
const POLICY_TYPES = ["Ingress", "Egress"];

export function validateNetworkPolicy(policy: NetworkPolicy, context: HookContext): FieldError[] {
  return validateSpec(policy, context, []);
}

export function validateNetworkPolicyUpdate(
  policy: NetworkPolicy,
  old: NetworkPolicy,
  context: HookContext,
): FieldError[] {
  const known = blocksOf(old).flatMap(([block]) => [block.cidr, ...(block.except ?? [])]);
  const errors = validateSpec(policy, context, known);
  // Upstream judges an update as an object and as a change: what is wrong stands there twice.
  return [...errors, ...errors];
}

export function warnAboutNetworkPolicy(
  policy: NetworkPolicy,
  _old: NetworkPolicy | undefined,
  context: HookContext,
): string[] {
  return blocksOf(policy).flatMap(([{ cidr, except }, field]) => [
    ...cidrWarnings(cidr, `${field}.cidr`, context),
    ...(except ?? []).flatMap((inner, index) => cidrWarnings(inner, `${field}.except[${index}]`, context)),
  ]);
}

function validateSpec({ spec }: NetworkPolicy, context: HookContext, known: readonly string[]): FieldError[] {
  const errors = validateLabelSelector(spec.podSelector, "spec.podSelector");
  const rules = [
    ...(spec.ingress ?? []).map((rule, index) => ({
      ...rule,
      peers: rule.from,
      at: `spec.ingress[${index}]`,
      word: "from",
    })),
    ...(spec.egress ?? []).map((rule, index) => ({ ...rule, peers: rule.to, at: `spec.egress[${index}]`, word: "to" })),
  ];
  for (const { ports, peers, at, word } of rules) {
    (ports ?? []).forEach((port, index) => {
      append(errors, validatePort(port, `${at}.ports[${index}]`));
    });
    (peers ?? []).forEach((peer, index) => {
      append(errors, validatePeer(peer, `${at}.${word}[${index}]`, context, known));
    });
  }
  const types = spec.policyTypes ?? [];
  if (types.length > MAX_POLICY_TYPES) {
    return [...errors, invalid("spec.policyTypes", types, "may not specify more than two policyTypes")];
  }
  types.forEach((type, index) => {
    if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`spec.policyTypes[${index}]`, type, POLICY_TYPES));
  });
  return errors;
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  }
  const wrongEnd = (value: unknown, detail: string) => errors.push(invalid(`${field}.endPort`, value, detail));
  if (port === undefined || port === null) {
    if (endPort !== undefined) wrongEnd(endPort, "may not be specified when `port` is not specified");
    return errors;
  }
  const problems = typeof port === "number" ? portNumberProblems(port) : portNameProblems(port);
  for (const problem of problems) errors.push(invalid(`${field}.port`, port, problem));
  if (endPort === undefined) return errors;
  if (typeof port !== "number") {
    wrongEnd(endPort, "may not be specified when `port` is non-numeric");
    return errors;
  }
  // Upstream shows the port here, not its end.
  if (endPort < port) wrongEnd(port, "must be greater than or equal to `port`");
  for (const problem of portNumberProblems(endPort)) wrongEnd(endPort, problem);
  return errors;
}

function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  field: string,
  context: HookContext,
  known: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (podSelector) append(errors, validateLabelSelector(podSelector, `${field}.podSelector`));
  if (namespaceSelector) append(errors, validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`));
  if (ipBlock) append(errors, validateBlock(ipBlock, `${field}.ipBlock`, context, known));
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(field, "must specify a peer"));
  else if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbiddenField(field, "may not specify both ipBlock and another peer"));
  }
  return errors;
}

function validateBlock(block: IPBlock, field: string, context: HookContext, known: readonly string[]): FieldError[] {
  if (block.cidr === "") return [required(`${field}.cidr`)];
  const errors = validateLegacyCidr(block.cidr, `${field}.cidr`, context, known);
  const outer = readCidr(block.cidr);
  if (outer === undefined) return errors;
  (block.except ?? []).forEach((text, index) => {
    const at = `${field}.except[${index}]`;
    append(errors, validateLegacyCidr(text, at, context, known));
    const inner = readCidr(text);
    if (inner !== undefined && !isStrictSubset(inner, outer)) {
      errors.push(invalid(at, text, "must be a strict subset of `cidr`"));
    }
  });
  return errors;
}

/** Every block of addresses with the path of its field. */
function blocksOf({ spec }: NetworkPolicy): [IPBlock, string][] {
  const of = (peers: readonly NetworkPolicyPeer[] | undefined, field: string): [IPBlock, string][] =>
    (peers ?? []).flatMap(({ ipBlock }, index) => (ipBlock ? [[ipBlock, `${field}[${index}].ipBlock`]] : []));
  return [
    ...(spec.ingress ?? []).flatMap((rule, index) => of(rule.from, `spec.ingress[${index}].from`)),
    ...(spec.egress ?? []).flatMap((rule, index) => of(rule.to, `spec.egress[${index}].to`)),
  ];
}
