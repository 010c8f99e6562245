// What a definition may say in openAPIV3Schema beyond being structural, level by level. Expressions are compiled
// elsewhere; here only the text around them is looked at.

import { append } from "../base/append.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../meta/field-error.ts";
import { type DefaultOptions, defaultErrors } from "./crd-defaults.ts";
import { expressionTextErrors } from "./crd-expression-rules.ts";
import { listRuleErrors } from "./crd-list-rules.ts";
import {
  additionalOf,
  hasProperties,
  itemsOf,
  LEVELS_PER_STEP,
  type Props,
  propertyNamesOf,
  tupleOf,
} from "./crd-props.ts";
import { structuralErrors } from "./structural.ts";

interface CrdSchemaOptions extends DefaultOptions {
  /** Path of the schema, as messages say it: spec.validation.openAPIV3Schema. */
  readonly at: string;
  /** The status sub-resource is on: only some fields are allowed at the root. */
  readonly statusEnabled: boolean;
}

interface CrdSchemaFindings {
  readonly errors: FieldError[];
  /** Those of single levels, where structure and defaults are as they must be so that expressions can be looked at. */
  readonly ofLevels?: FieldError[];
}

/** Everything that is wrong with the schema of a custom resource but for its expressions, in upstream's words. */
export function* crdSchemaErrors(props: Props, options: CrdSchemaOptions): Steps<CrdSchemaFindings> {
  const { at } = options;
  const errors = options.statusEnabled ? rootErrors(props, at) : [];
  if (props.nullable) errors.push(forbiddenField(`${at}.nullable`, "nullable cannot be true at the root"));
  const pace = new Pace(LEVELS_PER_STEP);
  const depth = yield* depthOf(props, pace);
  if (depth > MAX_SCHEMA_DEPTH) {
    const tooDeep = invalid(at, "", `must not nest deeper than ${MAX_SCHEMA_DEPTH} levels`);
    return { errors: [tooDeep] };
  }
  const unreadable = yield* whyUnreadable(props, pace);
  let sound = false;
  if (unreadable === undefined) {
    const structural = yield* structuralErrors(props, at);
    const found = structural.length > 0 ? structural : yield* defaultErrors(props, at, options);
    yield;
    append(errors, found);
    sound = found.length === 0;
  }
  const ofLevels: FieldError[] = [];
  yield* checkLevel(props, at, { root: true, insideMeta: false }, ofLevels, pace);
  yield;
  append(errors, ofLevels);
  yield;
  // Told only where nothing else is.
  if (errors.length === 0 && unreadable !== undefined) errors.push(invalid(at, "", unreadable));
  return sound ? { errors, ofLevels } : { errors };
}

/** What keeps the schema from being read as a structural one, so that nothing can be said about its structure. */
function* whyUnreadable(props: Props, pace: Pace): Steps<string | undefined> {
  if (pace.due()) yield;
  for (const name of UNREADABLE) {
    const value = props[name];
    if (value === undefined || value === "" || (name !== "additionalItems" && isEmptyObject(value))) continue;
    return `OpenAPIV3Schema '${name.replace("$schema", "schema")}' is not supported`;
  }
  if (props["x-kubernetes-preserve-unknown-fields"] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (tupleOf(props).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const inner of schemasIn(props)) {
    const words = yield* whyUnreadable(inner, pace);
    if (words !== undefined) return words;
  }
  return undefined;
}

const UNREADABLE = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
] as const;

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

function* schemasIn(props: Props): Generator<Props> {
  if (props.not !== undefined) yield props.not;
  for (const name of ["allOf", "anyOf", "oneOf"] as const) yield* props[name] ?? [];
  const [items, values] = [itemsOf(props), additionalOf(props)];
  if (items !== undefined) yield items;
  for (const name of propertyNamesOf(props)) yield props.properties![name]!;
  if (values !== undefined) yield values;
}

/** Deeper schemas are refused before anything walks them. */
const MAX_SCHEMA_DEPTH = 200;

/** How levels are seen from above. */
interface Surroundings {
  readonly root: boolean;
  readonly insideMeta: boolean;
  /** Why there may be no defaults. */
  readonly noDefaults?: string;
}

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Asked of every level of large schemas: what is found goes into one list. */
function* checkLevel(props: Props, at: string, around: Surroundings, errors: FieldError[], pace: Pace): Steps<void> {
  if (pace.due()) yield;
  const inner = around.root ? { ...around, root: false } : around;
  checkSupported(props, at, around, errors);
  if (props.uniqueItems) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbiddenField(`${at}.uniqueItems`, detail));
  }
  const values = additionalOf(props);
  if ((values !== undefined || props.additionalProperties === false) && hasProperties(props)) {
    const detail = "additionalProperties and properties are mutual exclusive";
    errors.push(forbiddenField(`${at}.additionalProperties`, detail));
  }
  if (values !== undefined) {
    const noDefaults = around.insideMeta
      ? { noDefaults: "inside additionalProperties applying to object metadata" }
      : {};
    yield* checkLevel(values, `${at}.additionalProperties`, { ...inner, ...noDefaults }, errors, pace);
  }
  for (const name of propertyNamesOf(props)) {
    const path = `${at}.properties[${name}]`;
    yield* checkLevel(props.properties![name]!, path, aroundProperty(props, name, around, inner), errors, pace);
  }
  yield* checkJunctors(props, at, inner, errors, pace);
  yield* checkDefinitions(props, at, inner, errors, pace);
  const items = itemsOf(props);
  if (items !== undefined) yield* checkLevel(items, `${at}.items`, inner, errors, pace);
  for (const [i, item] of tupleOf(props).entries()) yield* checkLevel(item, `${at}.items[${i}]`, inner, errors, pace);
  yield* checkDependencies(props, at, inner, errors, pace);
  checkExtensions(props, at, errors);
  if (props["x-kubernetes-list-type"] !== undefined || props["x-kubernetes-list-map-keys"] !== undefined)
    append(errors, [...listRuleErrors(props, at)]);
  for (const [i, rule] of (props["x-kubernetes-validations"] ?? []).entries()) {
    if (pace.due()) yield;
    append(errors, [...expressionTextErrors(rule, props, `${at}.x-kubernetes-validations[${i}]`)]);
  }
}

