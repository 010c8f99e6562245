// Whether the schema of a custom resource is structural: every field it speaks of has a type outside of value-only
// validation, and nothing inside of that changes what is stored.

import { append } from "../base/append.ts";
import { compileLinear } from "../base/linear-regexp.ts";
import { flatMapInSteps, Pace, type Steps } from "../base/steps.ts";
import { type FieldError, fieldErrorText, forbiddenField, invalid, required } from "../meta/field-error.ts";
import {
  additionalOf,
  hasProperties,
  itemsOf,
  LEVELS_PER_STEP,
  type Props,
  propertyNamesOf,
  propertyOf,
  tupleOf,
} from "./crd-props.ts";
import { sortedInSteps } from "./sorted-keys.ts";
import { completenessErrors } from "./structural-completeness.ts";

/** Every way in which `props` is not structural, in the order of their texts. `at` is the path of `props`. */
export function* structuralErrors(props: Props, at: string): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const pace = new Pace(LEVELS_PER_STEP);
  yield* checkInvariants(props, "root", at, errors, pace);
  append(errors, yield* completenessErrors(props, at, pace));
  return errors.length < 2 ? errors : yield* inOrderOfTexts(errors);
}

const ERRORS_PER_STEP = 500;

function* inOrderOfTexts(errors: readonly FieldError[]): Steps<FieldError[]> {
  const pace = new Pace(ERRORS_PER_STEP);
  const byText = new Map<string, FieldError[]>();
  for (const error of errors) {
    if (pace.due()) yield;
    const text = fieldErrorText(error);
    const same = byText.get(text);
    if (same === undefined) byText.set(text, [error]);
    else same.push(error);
  }
  const texts = yield* sortedInSteps([...byText.keys()]);
  return yield* flatMapInSteps(texts, pace, (text) => byText.get(text)!);
}

type Level = "root" | "item" | "field";

/** Asked of every level of large schemas: what is found goes into one list. */
function* checkInvariants(props: Props, level: Level, at: string, errors: FieldError[], pace: Pace): Steps<void> {
  if (pace.due()) yield;
  const items = itemsOf(props);
  if (props.type === "array" && items === undefined && tupleOf(props).length === 0)
    errors.push(required(`${at}.items`, "must be specified"));
  if (items !== undefined) yield* checkInvariants(items, "item", `${at}.items`, errors, pace);
  for (const name of propertyNamesOf(props))
    yield* checkInvariants(props.properties![name]!, "field", `${at}.properties[${name}]`, errors, pace);
  if (props.additionalProperties !== undefined) {
    const path = `${at}.additionalProperties`;
    if (level === "root") errors.push(forbiddenField(path, "must not be used at the root"));
    const values = additionalOf(props);
    if (values !== undefined) yield* checkInvariants(values, "field", path, errors, pace);
  }
  checkExtensions(props, at, errors);
  const skipped = { anyOf: isIntOrString(props.anyOf), firstAllOf: isIntOrString(props.allOf?.[0]?.anyOf) };
  yield* checkValueRules(props, skipped, at, errors, pace);
  checkType(props, level, at, errors);
  checkMeta(props, level, at, errors);
}

function checkExtensions(props: Props, at: string, errors: FieldError[]): void {
  if (!props["x-kubernetes-int-or-string"]) return;
  for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (props[name]) errors.push(invalid(`${at}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
}

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkType(props: Props, level: Level, at: string, errors: FieldError[]): void {
  const type = props.type ?? "";
  const path = `${at}.type`;
  const embedded = props["x-kubernetes-embedded-resource"];
  if (embedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(path, detail) : invalid(path, type, detail));
  } else if (type === "" && !props["x-kubernetes-int-or-string"] && !props["x-kubernetes-preserve-unknown-fields"]) {
    errors.push(required(path, MISSING_TYPE[level]));
  }
  if (embedded && props.additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbiddenField(`${at}.additionalProperties`, detail));
  }
  if (level === "root" && type !== "" && type !== "object")
    errors.push(invalid(path, type, "must be object at the root"));
  if (embedded && !props["x-kubernetes-preserve-unknown-fields"] && !hasProperties(props)) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${at}.properties`, detail));
  }
}

/** What a schema may say of apiVersion, kind and metadata: their types, and at the root also how names look. */
function checkMeta(props: Props, level: Level, at: string, errors: FieldError[]): void {
  const isResource = level === "root" || props["x-kubernetes-embedded-resource"];
  for (const name of ["kind", "apiVersion"]) {
    const property = propertyOf(props, name);
    if (property !== undefined && isResource && property.type !== "string") {
      errors.push(invalid(`${at}.properties[${name}].type`, property.type ?? "", "must be string"));
    }
  }
  const metadata = propertyOf(props, "metadata");
  if (metadata === undefined) return;
  const path = `${at}.properties[metadata]`;
  if (isResource && metadata.type !== "object")
    errors.push(invalid(`${path}.type`, metadata.type ?? "", "must be object"));
  if (level === "root" && !isPlainMetadata(metadata)) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbiddenField(path, detail));
  }
}

function isPlainMetadata(metadata: Props): boolean {
  const { type: _type, default: _default, properties, ...rest } = metadata;
  const names = Object.keys(properties ?? {});
  return Object.keys(rest).length === 0 && names.every((name) => name === "name" || name === "generateName");
}

/** Junctors that say "integer or string", where types are welcome. */
interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

function* checkValueRules(props: Props, skipped: Skipped, at: string, errors: FieldError[], pace: Pace): Steps<void> {
  for (const [i, each] of (skipped.anyOf ? [] : (props.anyOf ?? [])).entries())
    yield* checkNested(each, false, `${at}.anyOf[${i}]`, errors, pace);
  for (const [i, each] of (props.allOf ?? []).entries())
    yield* checkNested(each, skipped.firstAllOf && i === 0, `${at}.allOf[${i}]`, errors, pace);
  for (const [i, each] of (props.oneOf ?? []).entries())
    yield* checkNested(each, false, `${at}.oneOf[${i}]`, errors, pace);
  if (props.not !== undefined) yield* checkNested(props.not, false, `${at}.not`, errors, pace);
  if (props.pattern !== undefined && props.pattern !== "") {
    const compiled = compileLinear(props.pattern);
    if (typeof compiled === "string") {
      const detail = `must be a valid regular expression, but isn't: ${compiled}`;
      errors.push(invalid(`${at}.pattern`, props.pattern, detail));
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

function* checkNested(props: Props, skipAnyOf: boolean, at: string, errors: FieldError[], pace: Pace): Steps<void> {
  if (pace.due()) yield;
  yield* checkValueRules(props, { anyOf: skipAnyOf, firstAllOf: false }, at, errors, pace);
  const items = itemsOf(props);
  if (items !== undefined) yield* checkNested(items, false, `${at}.items`, errors, pace);
  for (const name of propertyNamesOf(props))
    yield* checkNested(props.properties![name]!, false, `${at}.properties[${name}]`, errors, pace);
  for (const [name, detail] of FORBIDDEN_INSIDE) {
    if (isSet(props[name])) errors.push(forbiddenField(`${at}.${name}`, detail));
  }
  if (propertyOf(props, "metadata") !== undefined) {
    errors.push(forbiddenField(`${at}.properties[metadata]`, "must not be specified in a nested context"));
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
