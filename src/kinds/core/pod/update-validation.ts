// What may change in a pod: by an update of the whole, and through the endpoint of ephemeral containers.

import { cloneJson, countValues, equalJson, type Json } from "../../../base/json.ts";
import type { Steps } from "../../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, required, WHOLE_OBJECT } from "../../../meta/field-error.ts";
import { rangeMessage } from "../../../meta/name-formats.ts";
import { unifiedDiff } from "../../../meta/unified-diff.ts";
import type { StructSchema } from "../../../schema/schema.ts";
import type { HookContext } from "../../define-kind.ts";
import { internalForm } from "../../meta/internal-form.ts";
import type { NodeSelectorTerm } from "../node-selector.ts";
import type { NodeAffinity } from "./affinity.ts";
import { validateTolerations } from "./affinity-validation.ts";
import { validatePodAnnotations, validatePodAnnotationUpdate } from "./annotation-validation.ts";
import type { Container } from "./container.ts";
import { checkImageSpaces } from "./container-validation.ts";
import { ephemeralContainer } from "./ephemeral-container.ts";
import type { Pod } from "./schema.ts";
import { type PodSpec, podSpec } from "./spec.ts";
import type { Toleration } from "./toleration.ts";
import { validatePodContent } from "./validation.ts";
import { type PodRules, podRules } from "./validation-rules.ts";

const MAX_INT32 = 2 ** 31 - 1;

/** A step for the pod, and one for what changes in it. */
export function* validatePodUpdate(pod: Pod, old: Pod, context: HookContext): Steps<FieldError[]> {
  const rules = podRules(context, true, old);
  const errors = yield* validatePodContent(pod, rules);
  yield;
  checkAnnotations(pod, old, rules, errors);
  const stop =
    checkImages(pod.spec.containers, old.spec.containers, "spec.containers", errors) ||
    checkImages(pod.spec.initContainers, old.spec.initContainers, "spec.initContainers", errors) ||
    checkDeadline(pod.spec, old.spec, errors);
  if (stop) return errors;
  checkTolerations(pod.spec, old.spec, errors);
  checkSchedulingGates(pod.spec, old.spec, errors);
  yield;
  if (!equalJson(pod.spec, old.spec)) yield* checkRest(pod.spec, old.spec, errors);
  return errors;
}

/** Ephemeral containers come and stay. */
export function* validateEphemeralContainersUpdate(pod: Pod, old: Pod, context: HookContext): Steps<FieldError[]> {
  const rules = podRules(context, true, old);
  if (hasKey(old.metadata.annotations, context.names.mirrorPodAnnotation)) {
    return [forbiddenField(WHOLE_OBJECT, "static pods do not support ephemeral containers")];
  }
  const errors = yield* validatePodContent(pod, rules);
  yield;
  checkAnnotations(pod, old, rules, errors);
  const field = "spec.ephemeralContainers";
  const byName = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
  for (const container of old.spec.ephemeralContainers ?? []) {
    const name = JSON.stringify(container.name);
    const now = byName.get(container.name);
    if (now === undefined)
      errors.push(forbiddenField(field, `existing ephemeral containers ${name} may not be removed\n`));
    else if (!equalJson(container, now)) {
      yield;
      const diff = internalDiff(container, now, ephemeralContainer);
      errors.push(forbiddenField(field, `existing ephemeral containers ${name} may not be changed\n${diff}`));
    }
  }
  return errors;
}

/** Annotations that guard something, and once more what annotations must look like. */
export function checkAnnotations(pod: Pod, old: Pod, rules: PodRules, errors: FieldError[]): void {
  const field = "metadata.annotations";
  validatePodAnnotationUpdate(pod.metadata.annotations, old.metadata.annotations, field, rules, errors);
  validatePodAnnotations(pod.metadata.annotations, pod.spec, field, rules, errors);
}

export const hasKey = (map: object | undefined, key: string): boolean => map !== undefined && Object.hasOwn(map, key);

/** True when nothing more can be said. */
function checkImages(
  containers: readonly Container[] | null | undefined,
  olds: readonly Container[] | null | undefined,
  field: string,
  errors: FieldError[],
): boolean {
  if ((containers?.length ?? 0) !== (olds?.length ?? 0)) {
    errors.push(forbiddenField(field, "pod updates may not add or remove containers"));
    return true;
  }
  (containers ?? []).forEach(({ image }, index) => {
    if (!image) errors.push(required(`${field}[${index}].image`));
    checkImageSpaces(image, `${field}[${index}].image`, errors);
  });
  return false;
}

function checkDeadline(spec: PodSpec, old: PodSpec, errors: FieldError[]): boolean {
  const field = "spec.activeDeadlineSeconds";
  const now = spec.activeDeadlineSeconds;
  const before = old.activeDeadlineSeconds;
  if (now === undefined) {
    if (before !== undefined) errors.push(invalid(field, null, "must not update from a positive integer to nil value"));
    return false;
  }
  if (now < 0 || now > MAX_INT32) errors.push(invalid(field, now, rangeMessage(0, MAX_INT32)));
  else if (before !== undefined && before < now) {
    errors.push(invalid(field, now, "must be less than or equal to previous value"));
  } else return false;
  return true;
}

function checkTolerations({ tolerations = [] }: PodSpec, old: PodSpec, errors: FieldError[]): void {
  const keyOf = ({ key, operator, value, effect }: Toleration) => JSON.stringify([key, operator, value, effect]);
  const now = new Set(tolerations.map(keyOf));
  const kept = (old.tolerations ?? []).every((before) => now.has(keyOf(before)));
  if (kept) validateTolerations(tolerations, "spec.tolerations", errors);
  else {
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    errors.push(forbiddenField("spec.tolerations", detail));
  }
}

