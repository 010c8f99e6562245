// A resize changes the processors and memory of a pod's containers, and nothing else.

import { equalJson } from "../../../base/json.ts";
import type { Steps } from "../../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, WHOLE_OBJECT } from "../../../meta/field-error.ts";
import type { HookContext } from "../../define-kind.ts";
import type { ResourceList } from "../resource-list.ts";
import type { Container, ResourceRequirements } from "./container.ts";
import { qosClassOf } from "./resources.ts";
import type { Pod } from "./schema.ts";
import type { PodSpec } from "./spec.ts";
import { hasKey } from "./update-validation.ts";
import { validatePodContent } from "./validation.ts";
import { podRules } from "./validation-rules.ts";

/** A step for each walk through its containers. */
export function* validateResize(pod: Pod, old: Pod, context: HookContext): Steps<FieldError[]> {
  const refused = refusal(pod, old, context);
  if (refused !== undefined) return [forbiddenField(WHOLE_OBJECT, refused)];
  const errors = yield* validatePodContent(pod, podRules(context, true, old));
  yield;
  const before = old.status.qosClass || qosClassOf(old.spec);
  if (before !== qosClassOf(pod.spec)) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    errors.push(invalid("spec", pod.status.qosClass ?? "", detail));
  }
  const running = old.status.containerStatuses?.find(({ state }) => state?.running !== undefined);
  if (running !== undefined && running.resources === undefined) {
    errors.push(forbiddenField("spec", "Pod running on node without support for resize"));
  }
  yield;
  const count = errors.length;
  checkOrder(pod.spec, old.spec, errors);
  if (errors.length > count) return errors;
  yield;
  checkContainers(pod.spec, old.spec, errors);
  if (errors.length === 0 && !equalJson(withoutContainers(pod.spec), withoutContainers(old.spec))) {
    errors.push(forbiddenField("spec", "only cpu and memory resources are mutable"));
  }
  return errors;
}

/** Pods that cannot be resized at all. */
function refusal(pod: Pod, old: Pod, { names }: HookContext): string | undefined {
  const hasOwn = ({ spec: { resources } }: Pod) =>
    Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;
  if (hasOwn(old) || hasOwn(pod)) return "pods with pod-level resources cannot be resized";
  if (hasKey(old.metadata.annotations, names.mirrorPodAnnotation)) return "static pods cannot be resized";
  return old.spec.os?.name === "windows" ? "windows pods cannot be resized" : undefined;
}

function checkOrder(spec: PodSpec, old: PodSpec, errors: FieldError[]): void {
  for (const sort of ["containers", "initContainers"] as const) {
    const news = spec[sort] ?? [];
    const olds = old[sort] ?? [];
    if (news.length !== olds.length) {
      errors.push(forbiddenField(`spec.${sort}`, `${sort} may not be added or removed on resize`));
      continue;
    }
    olds.forEach(({ name }, index) => {
      if (news[index]?.name === name) return;
      errors.push(forbiddenField(`spec.${sort}[${index}].name`, `${sort} may not be renamed or reordered on resize`));
    });
  }
}

function checkContainers(spec: PodSpec, old: PodSpec, errors: FieldError[]): void {
  const staying = ({ restartPolicy }: Container) => restartPolicy === "Always";
  for (const sort of ["initContainers", "containers"] as const) {
    (old[sort] ?? []).forEach((before, index) => {
      const now = spec[sort]?.[index];
      if (now === undefined) return;
      if (sort === "initContainers" && !staying(before)) {
        if (equalJson(now, before)) return;
        errors.push(forbiddenField("spec", "resources for non-sidecar init containers are immutable"));
        return;
      }
      checkRemoved(now.resources, before.resources, `spec.${sort}[${index}].resources`, errors);
      if (equalJson(withOldCompute(now, before), before)) return;
      const which = sort === "containers" ? "" : " for sidecar containers";
      errors.push(forbiddenField("spec", `only cpu and memory resources${which} are mutable`));
    });
  }
}

function checkRemoved(now: ResourceRequirements, before: ResourceRequirements, at: string, errors: FieldError[]): void {
  for (const part of ["requests", "limits"] as const) {
    const list = now[part] ?? {};
    if (Object.keys(before[part] ?? {}).every((name) => Object.hasOwn(list, name))) continue;
    errors.push(forbiddenField(`${at}.${part}`, `resource ${part} cannot be removed`));
  }
}

/** The new container with the old amounts of what may change. */
function withOldCompute(now: Container, before: Container): Container {
  const resources: ResourceRequirements = {};
  for (const part of ["limits", "requests"] as const) {
    const olds = before.resources[part];
    if (olds === undefined) continue;
    const { cpu: _cpu, memory: _memory, ...others } = now.resources[part] ?? {};
    const list: ResourceList = { ...others };
    for (const name of ["cpu", "memory"]) if (olds[name] !== undefined) list[name] = olds[name];
    resources[part] = list;
  }
  // The claims of a container are none of a resize's business.
  if (before.resources.claims !== undefined) resources.claims = before.resources.claims;
  return { ...now, resources };
}

function withoutContainers({ containers: _c, initContainers: _i, ...rest }: PodSpec): object {
  return rest;
}
