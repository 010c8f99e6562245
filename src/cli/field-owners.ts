// Who owns which field of an object, from what the server records of it, as people name fields. Pure.
// Requirements: document 1, "Field management".

import { equalJson, getKey, isObject, type Json, type JsonObject } from "../base/json.ts";
import { itemsAt, memberOf, textAt } from "./json-members.ts";
import { textTable } from "./printing/text-table.ts";

export interface OwnedField {
  /** `.spec.template.spec.containers[name="web"].image` */
  readonly field: string;
  readonly manager: string;
  /** Apply or Update. */
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly time: string;
  /** What the field is in an object; undefined when it is not there. */
  readonly valueIn: (object: JsonObject) => unknown;
}

/** Deeper fields are no server's. */
const MAX_DEPTH = 100;

/** By field, then by manager. */
export function fieldOwners(object: JsonObject): OwnedField[] {
  const owned = itemsAt(memberOf(object, "metadata"), "managedFields").flatMap((entry) => {
    const owner = {
      manager: textAt(entry, "manager"),
      operation: textAt(entry, "operation"),
      subresource: textAt(entry, "subresource"),
      time: textAt(entry, "time"),
    };
    return leavesOf(memberOf(entry, "fieldsV1"), []).map(
      (path): OwnedField => ({
        ...owner,
        field: path.map(elementText).join(""),
        valueIn: (whole) => valueAt(whole, path),
      }),
    );
  });
  return owned.sort((a, b) => compare(a.field, b.field) || compare(a.manager, b.manager));
}

/** Of `object`, those whose fields are not the same in another form of it. */
export function ownersOfChanges(object: JsonObject, other: JsonObject): OwnedField[] {
  return fieldOwners(object).filter(({ valueIn }) => !equalJson(valueIn(object), valueIn(other)));
}

/** What of an object a manager has applied; undefined when that is nothing. */
export function appliedPart(object: JsonObject, manager: string): JsonObject | undefined {
  const metadata = memberOf(object, "metadata");
  const entry = itemsAt(metadata, "managedFields").find(
    (each) =>
      textAt(each, "manager") === manager &&
      textAt(each, "operation") === "Apply" &&
      textAt(each, "subresource") === "",
  );
  if (entry === undefined) return undefined;
  const { apiVersion, kind } = object;
  const { name, namespace } = metadata;
  const part = partOf(object, memberOf(entry, "fieldsV1"), 0);
  const owned = isObject(part) ? part : {};
  const head = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion, kind, ...owned, metadata: { ...head, ...memberOf(owned, "metadata") } };
}

/** The elements below `.` are of a list or a map; without any the value is owned whole. */
function partOf(value: Json, fields: JsonObject, depth: number): Json {
  const elements = Object.entries(fields).filter(([element]) => element !== ".");
  if (elements.length === 0 || depth > MAX_DEPTH) return value;
  const below = (element: string, item: unknown): [string, Json][] =>
    item === undefined ? [] : [[element, partOf(item as Json, memberOf(fields, element), depth + 1)]];
  if (Array.isArray(value))
    return elements
      .flatMap(([element]) => below(element, valueAt({ list: value }, ["f:list", element])))
      .map(([, item]) => item);
  if (!isObject(value)) return value;
  const members = elements.flatMap(([element]) => below(element, getKey(value, element.slice(2))));
  return Object.fromEntries(members.map(([element, item]) => [element.slice(2), item]));
}

export function ownersTable(owners: readonly OwnedField[]): string {
  const rows = owners.map(({ field, manager, operation, subresource, time }) => [
    field,
    manager,
    subresource === "" ? operation : `${operation} (${subresource})`,
    time,
  ]);
  return textTable([["FIELD", "OWNER", "BY", "SINCE"], ...rows]);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Paths of elements as the server writes them: `f:name`, `k:{"name":"web"}`, `v:"x"`, `i:0`. */
function leavesOf(fields: JsonObject, path: readonly string[]): string[][] {
  const children = Object.entries(fields).filter(([element]) => element !== ".");
  if (children.length === 0) return path.length === 0 ? [] : [[...path]];
  if (path.length >= MAX_DEPTH) return [];
  return children.flatMap(([element, below]) => leavesOf(isObject(below) ? below : {}, [...path, element]));
}

function elementText(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return /^[A-Za-z_][\w-]*$/.test(rest) ? `.${rest}` : `[${JSON.stringify(rest)}]`;
  if (element.startsWith("i:")) return `[${rest}]`;
  if (element.startsWith("v:")) return `[=${rest}]`;
  const key = parsed(rest);
  if (!isObject(key)) return `[${rest}]`;
  const terms = Object.entries(key).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${terms.join(",")}]`;
}

function valueAt(whole: JsonObject, path: readonly string[]): unknown {
  let value: unknown = whole;
  for (const element of path) {
    const rest = element.slice(2);
    if (element.startsWith("f:")) value = isObject(value) ? getKey(value, rest) : undefined;
    else if (!Array.isArray(value)) return undefined;
    else if (element.startsWith("i:")) value = value[Number(rest)];
    else value = value.find((item: Json) => matches(item, element));
    if (value === undefined) return undefined;
  }
  return value;
}

function matches(item: Json, element: string): boolean {
  const wanted = parsed(element.slice(2));
  if (element.startsWith("v:")) return wanted !== undefined && equalJson(item, wanted);
  if (!isObject(wanted) || !isObject(item)) return false;
  return Object.entries(wanted).every(([name, value]) => equalJson(getKey(item, name), value));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
