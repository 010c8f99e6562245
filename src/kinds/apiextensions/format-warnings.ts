// Formats that nobody checks: whoever writes one into a schema is told so. Pure.

import type { Json } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";
import type { Props } from "../../schema/crd-props.ts";
import { isKnownFormat } from "../../schema/formats.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition-schema.ts";

/** Those that an update found there are not told again. */
export function warnFormats({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): string[] {
  const known = old === undefined ? new Set<string>() : unknownFormats(old.spec);
  return [...unknownFormats(spec)]
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats({ versions }: CustomResourceDefinition["spec"]): Set<string> {
  const found = new Set<string>();
  for (const { schema } of versions ?? []) if (schema?.openAPIV3Schema) collect(schema.openAPIV3Schema as Json, found);
  return found;
}

/** Where a schema holds further ones: one, a list, or some under names. */
const INSIDE = ["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems"] as const;
const INSIDE_BY_NAME = ["properties", "patternProperties", "definitions", "dependencies"] as const;

function collect(value: Json | undefined, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, found);
    return;
  }
  if (!isObject(value)) return;
  const { type, format } = value as Pick<Props, "type" | "format">;
  if (type === "string" && format && !isKnownFormat(format)) found.add(format);
  for (const key of INSIDE) collect(value[key], found);
  for (const key of INSIDE_BY_NAME) {
    const named = value[key];
    if (isObject(named)) for (const each of Object.values(named)) collect(each, found);
  }
}