function checkSchedulingGates(spec: PodSpec, old: PodSpec, errors: FieldError[]): void {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  (spec.schedulingGates ?? []).forEach(({ name }, index) => {
    if (before.has(name)) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbiddenField(`spec.schedulingGates[${index}].name`, detail));
  });
}

const UPDATABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** Everything that has no rule of its own stays as it was. */
function* checkRest(spec: PodSpec, old: PodSpec, errors: FieldError[]): Steps<void> {
  const munged = cloneJson(spec);
  keepImages(munged.containers, old.containers);
  keepImages(munged.initContainers, old.initContainers);
  keep(munged, old, "activeDeadlineSeconds");
  keep(munged, old, "schedulingGates");
  keep(munged, old, "tolerations");
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    keep(munged, old, "terminationGracePeriodSeconds");
  }
  if (old.schedulingGates?.length) keepPlacement(munged, old, errors);
  if (equalJson(munged, old)) return;
  yield;
  const diff = internalDiff(old, munged, podSpec);
  errors.push(forbiddenField("spec", `pod updates may not change fields other than ${UPDATABLE}\n${diff}`));
}

function keep<K extends keyof PodSpec>(spec: PodSpec, old: PodSpec, key: K): void {
  if (old[key] === undefined) delete spec[key];
  else spec[key] = old[key];
}

function keepImages(containers: Container[] | null | undefined, olds: readonly Container[] | null | undefined): void {
  (containers ?? []).forEach((container, index) => {
    const image = olds?.[index]?.image;
    if (image !== undefined) container.image = image;
  });
}

/** A pod that still waits may be told more narrowly where to run. */
function keepPlacement(munged: PodSpec, old: PodSpec, errors: FieldError[]): void {
  if (!equalJson(munged.nodeSelector, old.nodeSelector)) {
    const now = munged.nodeSelector ?? {};
    const grows = Object.entries(old.nodeSelector ?? {}).every(
      ([key, value]) => Object.hasOwn(now, key) && now[key] === value,
    );
    if (!grows) {
      const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
      errors.push(invalid("spec.nodeSelector", munged.nodeSelector ?? null, detail));
    }
    keep(munged, old, "nodeSelector");
  }
  const now = munged.affinity?.nodeAffinity;
  const before = old.affinity?.nodeAffinity;
  if (equalJson(now, before)) return;
  checkNodeAffinityChange(now, before, errors);
  const { nodeAffinity: _, ...others } = munged.affinity ?? {};
  const affinity = before === undefined ? others : { ...others, nodeAffinity: before };
  if (Object.keys(affinity).length > 0 || old.affinity !== undefined) munged.affinity = affinity;
  else delete munged.affinity;
}

function checkNodeAffinityChange(
  now: NodeAffinity | undefined,
  before: NodeAffinity | undefined,
  errors: FieldError[],
): void {
  const key = "requiredDuringSchedulingIgnoredDuringExecution";
  const olds = before?.[key]?.nodeSelectorTerms ?? [];
  const news = now?.[key]?.nodeSelectorTerms ?? [];
  const field = `spec.affinity.nodeAffinity.${key}.nodeSelectorTerms`;
  if (olds.length === 0) return;
  if (olds.length !== news.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    errors.push(invalid(field, news.map(termForm), detail));
    return;
  }
  olds.forEach((term, index) => {
    if (onlyGrows(news[index]!, term)) return;
    const detail = "only additions are allowed (no mutations or deletions)";
    errors.push(invalid(`${field}[${index}]`, termForm(news[index]!), detail));
  });
}

function onlyGrows(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const sizes = [before.matchExpressions?.length ?? 0, before.matchFields?.length ?? 0] as const;
  // A term without requirements selects nothing: any requirement would change that.
  if (sizes[0] + sizes[1] === 0) return !now.matchExpressions?.length && !now.matchFields?.length;
  return (
    equalJson(now.matchExpressions?.slice(0, sizes[0]) ?? [], before.matchExpressions ?? []) &&
    equalJson(now.matchFields?.slice(0, sizes[1]) ?? [], before.matchFields ?? [])
  );
}

const termForm = ({ matchExpressions, matchFields }: NodeSelectorTerm) => {
  const form = (list: NodeSelectorTerm["matchFields"]) =>
    list?.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null })) ?? null;
  return { MatchExpressions: form(matchExpressions), MatchFields: form(matchFields) };
};

/** In both together. What differs in more takes long to find, and nobody reads it. */
const MAX_COMPARED_VALUES = 3_000;

/** What differs, as upstream shows it: a unified diff of its working form. Of very large values it is not shown. */
export function internalDiff(before: unknown, after: unknown, schema: StructSchema): string {
  const values = [before, after].reduce<number>((sum, each) => sum + countValues(each as Json, MAX_COMPARED_VALUES), 0);
  if (values > MAX_COMPARED_VALUES) return `(more than ${MAX_COMPARED_VALUES} values: the difference is not shown)`;
  return unifiedDiff(pretty(internalForm(before, schema)), pretty(internalForm(after, schema)));
}

const ESCAPES: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };

function pretty(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? Number(inner) : inner), 1);
  return text.replace(/[<>&]/g, (character) => ESCAPES[character]!);
}
