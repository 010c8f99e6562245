// Defaults in the schema of a custom resource must themselves be valid, pruned, and satisfy the rules that they will be
// held against; metadata in them is shaped.

import { append } from "../base/append.ts";
import { isObject } from "../base/json.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { type FieldError, invalid } from "../meta/field-error.ts";
import { itemsOf, LEVELS_PER_STEP, type Props, propertyNamesOf } from "./crd-props.ts";
import { defaultedResourceErrors, shapeDefaultedMeta } from "./embedded.ts";
import { schemaOfProps } from "./from-crd.ts";
import { hasUnknownFields } from "./prune.ts";
import { evaluateRules, innerRuleTreeOf } from "./rule-evaluation.ts";
import type { Schema, StructSchema } from "./schema.ts";
import { inKeyOrder } from "./sorted-keys.ts";
import { validateValueInSteps } from "./validate.ts";

export interface DefaultOptions {
  /** The brand of library types in rules: the dialect. */
  readonly namespace: string;
  /** What the metadata of resources in defaults must fit. */
  readonly objectMeta?: StructSchema;
}

export function* defaultErrors(props: Props, at: string, options: DefaultOptions): Steps<FieldError[]> {
  const pace = new Pace(LEVELS_PER_STEP);
  const errors: FieldError[] = [];
  for (const { each, path } of levelsWithDefaults(asResource(props), at)) {
    if (pace.due()) yield;
    if (each.default !== undefined) yield* checkDefault(each, `${path}.default`, options, errors);
  }
  return errors;
}

/** Drops from the metadata of resources in defaults what is no metadata, in place. */
export function* shapeDefaults(props: Props, objectMeta: StructSchema): Steps<void> {
  const pace = new Pace(LEVELS_PER_STEP);
  for (const { each } of levelsWithDefaults(asResource(props), "")) {
    if (pace.due()) yield;
    if (isObject(each.default) || Array.isArray(each.default))
      shapeDefaultedMeta(each.default, yield* schemaOfProps(each), objectMeta);
  }
}

/** The root is a resource, and so is a default of it. */
function asResource(root: Props): Props {
  return root.default === undefined ? root : { ...root, "x-kubernetes-embedded-resource": true };
}

/** Every level whose default may be applied: values of maps are not followed, a default there is never but for null. */
function* levelsWithDefaults(props: Props, at: string): Generator<{ readonly each: Props; readonly path: string }> {
  yield { each: props, path: at };
  const items = itemsOf(props);
  if (items !== undefined) yield* levelsWithDefaults(items, `${at}.items`);
  for (const name of propertyNamesOf(props))
    yield* levelsWithDefaults(props.properties![name]!, `${at}.properties[${name}]`);
}

function* checkDefault(props: Props, path: string, options: DefaultOptions, errors: FieldError[]): Steps<void> {
  const { objectMeta } = options;
  const schema = yield* schemaOfProps(props);
  const value = props.default;
  if ((isObject(value) || Array.isArray(value)) && (yield* hasUnknownFields(value, schema)))
    errors.push(invalid(path, inKeyOrder(value), "must not have unknown fields"));
  const resources = objectMeta === undefined ? [] : defaultedResourceErrors(value, schema, path, objectMeta);
  const found = resources.length > 0 ? resources : yield* validateValueInSteps(value, schema, { at: path });
  append(errors, found.length > 0 ? found : yield* brokenRules(value, schema, path, options));
}

/** What the rules say of a value that stays, and then of one that is new. */
function* brokenRules(value: unknown, schema: Schema, at: string, options: DefaultOptions): Steps<FieldError[]> {
  const tree = yield* innerRuleTreeOf(schema, options);
  if (tree === undefined) return [];
  const { errors } = yield* evaluateRules(value, tree, { at, old: value, ratcheting: false });
  return errors.length > 0 ? errors : (yield* evaluateRules(value, tree, { at })).errors;
}
