// The replicas of a custom resource with a scale are numbers that a scale can say.

import { parseJsonPath } from "../../../codec/json-path.ts";
import { type FieldError, invalid } from "../../../meta/field-error.ts";
import type { ApiObject } from "../../../meta/object.ts";

const MAX_INT32 = 2 ** 31 - 1;

interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
}

export function scaleErrors(object: ApiObject, scale: ScalePaths | undefined): FieldError[] {
  if (scale === undefined) return [];
  return [...replicaErrors(object, scale.specReplicasPath), ...replicaErrors(object, scale.statusReplicasPath)];
}

function replicaErrors(object: ApiObject, path: string): FieldError[] {
  const value = parseJsonPath(path)?.(object);
  if (typeof value !== "number" && typeof value !== "bigint") return [];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  return value > MAX_INT32 ? [invalid(path, value, `should be less than or equal to ${MAX_INT32}`)] : [];
}
