// An object of any kind as indented lines. User text cannot move the cursor or break the lines.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { textTable } from "./text-table.ts";
import { visibleText } from "./visible-text.ts";

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

export function describeText(object: JsonObject): string {
  const { metadata, kind, apiVersion, ...rest } = object;
  const meta: JsonObject = isObject(metadata) ? metadata : {};
  const lines = [
    `Name: ${text(meta["name"])}`,
    ...(meta["namespace"] === undefined ? [] : [`Namespace: ${text(meta["namespace"])}`]),
    ...mapLines("Labels", meta["labels"]),
    ...mapLines("Annotations", meta["annotations"]),
    `API Version: ${text(apiVersion)}`,
    `Kind: ${text(kind)}`,
    "Metadata:",
    ...Object.entries(meta)
      .filter(([key]) => !HIDDEN_METADATA.has(key))
      .flatMap(([key, value]) => memberLines(key, value, "  ", 1)),
    ...Object.entries(rest).flatMap(([key, value]) => memberLines(key, value, "", 0)),
  ];
  return `${lines.join("\n")}\n`;
}

function memberLines(key: string, value: Json | undefined, indent: string, depth: number): string[] {
  const title = `${indent}${titleOf(key)}:`;
  if (isObject(value)) {
    const members = Object.entries(value);
    if (members.length === 0) return [`${title} <none>`];
    if (depth >= MAX_DEPTH) return [`${title} ${text(value)}`];
    return [title, ...members.flatMap(([name, member]) => memberLines(name, member, `${indent}  `, depth + 1))];
  }
  if (!Array.isArray(value)) return [`${title} ${text(value)}`];
  if (value.length === 0) return [`${title} <none>`];
  if (!value.some((item) => typeof item === "object" && item !== null))
    return [`${title} ${value.map(text).join(", ")}`];
  const table = tableOf(value);
  if (table !== undefined)
    return [
      title,
      ...table
        .trimEnd()
        .split("\n")
        .map((line) => `${indent}  ${line}`),
    ];
  if (depth >= MAX_DEPTH) return [`${title} ${text(value)}`];
  return [title, ...value.flatMap((item) => itemLines(item, `${indent}  `, depth + 1))];
}

function itemLines(item: Json, indent: string, depth: number): string[] {
  if (!isObject(item)) return [`${indent}- ${text(item)}`];
  const [first = "", ...rest] = Object.entries(item).flatMap(([key, value]) =>
    memberLines(key, value, `${indent}  `, depth),
  );
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

/** Objects with the same few flat members, as conditions have, are rows. */
function tableOf(items: readonly Json[]): string | undefined {
  if (!items.every(isObject) || items.length < 2) return undefined;
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const isFlat = items.every((item) =>
    Object.values(item).every((value) => typeof value !== "object" || value === null),
  );
  if (!isFlat || columns.length > 6) return undefined;
  return textTable([columns.map(titleOf), ...items.map((item) => columns.map((column) => text(item[column] ?? "")))]);
}

function mapLines(title: string, value: Json | undefined): string[] {
  const entries = isObject(value ?? null) ? Object.entries(value as JsonObject) : [];
  if (entries.length === 0) return [`${title}: <none>`];
  const pad = " ".repeat(title.length + 2);
  return entries.map(([key, each], index) => `${index === 0 ? `${title}: ` : pad}${text(`${key}=${String(each)}`)}`);
}

/** creationTimestamp -> Creation Timestamp */
function titleOf(key: string): string {
  if (!/^[a-z][A-Za-z0-9]*$/.test(key)) return text(key);
  const words = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function text(value: Json | undefined): string {
  const whole =
    typeof value === "string"
      ? value
      : value === undefined
        ? ""
        : typeof value === "object"
          ? JSON.stringify(value)
          : String(value);
  const cut = whole.length > MAX_VALUE_LENGTH ? `${whole.slice(0, MAX_VALUE_LENGTH)}...` : whole;
  return visibleText(cut.replaceAll("\n", "\\n"));
}
