// What a Node must look like.

import { append } from "../../../base/append.ts";
import { equalJson } from "../../../base/json.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  internalFieldError,
  invalid,
  notSupported,
  required,
} from "../../../meta/field-error.ts";
import { jsonProblem } from "../../../meta/json-problem.ts";
import { labelKeyProblems, labelValueProblems } from "../../../meta/name-formats.ts";
import { cutText } from "../../../meta/quoted.ts";
import type { HookContext } from "../../define-kind.ts";
import { internalForm } from "../../meta/internal-form.ts";
import { addProblems, checkWord } from "../../meta/value-checks.ts";
import { cidrWarnings, familyOf, readCidr, validateLegacyCidr } from "../../networking/ip-fields.ts";
import { type Taint, taint } from "../pod/toleration.ts";
import { checkResourceAmount } from "../resource-amount-validation.ts";
import { validateAvoidedPods } from "./annotation-validation.ts";
import { checkNodeConfig } from "./config-validation.ts";
import { type Node, nodeAddress } from "./schema.ts";

export function validateNode(node: Node, context: HookContext): FieldError[] {
  const { spec, status } = node;
  const errors = validateNodeAnnotations(node, context);
  checkTaints(spec.taints ?? [], "metadata.taints", errors);
  const swap = status.nodeInfo.swap?.capacity;
  if (swap !== undefined && swap !== null && swap <= 0) {
    errors.push(invalid("metadata.nodeSwapStatus.capacity", swap, "must be greater than zero"));
  }
  checkResources(node, context, errors);
  const ranges = spec.podCIDRs ?? [];
  ranges.forEach((range, index) => {
    append(errors, validateLegacyCidr(range, `spec.podCIDRs[${index}]`, context));
  });
  if (ranges.length > 1) checkDualStack(ranges, "spec.podCIDRs", errors);
  return errors;
}

/** Several ranges are a pair: one of each family. */
function checkDualStack(ranges: readonly string[], field: string, errors: FieldError[]): void {
  const cidrs = ranges.map(readCidr);
  const unread = cidrs.indexOf(undefined);
  if (unread >= 0) {
    const why = `invalid CIDR[${unread}]: <nil> (invalid CIDR address: ${cutText(ranges[unread]!)})`;
    const problem = `invalid PodCIDRs. failed to check with dual stack with error:${why}`;
    errors.push(internalFieldError(field, problem));
  }
  const families = new Set(cidrs.map((cidr) => cidr && familyOf(cidr.ip)));
  if (unread >= 0 || ranges.length > 2 || families.size < 2)
    errors.push(invalid(field, ranges, "may specify no more than one CIDR for each IP family"));
}

function checkResources({ status }: Node, { names }: HookContext, errors: FieldError[]): void {
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(status[list] ?? {}))
      checkResourceAmount(errors, `status.${list}.${name}`, name, amount, names);
  }
}

const STATUSES = ["False", "True", "Unknown"];

/** The document has rules for conditions, upstream takes them as they come. Reasons of nodes are free. */
function checkConditions(conditions: readonly { type: string; status: string }[], errors: FieldError[]): void {
  const seen = new Set<string>();
  conditions.forEach(({ type, status }, index) => {
    const field = `status.conditions[${index}]`;
    if (type === "") errors.push(required(`${field}.type`));
    if (seen.has(type)) errors.push(duplicate(`${field}.type`, type));
    seen.add(type);
    if (!STATUSES.includes(status)) errors.push(notSupported(`${field}.status`, status, STATUSES));
  });
}

/** Both the object and its status are written through this; the object is also judged as a whole. */
export function validateNodeUpdate(node: Node, old: Node, context: HookContext): FieldError[] {
  const { spec, status } = node;
  const errors = validateNodeAnnotations(node, context);
  checkResources(node, context, errors);
  checkAddresses(status.addresses ?? [], errors);
  if (context.names.dialect === "platform" && !equalJson(status.conditions, old.status.conditions)) {
    checkConditions(status.conditions ?? [], errors);
  }
  const before = old.spec.podCIDRs ?? [];
  if (before.length > 0 && !equalJson(before, spec.podCIDRs ?? [])) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    errors.push(forbiddenField("spec.podCIDRs", detail));
  }
  if (old.spec.providerID && old.spec.providerID !== spec.providerID) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(forbiddenField("spec.providerID", detail));
  }
  checkNodeConfig(node, errors);
  checkTaints(spec.taints ?? [], "metadata.taints", errors);
  if ((spec.externalID ?? "") !== (old.spec.externalID ?? "")) {
    errors.push(forbiddenField("spec.externalID", "may not be updated"));
  }
  return errors;
}

export function warnNode({ spec }: Node, _old: Node | undefined, context: HookContext): string[] {
  const warnings: string[] = [];
  if (spec.configSource) warnings.push("spec.configSource: the feature is no longer supported");
  if (spec.externalID) {
    const { productName } = context.names;
    warnings.push(`spec.externalID: this field is deprecated, and is unused by ${productName}`);
  }
  (spec.podCIDRs ?? []).forEach((range, index) => {
    append(warnings, cidrWarnings(range, `spec.podCIDRs[${index}]`, context));
  });
  return warnings;
}

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function checkTaints(taints: readonly Taint[], field: string, errors: FieldError[]): void {
  const seen = new Set<string>();
  taints.forEach((given, index) => {
    const at = `${field}[${index}]`;
    const value = given.value ?? "";
    addProblems(errors, `${at}.key`, given.key, labelKeyProblems(given.key));
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.push(invalid(`${at}.value`, value, problems.join(";")));
    checkWord(errors, `${at}.effect`, given.effect, EFFECTS);
    const pair = `${given.effect}/${given.key}`;
    if (seen.has(pair)) {
      const repeated = duplicate(at, internalForm(given, taint));
      errors.push({ ...repeated, detail: "taints must be unique by key and effect pair" });
    }
    seen.add(pair);
  });
}

function checkAddresses(addresses: NonNullable<Node["status"]["addresses"]>, errors: FieldError[]): void {
  const seen = new Set<string>();
  addresses.forEach((address, index) => {
    const pair = `${address.type}/${address.address}`;
    if (seen.has(pair)) errors.push(duplicate(`status.addresses[${index}]`, internalForm(address, nodeAddress)));
    seen.add(pair);
  });
}

function validateNodeAnnotations({ metadata }: Node, { names }: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  const taints = metadata.annotations?.[names.taintsAnnotation];
  if (taints) {
    const field = "metadata.annotations";
    const problem = jsonProblem(taints);
    if (problem !== undefined) errors.push(invalid(field, names.taintsAnnotation, problem));
    else checkTaints(readTaints(JSON.parse(taints)), `${field}.${names.taintsAnnotation}`, errors);
  }
  const avoided = metadata.annotations?.[names.preferAvoidPodsAnnotation];
  if (avoided) append(errors, validateAvoidedPods(avoided, names.preferAvoidPodsAnnotation));
  return errors;
}

/** What an annotation says, as far as it has the form of taints. */
function readTaints(value: unknown): Taint[] {
  const word = (text: unknown) => (typeof text === "string" ? text : "");
  if (!Array.isArray(value)) return [];
  return value.map((item: Partial<Record<string, unknown>> | null) => ({
    key: word(item?.["key"]),
    value: word(item?.["value"]),
    effect: word(item?.["effect"]) as Taint["effect"],
  }));
}
