// The annotation of a Node that says which pods it would rather not run.

import { isObject } from "../../../base/json.ts";
import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { jsonProblem } from "../../../meta/json-problem.ts";

export function validateAvoidedPods(text: string, annotation: string): FieldError[] {
  const problem = jsonProblem(text);
  if (problem !== undefined) return [invalid("metadata.annotations.AvoidPods", annotation, problem)];
  return entriesOf(JSON.parse(text)).flatMap((entry, index) =>
    validateEntry(entry, `metadata.annotations.${annotation}[${index}].PodSignature`),
  );
}

function entriesOf(document: unknown): unknown[] {
  const entries = member(document, "preferAvoidPods");
  return Array.isArray(entries) ? entries : [];
}

function validateEntry(entry: unknown, at: string): FieldError[] {
  const controller = member(member(entry, "podSignature"), "podController");
  if (!isObject(controller)) return [required(at)];
  if (controller["controller"] === true) return [];
  return [invalid(`${at}.PodController.Controller`, controller["controller"] ?? null, "must point to a controller")];
}

function member(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}
