// Defaults in the schema of a custom resource must themselves be valid and pruned; metadata in them is shaped.

import { cloneJson, equalJson, isObject } from "../base/json.ts";
import { type FieldError, invalid } from "../meta/field-error.ts";
import { itemsOf, type Props, propertiesOf } from "./crd-props.ts";
import { defaultedResourceErrors, shapeDefaultedMeta } from "./embedded.ts";
import { schemaOfProps } from "./from-crd.ts";
import { pruneInner } from "./prune.ts";
import type { StructSchema } from "./schema.ts";
import { validateValue } from "./validate.ts";

/** `objectMeta`: what the metadata of resources in defaults must fit. */
export function defaultErrors(props: Props, at: string, objectMeta: StructSchema | undefined): FieldError[] {
  return [...visit(props, at, objectMeta)];
}

/** Drops from the metadata of resources in defaults what is no metadata, in place. */
export function shapeDefaults(props: Props, objectMeta: StructSchema): void {
  if (isObject(props.default) || Array.isArray(props.default))
    shapeDefaultedMeta(props.default, schemaOfProps(props), objectMeta);
  const items = itemsOf(props);
  if (items !== undefined) shapeDefaults(items, objectMeta);
  for (const [, property] of propertiesOf(props)) shapeDefaults(property, objectMeta);
}

// Values of maps are not followed: a default there is never applied but to null.
function* visit(props: Props, at: string, objectMeta: StructSchema | undefined): Generator<FieldError> {
  if (props.default !== undefined) yield* checkDefault(props, `${at}.default`, objectMeta);
  const items = itemsOf(props);
  if (items !== undefined) yield* visit(items, `${at}.items`, objectMeta);
  for (const [name, property] of propertiesOf(props)) yield* visit(property, `${at}.properties[${name}]`, objectMeta);
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
