// The fields of a custom resource that field selectors may name.

import { getKey, isObject } from "../../../base/json.ts";
import type { SelectableField } from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import type { ApiObject } from "../../../meta/object.ts";

/** By the name that selectors use: the path without its first dot. */
export function selectableReaders(
  fields: readonly SelectableField[] | undefined,
): Record<string, (object: ApiObject) => string> {
  if (fields === undefined || fields.length === 0) return NO_READERS;
  const readers: Record<string, (object: ApiObject) => string> = Object.create(null) as Record<string, never>;
  for (const { jsonPath } of fields) {
    const path = jsonPath.replace(/^\./, "");
    const names = path.split(".");
    readers[path] = (object) => textAt(object, names);
  }
  return readers;
}

/** Shared by the many who select by nothing. */
const NO_READERS: Record<string, never> = Object.freeze(Object.create(null) as Record<string, never>);

function textAt(object: ApiObject, names: readonly string[]): string {
  let value: unknown = object;
  for (const name of names) {
    if (!isObject(value)) return "";
    value = getKey(value, name);
  }
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
    case "number":
    case "bigint":
      return String(value);
    default:
      return "";
  }
}
