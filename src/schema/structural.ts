// Whether the schema of a custom resource is structural: every field it speaks of has a type outside of value-only
// validation, and nothing inside of that changes what is stored.

import { compileLinear } from "../base/linear-regexp.ts";
import { type FieldError, fieldErrorText, forbiddenField, invalid, required } from "../meta/field-error.ts";
import { additionalOf, hasProperties, itemsOf, type Props, propertiesOf, propertyOf } from "./crd-props.ts";
import { compareByBytes } from "./sorted-keys.ts";
import { completenessErrors } from "./structural-completeness.ts";

/** Every way in which `props` is not structural, in the order of their texts. `at` is the path of `props`. */
export function structuralErrors(props: Props, at: string): FieldError[] {
  const errors = [...invariants(props, "root", at), ...completenessErrors(props, at)];
  return errors.sort((a, b) => compareByBytes(fieldErrorText(a), fieldErrorText(b)));
}

type Level = "root" | "item" | "field";

function* invariants(props: Props, level: Level, at: string): Generator<FieldError> {
  const items = itemsOf(props);
  if (props.type === "array" && items === undefined) yield required(`${at}.items`, "must be specified");
  if (items !== undefined) yield* invariants(items, "item", `${at}.items`);
  for (const [name, property] of propertiesOf(props)) yield* invariants(property, "field", `${at}.properties[${name}]`);
  if (props.additionalProperties !== undefined) {
    const path = `${at}.additionalProperties`;
    if (level === "root") yield forbiddenField(path, "must not be used at the root");
    const values = additionalOf(props);
    if (values !== undefined) yield* invariants(values, "field", path);
  }
  yield* extensionErrors(props, at);
  yield* valueErrors(props, isIntOrString(props.anyOf), isIntOrString(props.allOf?.[0]?.anyOf), at);
  yield* typeErrors(props, level, at);
  yield* metaErrors(props, level, at);
}

function* extensionErrors(props: Props, at: string): Generator<FieldError> {
  if (!props["x-kubernetes-int-or-string"]) return;
  for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (props[name]) yield invalid(`${at}.${name}`, true, "must be false if x-kubernetes-int-or-string is true");
  }
}

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function* typeErrors(props: Props, level: Level, at: string): Generator<FieldError> {
  const type = props.type ?? "";
  const path = `${at}.type`;
  const embedded = props["x-kubernetes-embedded-resource"];
  if (embedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    yield type === "" ? required(path, detail) : invalid(path, type, detail);
  } else if (type === "" && !props["x-kubernetes-int-or-string"] && !props["x-kubernetes-preserve-unknown-fields"]) {
    yield required(path, MISSING_TYPE[level]);
  }
  if (embedded && props.additionalProperties !== undefined) {
    yield forbiddenField(`${at}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set");
  }
  if (level === "root" && type !== "" && type !== "object") yield invalid(path, type, "must be object at the root");
  if (embedded && !props["x-kubernetes-preserve-unknown-fields"] && !hasProperties(props)) {
    yield required(
      `${at}.properties`,
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    );
  }
}

/** What a schema may say of apiVersion, kind and metadata: their types, and at the root also how names look. */
function* metaErrors(props: Props, level: Level, at: string): Generator<FieldError> {
  const isResource = level === "root" || props["x-kubernetes-embedded-resource"];
  for (const name of ["kind", "apiVersion"]) {
    const property = propertyOf(props, name);
    if (property !== undefined && isResource && property.type !== "string") {
      yield invalid(`${at}.properties[${name}].type`, property.type ?? "", "must be string");
    }
  }
  const metadata = propertyOf(props, "metadata");
  if (metadata === undefined) return;
  const path = `${at}.properties[metadata]`;
  if (isResource && metadata.type !== "object") yield invalid(`${path}.type`, metadata.type ?? "", "must be object");
  if (level === "root" && !isPlainMetadata(metadata)) {
    yield forbiddenField(
      path,
      "must not specify anything other than name and generateName, but metadata is implicitly specified",
    );
  }
}

function isPlainMetadata(metadata: Props): boolean {
  const { type: _type, default: _default, properties, ...rest } = metadata;
  const names = Object.keys(properties ?? {});
  return Object.keys(rest).length === 0 && names.every((name) => name === "name" || name === "generateName");
}

function* valueErrors(props: Props, skipAnyOf: boolean, skipFirstAllOf: boolean, at: string): Generator<FieldError> {
  if (!skipAnyOf) {
    for (const [i, each] of (props.anyOf ?? []).entries()) yield* nestedErrors(each, false, `${at}.anyOf[${i}]`);
  }
  for (const [i, each] of (props.allOf ?? []).entries()) {
    yield* nestedErrors(each, skipFirstAllOf && i === 0, `${at}.allOf[${i}]`);
  }
  for (const [i, each] of (props.oneOf ?? []).entries()) yield* nestedErrors(each, false, `${at}.oneOf[${i}]`);
  if (props.not !== undefined) yield* nestedErrors(props.not, false, `${at}.not`);
  if (props.pattern !== undefined && props.pattern !== "") {
    const compiled = compileLinear(props.pattern);
    if (typeof compiled === "string") {
      yield invalid(`${at}.pattern`, props.pattern, `must be a valid regular expression, but isn't: ${compiled}`);
    }
  }
}

/** What value-only schemas must not say: [name, how it must be]. */
const FORBIDDEN_INSIDE = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
] as const satisfies readonly (readonly [keyof Props, string])[];

function* nestedErrors(props: Props, skipAnyOf: boolean, at: string): Generator<FieldError> {
  yield* valueErrors(props, skipAnyOf, false, at);
  const items = itemsOf(props);
  if (items !== undefined) yield* nestedErrors(items, false, `${at}.items`);
  for (const [name, property] of propertiesOf(props)) yield* nestedErrors(property, false, `${at}.properties[${name}]`);
  for (const [name, detail] of FORBIDDEN_INSIDE) {
    if (isSet(props[name])) yield forbiddenField(`${at}.${name}`, detail);
  }
  if (propertyOf(props, "metadata") !== undefined) {
    yield forbiddenField(`${at}.properties[metadata]`, "must not be specified in a nested context");
  }
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === false || value === "") return false;
  return !Array.isArray(value) || value.length > 0;
}

/** The one place where types inside junctors are welcome: integer or string, said the long way. */
function isIntOrString(anyOf: readonly Props[] | undefined): boolean {
  const says = (props: Props | undefined, type: string) =>
    props !== undefined && props.type === type && Object.keys(props).length === 1;
  return anyOf?.length === 2 && says(anyOf[0], "integer") && says(anyOf[1], "string");
}
