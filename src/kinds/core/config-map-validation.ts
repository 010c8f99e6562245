// What a ConfigMap must look like.

import { equalJson } from "../../base/json.ts";
import { type FieldError, forbiddenField, invalid, tooLong } from "../../meta/field-error.ts";
import { configMapKeyProblems } from "../../meta/name-formats.ts";
import { addProblems } from "../meta/value-checks.ts";
import type { ConfigMap } from "./config-map.ts";

/** The most that all values of a ConfigMap or a Secret may have together. */
export const MAX_DATA_BYTES = 1024 * 1024;

export const FROZEN = "field is immutable when `immutable` is set";

export function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let sizeBytes = 0;
  for (const [key, value] of Object.entries(data)) {
    addProblems(errors, `data[${key}]`, key, configMapKeyProblems(key));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    sizeBytes += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    addProblems(errors, `binaryData[${key}]`, key, configMapKeyProblems(key));
    sizeBytes += base64Length(value);
  }
  if (sizeBytes > MAX_DATA_BYTES) errors.push(tooLong("", MAX_DATA_BYTES));
  return errors;
}

export function validateConfigMapUpdate(map: ConfigMap, old: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (old.immutable) {
    if (!map.immutable) errors.push(forbiddenField("immutable", FROZEN));
    if (!equalJson(map.data ?? {}, old.data ?? {})) errors.push(forbiddenField("data", FROZEN));
    if (!equalJson(map.binaryData ?? {}, old.binaryData ?? {})) errors.push(forbiddenField("binaryData", FROZEN));
  }
  return [...errors, ...validateConfigMap(map)];
}

/** How many bytes a base64 text stands for. */
export function base64Length(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text, "base64");
}
