// What containers and pods ask for: names of resources, amounts, limits against requests, claims.

import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../../meta/field-error.ts";
import { dns1123LabelProblems, qualifiedNameProblems } from "../../../meta/name-formats.ts";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantitySign,
} from "../../../meta/quantity.ts";
import { addProblems, NOT_NEGATIVE } from "../../meta/value-checks.ts";
import type { ResourceClaim, ResourceRequirements } from "./container.ts";
import {
  isContainerResource,
  isCounted,
  isExtendedResource,
  isHugePage,
  isHugePageMultiple,
  isNativeResource,
  isOvercommitable,
  isStandardResource,
  isWhole,
} from "./resource-names.ts";
import { sumLimits, sumRequests } from "./resources.ts";
import type { PodSpec } from "./spec.ts";
import type { PodRules } from "./validation-rules.ts";

/** The names of a pod's claims. */
export class ClaimNames extends Set<string> {
  #listed: string | undefined;

  /** For each container that names another; kept, since both may be many. */
  get listed(): string {
    this.#listed ??= this.size === 0 ? " which is empty" : `: ${[...this].sort().join(", ")}`;
    return this.#listed;
  }
}

export const NO_CLAIMS = new ClaimNames();

type NameCheck = (errors: FieldError[], field: string, name: string, rules: PodRules) => void;

/** What a container asks for; `claims` are the claims of its pod. */
export function validateContainerResources(
  resources: ResourceRequirements,
  at: string,
  claims: ClaimNames,
  rules: PodRules,
  errors: FieldError[],
): void {
  checkRequirements(resources, at, claims, checkContainerResourceName, rules, errors);
}

/** What a pod asks for as a whole, and that its containers stay within it. */
export function validatePodResources(
  spec: PodSpec,
  at: string,
  claims: ClaimNames,
  rules: PodRules,
  errors: FieldError[],
): void {
  const { resources } = spec;
  if (resources === undefined || !rules.gateEnabled("PodLevelResources")) return;
  if (spec.os?.name === "windows") {
    errors.push(forbiddenField(at, "may not be set for a windows pod"));
    return;
  }
  if (resources.claims !== undefined) {
    errors.push(forbiddenField(`${at}.claims`, "claims may not be set for Resources at pod-level"));
  }
  checkRequirements(resources, at, claims, checkPodResourceName, rules, errors);
  checkContainersWithinPod(spec, resources, at, errors);
}

function checkRequirements(
  resources: ResourceRequirements,
  at: string,
  claims: ClaimNames,
  checkName: NameCheck,
  rules: PodRules,
  errors: FieldError[],
): void {
  const { limits, requests } = resources;
  let hasCompute = false;
  let hasHugePages = false;
  const check = (list: Record<string, string> | undefined, kind: string) => {
    for (const name in list) {
      const field = `${at}.${kind}[${name}]`;
      checkName(errors, field, name, rules);
      checkAmount(errors, field, name, list[name]!, rules);
      if (name === "cpu" || name === "memory") hasCompute = true;
      else if (isHugePage(name)) hasHugePages = true;
      if (kind === "requests") checkRequest(name, list[name]!, limits, at, rules, errors);
    }
  };
  check(limits, "limits");
  check(requests, "requests");
  if (hasHugePages && !hasCompute) errors.push(forbiddenField(at, "HugePages require cpu or memory"));
  if (resources.claims) checkClaims(resources.claims, `${at}.claims`, claims, errors);
}

function checkAmount(errors: FieldError[], field: string, name: string, amount: string, rules: PodRules): void {
  if (amount.startsWith("-")) {
    const quantity = parseQuantity(amount);
    if (quantity !== undefined && quantitySign(quantity) < 0) errors.push(invalid(field, amount, NOT_NEGATIVE));
  }
  if (isCounted(name, rules.names) && !isWhole(amount)) errors.push(invalid(field, amount, "must be an integer"));
  if (isHugePage(name) && !rules.forgiven.hugePages && !isHugePageMultiple(name, amount)) {
    errors.push(invalid(field, amount, `${amount} is not positive integer multiple of ${name}`));
  }
}