function aroundProperty(props: Props, name: string, around: Surroundings, inner: Surroundings): Surroundings {
  if (!META_FIELDS.has(name) || !(around.root || props["x-kubernetes-embedded-resource"])) return inner;
  return { ...inner, insideMeta: true, ...(around.root ? { noDefaults: `in top-level ${name}` } : {}) };
}

function* checkJunctors(props: Props, at: string, inner: Surroundings, errors: FieldError[], pace: Pace): Steps<void> {
  if (props.not !== undefined) yield* checkLevel(props.not, `${at}.not`, inner, errors, pace);
  for (const name of ["allOf", "oneOf", "anyOf"] as const)
    for (const [i, each] of (props[name] ?? []).entries())
      yield* checkLevel(each, `${at}.${name}[${i}]`, inner, errors, pace);
}

/** Schemas in what is not supported: what they say is told all the same. */
function* checkDefinitions(
  props: Props,
  at: string,
  inner: Surroundings,
  errors: FieldError[],
  pace: Pace,
): Steps<void> {
  for (const [name, each] of Object.entries(props.definitions ?? {}))
    yield* checkLevel(each, `${at}.definitions[${name}]`, inner, errors, pace);
}

function* checkDependencies(
  props: Props,
  at: string,
  inner: Surroundings,
  errors: FieldError[],
  pace: Pace,
): Steps<void> {
  for (const [name, each] of Object.entries(props.dependencies ?? {}))
    if (isSchema(each)) yield* checkLevel(each, `${at}.dependencies[${name}]`, inner, errors, pace);
}

const isSchema = (dependency: Props | readonly string[]): dependency is Props => !Array.isArray(dependency);

const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function checkSupported(props: Props, at: string, around: Surroundings, errors: FieldError[]): void {
  const { type } = props;
  if (type !== undefined && type !== "" && !TYPES.includes(type)) errors.push(notSupported(`${at}.type`, type, TYPES));
  if (props.default !== undefined && around.noDefaults !== undefined)
    errors.push(forbiddenField(`${at}.default`, `must not be set ${around.noDefaults}`));
  for (const name of UNSUPPORTED) {
    if (props[name] !== undefined && (props[name] !== "" || name !== "id"))
      errors.push(forbiddenField(`${at}.${name}`, `${name} is not supported`));
  }
  if (type === "null")
    errors.push(forbiddenField(`${at}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (tupleOf(props).length > 0)
    errors.push(forbiddenField(`${at}.items`, "items must be a schema object and not an array"));
  if (around.insideMeta && props["x-kubernetes-embedded-resource"])
    errors.push(forbiddenField(`${at}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
}

function checkExtensions(props: Props, at: string, errors: FieldError[]): void {
  if (props["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(invalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  const mapType = props["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  if (props.type !== "object") {
    const detail = "must be object if x-kubernetes-map-type is specified";
    errors.push(props.type === undefined ? required(`${at}.type`, detail) : invalid(`${at}.type`, props.type, detail));
  }
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(notSupported(`${at}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
}

// As upstream spells them: the message prints the list.
const ALLOWED_AT_ROOT = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** With a status sub-resource only such fields may stand at the root whose meaning survives without status. */
function rootErrors(props: Props, at: string): FieldError[] {
  if (props.type !== undefined && props.type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${at}.type`, props.type, detail)];
  }
  const stranger = Object.keys(props).find((name) => !ALLOWED_AT_ROOT.includes(upstreamName(name)));
  if (stranger === undefined) return [];
  const detail = `only [${ALLOWED_AT_ROOT.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(at, props, detail)];
}

function upstreamName(name: string): string {
  const words = name.replace(/^x-kubernetes-/, "x-").split("-");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function* depthOf(props: Props, pace: Pace): Steps<number> {
  let depth = 0;
  let level: Props[] = [props];
  while (level.length > 0 && depth <= MAX_SCHEMA_DEPTH) {
    depth++;
    const next: Props[] = [];
    for (const each of level) {
      if (pace.due()) yield;
      addChildren(each, next);
      for (const name of propertyNamesOf(each)) {
        if (pace.due()) yield;
        next.push(each.properties![name]!);
      }
    }
    level = next;
  }
  return depth;
}

/** All but its properties. */
function addChildren(props: Props, children: Props[]): void {
  for (const child of [itemsOf(props), additionalOf(props), props.not]) if (child !== undefined) children.push(child);
  for (const each of [props.allOf, props.anyOf, props.oneOf, tupleOf(props)])
    if (each !== undefined) append(children, each);
  append(children, Object.values(props.definitions ?? {}));
  append(children, Object.values(props.dependencies ?? {}).filter(isSchema));
}
