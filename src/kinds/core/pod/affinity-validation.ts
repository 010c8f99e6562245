// Where a pod wants to run and beside whom: affinity, tolerations, spreading.

import { append } from "../../../base/append.ts";
import { Pace, type Steps } from "../../../base/steps.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from "../../../meta/field-error.ts";
import { dns1123LabelProblems, labelKeyProblems, labelValueProblems } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { validateLabelSelector } from "../../meta/selector-validation.ts";
import { addProblems } from "../../meta/value-checks.ts";
import { validateNodeSelector, validateNodeSelectorTerm } from "../node-selector-validation.ts";
import type { Affinity, NodeAffinity, PodAffinity, PodAffinityTerm } from "./affinity.ts";
import type { Toleration } from "./toleration.ts";
import { type TopologySpreadConstraint, topologySpreadConstraint } from "./topology-spread.ts";
import type { PodRules } from "./validation-rules.ts";

export function* validateAffinity(affinity: Affinity, at: string, rules: PodRules, errors: FieldError[]): Steps<void> {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity) yield* checkNodeAffinity(nodeAffinity, `${at}.nodeAffinity`, rules, errors);
  if (podAffinity) yield* checkPodAffinity(podAffinity, `${at}.podAffinity`, rules, errors);
  if (podAntiAffinity) yield* checkPodAffinity(podAntiAffinity, `${at}.podAntiAffinity`, rules, errors);
}

const TERMS_PER_STEP = 100;

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function* checkNodeAffinity(affinity: NodeAffinity, at: string, rules: PodRules, errors: FieldError[]): Steps<void> {
  const required = affinity[REQUIRED];
  if (required) {
    const anyValues = rules.forgiven.nodeAffinityValues;
    append(errors, validateNodeSelector(required, `${at}.${REQUIRED}`, { anyValues }));
  }
  const pace = new Pace(TERMS_PER_STEP);
  for (const [index, { weight, preference }] of (affinity[PREFERRED] ?? []).entries()) {
    if (pace.due()) yield;
    const place = `${at}.${PREFERRED}[${index}]`;
    checkWeight(weight, place, errors);
    append(errors, validateNodeSelectorTerm(preference, `${place}.preference`, { anyValues: true }));
  }
}

function* checkPodAffinity(affinity: PodAffinity, at: string, rules: PodRules, errors: FieldError[]): Steps<void> {
  const pace = new Pace(TERMS_PER_STEP);
  for (const [index, term] of (affinity[REQUIRED] ?? []).entries()) {
    if (pace.due()) yield;
    checkTerm(term, `${at}.${REQUIRED}[${index}]`, rules, errors);
  }
  for (const [index, { weight, podAffinityTerm }] of (affinity[PREFERRED] ?? []).entries()) {
    if (pace.due()) yield;
    const place = `${at}.${PREFERRED}[${index}]`;
    checkWeight(weight, place, errors);
    checkTerm(podAffinityTerm, `${place}.podAffinityTerm`, rules, errors);
  }
}

function checkWeight(weight: number, at: string, errors: FieldError[]): void {
  if (weight < 1 || weight > 100) errors.push(invalid(`${at}.weight`, weight, "must be in the range 1-100"));
}

function checkTerm(term: PodAffinityTerm, at: string, rules: PodRules, errors: FieldError[]): void {
  const anyValues = rules.forgiven.selectorValues;
  for (const key of ["labelSelector", "namespaceSelector"] as const) {
    const selector = term[key];
    if (selector) append(errors, validateLabelSelector(selector, `${at}.${key}`, { anyValues }));
  }
  for (const namespace of term.namespaces ?? []) {
    addProblems(errors, `${at}.namespace`, namespace, dns1123LabelProblems(namespace));
  }
  checkLabelKeys(term, at, errors);
  if (term.topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
  addProblems(errors, `${at}.topologyKey`, term.topologyKey, labelKeyProblems(term.topologyKey));
}

interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: LabelSelector;
}

