// An object of any kind: its fields as they are, the technical left out; flat lists, as conditions are, as tables.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { memberOf } from "../json-members.ts";
import type { Describer } from "./describer.ts";
import { textOf, writeHead } from "./field-text.ts";
import type { Sheet } from "./sheet.ts";

/** What tells people little, or is shown elsewhere. */
const HIDDEN_METADATA: ReadonlySet<string> = new Set([
  "managedFields",
  "name",
  "namespace",
  "labels",
  "annotations",
  "selfLink",
]);
const MAX_VALUE_LENGTH = 400;
/** Deeper members are shown as JSON in one line. */
const MAX_DEPTH = 12;
/** Wider tables are read worse than lists. */
const MAX_COLUMNS = 6;

export const generic: Describer = {
  write(sheet, object, { names }) {
    const { metadata, kind, apiVersion, ...rest } = object;
    const meta = memberOf(object, "metadata");
    const where = meta["namespace"] === undefined ? [] : (["Namespace"] as const);
    writeHead(sheet, object, names, ["Name", ...where, "Labels", "Annotations"]);
    sheet.row(0, "API Version", valueText(apiVersion));
    sheet.row(0, "Kind", valueText(kind));
    sheet.head(0, "Metadata");
    for (const key of Object.keys(meta).sort())
      if (!HIDDEN_METADATA.has(key)) writeMember(sheet, key, meta[key], 1, "");
    for (const key of Object.keys(rest).sort()) writeMember(sheet, key, rest[key], 0, "");
  },
};

/** `mark`: before the first member of an item of a list. */
function writeMember(sheet: Sheet, key: string, value: Json | undefined, depth: number, mark: string): void {
  const title = `${mark}${titleOf(key)}`;
  if (isObject(value) && Object.keys(value).length > 0 && depth < MAX_DEPTH) {
    sheet.head(depth, title);
    for (const name of Object.keys(value).sort()) writeMember(sheet, name, value[name], depth + below(mark), "");
    return;
  }
  const isNested = Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null);
  if (!isNested || depth >= MAX_DEPTH) {
    const none =
      value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
    sheet.row(depth, title, none ? "<none>" : valueText(value));
    return;
  }
  sheet.head(depth, title);
  if (isTable(value)) writeTable(sheet, value, depth + below(mark));
  else for (const item of value) writeItem(sheet, item, depth + below(mark));
}

/** What stands below the first member of an item is two marks further in. */
const below = (mark: string): number => (mark === "" ? 1 : 2);

const MARK = "- ";

function writeItem(sheet: Sheet, item: Json, depth: number): void {
  if (!isObject(item)) {
    sheet.cells(depth, `${MARK}${valueText(item)}`);
    return;
  }
  Object.keys(item)
    .sort()
    .forEach((key, index) => {
      if (index === 0) writeMember(sheet, key, item[key], depth, MARK);
      else writeMember(sheet, key, item[key], depth + 1, "");
    });
}

/** Objects with the same few flat members are rows. */
function isTable(items: readonly Json[]): items is JsonObject[] {
  if (!items.every(isObject) || items.length < 2) return false;
  const isFlat = items.every((item) =>
    Object.values(item).every((value) => typeof value !== "object" || value === null),
  );
  return isFlat && columnsOf(items).length <= MAX_COLUMNS;
}

const columnsOf = (items: readonly JsonObject[]): string[] => [...new Set(items.flatMap((item) => Object.keys(item)))];

function writeTable(sheet: Sheet, items: readonly JsonObject[], depth: number): void {
  const columns = columnsOf(items);
  sheet.table(
    depth,
    columns.map(titleOf),
    items.map((item) => columns.map((column) => valueText(item[column]))),
  );
}

const ACRONYMS: ReadonlyMap<string, string> = new Map([
  ["Api", "API"],
  ["Uid", "UID"],
  ["Url", "URL"],
  ["Ip", "IP"],
]);

/** creationTimestamp -> Creation Timestamp */
function titleOf(key: string): string {
  if (!/^[a-z][A-Za-z0-9]*$/.test(key)) return valueText(key);
  const words = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return words
    .split(" ")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .map((word) => ACRONYMS.get(word) ?? word)
    .join(" ");
}

function valueText(value: Json | undefined): string {
  const whole = Array.isArray(value) ? value.map((each) => textOf(each)).join(", ") : textOf(value);
  return whole.length > MAX_VALUE_LENGTH ? `${whole.slice(0, MAX_VALUE_LENGTH)}...` : whole;
}
