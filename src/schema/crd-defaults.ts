// Defaults in the schema of a custom resource must themselves be valid and pruned; metadata in them is shaped.

import { append } from "../base/append.ts";
import { cloneJson, equalJson, isObject } from "../base/json.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { type FieldError, invalid } from "../meta/field-error.ts";
import { itemsOf, LEVELS_PER_STEP, type Props, propertyNamesOf } from "./crd-props.ts";
import { defaultedResourceErrors, shapeDefaultedMeta } from "./embedded.ts";
import { schemaOfProps } from "./from-crd.ts";
import { pruneInner } from "./prune.ts";
import type { StructSchema } from "./schema.ts";
import { validateValue } from "./validate.ts";

/** `objectMeta`: what the metadata of resources in defaults must fit. */
export function* defaultErrors(props: Props, at: string, objectMeta: StructSchema | undefined): Steps<FieldError[]> {
  const pace = new Pace(LEVELS_PER_STEP);
  const errors: FieldError[] = [];
  for (const { each, path } of levelsWithDefaults(props, at)) {
    if (pace.due()) yield;
    if (each.default !== undefined) append(errors, [...checkDefault(each, `${path}.default`, objectMeta)]);
  }
  return errors;
}

/** Drops from the metadata of resources in defaults what is no metadata, in place. */
export function* shapeDefaults(props: Props, objectMeta: StructSchema): Steps<void> {
  const pace = new Pace(LEVELS_PER_STEP);
  for (const { each } of levelsWithDefaults(props, "")) {
    if (pace.due()) yield;
    if (isObject(each.default) || Array.isArray(each.default))
      shapeDefaultedMeta(each.default, schemaOfProps(each), objectMeta);
  }
}

/** Every level whose default may be applied: values of maps are not followed, a default there is never but for null. */
function* levelsWithDefaults(props: Props, at: string): Generator<{ readonly each: Props; readonly path: string }> {
  yield { each: props, path: at };
  const items = itemsOf(props);
  if (items !== undefined) yield* levelsWithDefaults(items, `${at}.items`);
  for (const name of propertyNamesOf(props))
    yield* levelsWithDefaults(props.properties![name]!, `${at}.properties[${name}]`);
}

function* checkDefault(props: Props, path: string, objectMeta: StructSchema | undefined): Generator<FieldError> {
  const schema = schemaOfProps(props);
  const value = props.default;
  const pruned = cloneJson(value);
  if (isObject(pruned) || Array.isArray(pruned)) pruneInner(pruned, schema);
  if (!equalJson(pruned, value)) yield invalid(path, value, "must not have unknown fields");
  const resources = objectMeta === undefined ? [] : defaultedResourceErrors(value, schema, path, objectMeta);
  yield* resources.length > 0 ? resources : validateValue(value, schema, { at: path });
}