function checkRequest(
  name: string,
  request: string,
  limits: Record<string, string> | undefined,
  at: string,
  rules: PodRules,
  errors: FieldError[],
): void {
  const mayExceed = isOvercommitable(name, rules.names);
  const limit = amountOf(limits, name);
  if (limit === undefined) {
    if (!mayExceed) errors.push(required(`${at}.limits`, "Limit must be set for non overcommitable resources"));
    return;
  }
  if (limit === request) return;
  const order = compareAmounts(request, limit);
  if (order !== 0 && !mayExceed) {
    errors.push(invalid(`${at}.requests`, request, `must be equal to ${name} limit of ${limit}`));
  } else if (order > 0) {
    errors.push(invalid(`${at}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`));
  }
}

/** Names of resources are user text: never what an object inherits. */
const amountOf = (list: Record<string, string> | undefined, name: string): string | undefined =>
  list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;

const ZERO = parseQuantity("0")!;
const quantityOf = (text: string): Quantity => parseQuantity(text) ?? ZERO;
const compareAmounts = (a: string, b: string): number => compareQuantities(quantityOf(a), quantityOf(b));

/** False when the name is no name at all. */
export function checkResourceName(errors: FieldError[], field: string, name: string): boolean {
  const problems = qualifiedNameProblems(name);
  addProblems(errors, field, name, problems);
  if (problems.length > 0) return false;
  if (name.includes("/") || isStandardResource(name)) return true;
  errors.push(invalid(field, name, "must be a standard resource type or fully qualified"));
  return false;
}

export function checkContainerResourceName(
  errors: FieldError[],
  field: string,
  name: string,
  { names }: Pick<PodRules, "names">,
): void {
  // The names of nearly every container.
  if (name === "cpu" || name === "memory") return;
  checkResourceName(errors, field, name);
  if (!name.includes("/")) {
    if (!isContainerResource(name)) errors.push(invalid(field, name, "must be a standard resource for containers"));
  } else if (!isNativeResource(name, names) && !isExtendedResource(name, names)) {
    errors.push(invalid(field, name, "doesn't follow extended resource name standard"));
  }
}

const POD_RESOURCES = ["cpu", "hugepages-", "memory"];

function checkPodResourceName(errors: FieldError[], field: string, name: string): void {
  if (!checkResourceName(errors, field, name)) return;
  if (name !== "cpu" && name !== "memory" && !isHugePage(name)) errors.push(notSupported(field, name, POD_RESOURCES));
}

function checkClaims(
  claims: readonly ResourceClaim[],
  field: string,
  podClaims: ClaimNames,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  const inPart = new Set<string>();
  claims.forEach(({ name, request }, index) => {
    const at = `${field}[${index}]`;
    if (name === "") {
      errors.push(required(at));
      return;
    }
    if (seen.has(name)) errors.push(duplicate(at, name));
    else {
      if (request) addProblems(errors, `${at}.request`, request, dns1123LabelProblems(request));
      const key = request ? `${name}/${request}` : name;
      if (seen.has(key)) errors.push(duplicate(at, key));
      else if (!request && inPart.has(name)) errors.push(duplicate(at, name));
      seen.add(key);
      if (request) inPart.add(name);
    }
    if (podClaims.has(name)) return;
    errors.push(notFound(at, name, `must be one of the names in pod.spec.resourceClaims${podClaims.listed}`));
  });
}

function checkContainersWithinPod(
  spec: PodSpec,
  { limits, requests }: ResourceRequirements,
  at: string,
  errors: FieldError[],
): void {
  const exceeds = (sum: Quantity, amount: string | undefined): amount is string =>
    amount !== undefined && compareQuantities(sum, quantityOf(amount)) > 0;
  for (const [name, sum] of sumRequests(spec)) {
    const amount = amountOf(requests, name);
    if (!exceeds(sum, amount)) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`;
    errors.push(invalid(`${at}.requests[${name}]`, amount, detail));
  }
  for (const [name, sum] of sumLimits(spec)) {
    const amount = amountOf(limits, name);
    if (!isHugePage(name) || !exceeds(sum, amount)) continue;
    const detail = `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`;
    errors.push(invalid(`${at}.limits[${name}]`, amount, detail));
  }
  (spec.containers ?? []).forEach(({ resources }, index) => {
    for (const [name, limit] of Object.entries(resources.limits ?? {})) {
      const most = amountOf(limits, name);
      if (most === undefined || compareAmounts(limit, most) <= 0) continue;
      const field = `${at}.containers[${index}][${name}].limits`;
      errors.push(invalid(field, limit, `must be less than or equal to pod limits of ${most}`));
    }
  });
}
