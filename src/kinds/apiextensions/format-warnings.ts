// Formats that nobody checks: whoever writes one into a schema is told so. Pure.

import type { Json } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { keysOf } from "../../base/wide-keys.ts";
import { isKnownFormat } from "../../meta/string-formats.ts";
import { LEVELS_PER_STEP, type Props } from "../../schema/crd-props.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition-schema.ts";

/** Those that an update found there are not told again. */
export function* warnFormats(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): Steps<string[]> {
  const known = old === undefined ? new Set<string>() : yield* unknownFormats(old.spec);
  return [...(yield* unknownFormats(spec))]
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function* unknownFormats({ versions }: CustomResourceDefinition["spec"]): Steps<Set<string>> {
  const found = new Set<string>();
  const pace = new Pace(LEVELS_PER_STEP);
  for (const { schema } of versions ?? []) {
    if (pace.due()) yield;
    if (schema?.openAPIV3Schema) yield* collect(schema.openAPIV3Schema as Json, found, pace);
  }
  return found;
}

/** Where a schema holds further ones: one, a list, or some under names. */
const INSIDE = ["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems"] as const;
const INSIDE_BY_NAME = ["properties", "patternProperties", "definitions", "dependencies"] as const;

function* collect(value: Json | undefined, found: Set<string>, pace: Pace): Steps<void> {
  if (Array.isArray(value)) {
    for (const each of value) yield* collect(each, found, pace);
    return;
  }
  if (!isObject(value)) return;
  if (pace.due()) yield;
  const { type, format } = value as Pick<Props, "type" | "format">;
  if (type === "string" && format && !isKnownFormat(format)) found.add(format);
  for (const key of INSIDE) if (value[key] !== undefined) yield* collect(value[key], found, pace);
  for (const key of INSIDE_BY_NAME) {
    const named = value[key];
    if (isObject(named)) for (const name of keysOf(named)) yield* collect(named[name], found, pace);
  }
}
