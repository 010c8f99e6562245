// The rules of list types and the keys of map lists in the schema of a custom resource.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../meta/field-error.ts";
import { itemsOf, type Props, propertyOf, tupleOf } from "./crd-props.ts";

export function* listRuleErrors(props: Props, at: string): Generator<FieldError> {
  const listType = props["x-kubernetes-list-type"];
  const keys = props["x-kubernetes-list-map-keys"] ?? [];
  const typePath = `${at}.x-kubernetes-list-type`;
  if (listType !== undefined && props.type !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    yield props.type === undefined ? required(`${at}.type`, detail) : invalid(`${at}.type`, props.type, detail);
  } else if (listType === "set") yield* setErrors(props, at);
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    yield notSupported(typePath, listType, ["atomic", "set", "map"]);
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    yield listType === undefined ? required(typePath, detail) : invalid(typePath, listType, detail);
  }
  if (listType === "map") yield* mapErrors(props, keys, at);
  if (listType === "map" || listType === "set") yield* nullabilityErrors(props, listType, keys, at);
}

/** Elements of a set are compared as a whole, so they must be replaced as a whole. */
function* setErrors(props: Props, at: string): Generator<FieldError> {
  const items = itemsOf(props);
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const innerList = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && innerList !== undefined && innerList !== "atomic") {
    yield invalid(`${at}.items.x-kubernetes-list-type`, innerList, detail);
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    // Upstream shows the list type here.
    yield invalid(`${at}.items.x-kubernetes-map-type`, innerList ?? null, detail);
  }
}

function* mapErrors(props: Props, keys: readonly string[], at: string): Generator<FieldError> {
  const keysPath = `${at}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) yield required(keysPath, "must not be empty if x-kubernetes-list-type is map");
  const items = itemsOf(props);
  if (items === undefined) {
    yield tupleOf(props).length === 0
      ? required(`${at}.items`, "must have a schema if x-kubernetes-list-type is map")
      : invalid(`${at}.items`, props.items, "must only have a single schema if x-kubernetes-list-type is map");
    return;
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    yield invalid(`${at}.items.type`, items.type ?? "", detail);
    return;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (property === undefined) yield invalid(keysPath, keys, "entries must all be names of item properties");
    else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      yield invalid(`${at}.items.properties[${key}].type`, items.type, detail);
    }
    if (seen.has(key)) yield invalid(keysPath, keys, "must not contain duplicate entries");
    seen.add(key);
  }
}

function* nullabilityErrors(props: Props, type: string, keys: readonly string[], at: string): Generator<FieldError> {
  const items = itemsOf(props);
  if (items?.nullable) {
    yield forbiddenField(`${at}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${type}`);
  }
  if (type !== "map" || items === undefined) return;
  const requiredKeys = new Set(items.required);
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const path = `${at}.items.properties[${key}]`;
    const because = "this property is in x-kubernetes-list-map-keys, so it";
    if (!requiredKeys.has(key) && property.default === undefined) {
      yield required(`${path}.default`, `${because} must have a default or be a required property`);
    }
    if (property.nullable) yield forbiddenField(`${path}.nullable`, `${because} cannot be nullable`);
  }
}
