// What a RuntimeClass must look like.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError } from "../../meta/field-error.ts";
import { validateLabels } from "../../meta/metadata-validation.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { validateTolerations } from "../core/pod-affinity-validation.ts";
import { validateContainerResources } from "../core/pod-resource-validation.ts";
import { podRules } from "../core/pod-validation-rules.ts";
import { deprecatedLabel } from "../core/pod-warnings.ts";
import { toleration } from "../core/toleration.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { addProblems } from "../meta/value-checks.ts";
import type { RuntimeClass, Scheduling } from "./runtime-class.ts";

const NO_CLAIMS: ReadonlySet<string> = new Set();

export function validateRuntimeClass(runtime: RuntimeClass, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  addProblems(errors, "handler", runtime.handler, dns1123LabelProblems(runtime.handler));
  // Upstream judges the overhead as the limits of a container, and names it so.
  const limits = runtime.overhead?.podFixed;
  if (limits) validateContainerResources({ limits }, "overhead", NO_CLAIMS, podRules(context, false), errors);
  if (runtime.scheduling) checkScheduling(runtime.scheduling, errors);
  return errors;
}

export function validateRuntimeClassUpdate(runtime: RuntimeClass, old: RuntimeClass): FieldError[] {
  const errors: FieldError[] = [];
  checkImmutable(runtime.handler, old.handler, "handler", errors);
  return errors;
}

export function warnRuntimeClass(
  { scheduling }: RuntimeClass,
  _old: RuntimeClass | undefined,
  { names }: HookContext,
): string[] {
  return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
    const message = deprecatedLabel(key, names);
    return message === undefined ? [] : [`scheduling.nodeSelector[${key}]: ${message}`];
  });
}

function checkScheduling({ nodeSelector, tolerations = [] }: Scheduling, errors: FieldError[]): void {
  append(errors, validateLabels(nodeSelector, "scheduling.nodeSelector"));
  validateTolerations(tolerations, "scheduling.tolerations.tolerations", errors);
  tolerations.forEach((given, index) => {
    if (!tolerations.slice(0, index).some((earlier) => equalJson(earlier, given))) return;
    errors.push(duplicate(`scheduling.tolerations[${index}]`, internalForm(given, toleration)));
  });
}