/** Keys whose values come from the pod itself; the server has put those into the selector already. */
function checkLabelKeys(
  { matchLabelKeys, mismatchLabelKeys, labelSelector }: LabelKeys,
  at: string,
  errors: FieldError[],
): void {
  for (const [name, keys] of [
    ["matchLabelKeys", matchLabelKeys],
    ["mismatchLabelKeys", mismatchLabelKeys],
  ] as const) {
    if (!keys?.length) continue;
    if (!labelSelector) {
      errors.push(forbiddenField(`${at}.${name}`, "must not be specified when labelSelector is not set"));
      continue;
    }
    keys.forEach((key, index) => {
      addProblems(errors, `${at}.${name}[${index}]`, key, labelKeyProblems(key));
    });
  }
  if (!matchLabelKeys?.length) return;
  const lastIndexes = new Map(matchLabelKeys.map((key, index) => [key, index]));
  const mismatched = new Set(mismatchLabelKeys);
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = lastIndexes.get(key);
    if (index !== undefined && selected.has(key)) {
      errors.push(invalid(`${at}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"));
    }
    selected.add(key);
  }
  matchLabelKeys.forEach((key, index) => {
    if (!mismatched.has(key)) return;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    errors.push(invalid(`${at}.matchLabelKeys[${index}]`, key, detail));
  });
}

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[], field: string, errors: FieldError[]): void {
  tolerations.forEach((toleration, index) => {
    checkToleration(toleration, `${field}[${index}]`, errors);
  });
}

function checkToleration(toleration: Toleration, at: string, errors: FieldError[]): void {
  const { key, value = "", tolerationSeconds } = toleration;
  const operator: string = toleration.operator ?? "";
  const effect: string = toleration.effect ?? "";
  if (key) addProblems(errors, `${at}.key`, key, labelKeyProblems(key));
  else if (operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${at}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === "" || operator === "Equal") {
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.push(invalid(`${at}.operator`, value, problems.join(";")));
  } else if (operator === "Exists") {
    if (value) errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else errors.push(notSupported(`${at}.operator`, operator, ["Equal", "Exists"]));
  if (effect !== "" && !EFFECTS.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, EFFECTS));
}

const ACTIONS = ["DoNotSchedule", "ScheduleAnyway"];

export function* validateSpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  field: string,
  rules: PodRules,
  errors: FieldError[],
): Steps<void> {
  // Of several equal ones all but the last are repeated.
  const last = new Map(constraints.map((constraint, index) => [keyOf(constraint), index]));
  const pace = new Pace(TERMS_PER_STEP);
  for (const [index, constraint] of constraints.entries()) {
    if (pace.due()) yield;
    const at = `${field}[${index}]`;
    const { maxSkew, topologyKey, minDomains, labelSelector } = constraint;
    const action: string = constraint.whenUnsatisfiable;
    if (maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, maxSkew, "must be greater than zero"));
    if (topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${at}.whenUnsatisfiable`, action, ACTIONS));
    if (last.get(keyOf(constraint)) !== index)
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`));
    if (minDomains !== undefined) {
      if (minDomains <= 0) errors.push(invalid(`${at}.minDomains`, minDomains, "must be greater than zero"));
      if (action !== "DoNotSchedule") {
        const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
        errors.push(invalid(`${at}.minDomains`, minDomains, detail));
      }
    }
    checkFields(constraint, topologySpreadConstraint, at, errors);
    checkLabelKeys(pick(constraint), at, errors);
    if (labelSelector && !rules.forgiven.spreadSelectors) {
      append(errors, validateLabelSelector(labelSelector, `${at}.labelSelector`));
    }
  }
}

const keyOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
  `${whenUnsatisfiable} ${topologyKey}`;

const pick = ({ matchLabelKeys, labelSelector }: TopologySpreadConstraint): LabelKeys => ({
  ...(matchLabelKeys === undefined ? {} : { matchLabelKeys }),
  ...(labelSelector === undefined ? {} : { labelSelector }),
});
