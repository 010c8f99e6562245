// What the paths of a scale lead to in a custom resource is what a scale can say: numbers of replicas and the text of a selector.

import type { Json } from "../../../base/json.ts";
import { type FieldError, invalid } from "../../../meta/field-error.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { goType, goValue } from "../../../patch/go-text.ts";

const MAX_INT32 = 2 ** 31 - 1;

interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

/** A write of the status is not told of the spec. */
export function scaleErrors(object: ApiObject, scale: ScalePaths | undefined, ofStatus: boolean): FieldError[] {
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  return [
    ...(ofStatus ? [] : replicaErrors(object, specReplicasPath)),
    ...replicaErrors(object, statusReplicasPath),
    ...(labelSelectorPath === "" ? [] : selectorErrors(object, labelSelectorPath)),
  ];
}

function replicaErrors(object: ApiObject, path: string): FieldError[] {
  const { value, problem } = valueAt(object, path, "int64");
  if (problem !== undefined) return [invalid(path, 0, problem)];
  if (value === undefined) return [];
  const replicas = value as number | bigint;
  if (replicas < 0) return [invalid(path, replicas, "should be a non-negative integer")];
  return replicas > MAX_INT32 ? [invalid(path, replicas, `should be less than or equal to ${MAX_INT32}`)] : [];
}

function selectorErrors(object: ApiObject, path: string): FieldError[] {
  const { problem } = valueAt(object, path, "string");
  return problem === undefined ? [] : [invalid(path, "", problem)];
}

/** The value of the Go type at a path of plain names, or what stands in its place. */
function valueAt(object: ApiObject, path: string, type: string): { readonly value?: Json; readonly problem?: string } {
  const names = path.replace(/^\./, "").split(".");
  let value = object as unknown as Json | undefined;
  for (const [index, name] of names.entries()) {
    if (value === null || value === undefined) return {};
    if (typeof value !== "object" || Array.isArray(value))
      return { problem: accessProblem(names.slice(0, index + 1), value, "map[string]interface{}") };
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (value === undefined) return {};
  return goType(value) === type ? { value } : { problem: accessProblem(names, value, type) };
}

const accessProblem = (names: readonly string[], value: Json, type: string): string =>
  `.${names.join(".")} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${type}`;
