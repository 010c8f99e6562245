// Members of objects as text for people. Pure.

import { getKey, isObject, type JsonObject } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import type { Sheet } from "./sheet.ts";

/** By a path of names; undefined where there is nothing. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split(".")) value = isObject(value) ? getKey(value, name) : undefined;
  return value;
}

/** As it is written in YAML, on one line; `otherwise` where there is nothing. */
export function textOf(value: unknown, otherwise = ""): string {
  if (value === undefined || value === null || value === "") return otherwise;
  if (Array.isArray(value)) return value.length === 0 ? otherwise : value.map((each) => textOf(each)).join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export const at = (object: unknown, path: string, otherwise = ""): string => textOf(valueAt(object, path), otherwise);

/** True or False, as conditions have it. */
export const yesNo = (value: unknown): string => (value === true ? "True" : "False");

/** Mon, 16 Nov 2026 10:29:25 +0000 */
export function timeText(value: unknown, otherwise = "<unset>"): string {
  const ms = Date.parse(textOf(value));
  return Number.isNaN(ms) ? otherwise : new Date(ms).toUTCString().replace("GMT", "+0000");
}

/** `a=b`, in order. */
export function pairs(value: unknown, separator = "="): string[] {
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => `${key}${separator}${textOf(each)}`);
}

export const pairsText = (value: unknown): string => pairs(value).join(",") || "<none>";

/** Of a selector of labels: `a=b,c in (d,e),!f` */
export function selectorText(selector: unknown, none = "<none>"): string {
  return selectorTerms(selector) || none;
}

/** As a request has it. */
export function selectorTerms(selector: unknown): string {
  const expressions = itemsAt(selector, "matchExpressions").map((expression) => {
    const [key, operator] = [textAt(expression, "key"), textAt(expression, "operator")];
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "In" ? "in" : "notin"} (${at(expression, "values")})`;
  });
  return [...pairs(memberOf(selector, "matchLabels")), ...expressions].join(",");
}

export function controllerOf(object: JsonObject): string | undefined {
  const owner = itemsAt(memberOf(object, "metadata"), "ownerReferences").find((each) => each["controller"] === true);
  return owner === undefined ? undefined : `${textAt(owner, "kind")}/${textAt(owner, "name")}`;
}

export function writeController(sheet: Sheet, object: JsonObject): void {
  const controller = controllerOf(object);
  if (controller !== undefined) sheet.row(0, "Controlled By", controller);
}

type HeadPart = "Name" | "Namespace" | "Labels" | "Annotations" | "CreationTimestamp" | "Finalizers";

/** What every object has, in the order that its kind is known by. */
export function writeHead(sheet: Sheet, object: JsonObject, names: Names, parts: readonly HeadPart[]): void {
  const metadata = memberOf(object, "metadata");
  for (const part of parts) {
    if (part === "Name") sheet.row(0, part, textAt(metadata, "name"));
    else if (part === "Namespace") sheet.row(0, part, textAt(metadata, "namespace"));
    else if (part === "Labels") sheet.rows(0, part, pairs(metadata["labels"]));
    else if (part === "Annotations") writeAnnotations(sheet, 0, metadata["annotations"], names);
    else if (part === "CreationTimestamp") sheet.row(0, part, timeText(metadata["creationTimestamp"]));
    else sheet.row(0, part, `[${at(metadata, "finalizers").replaceAll(",", " ")}]`);
  }
}

const MAX_ANNOTATION_LENGTH = 140;

/** Long ones below their names, line by line. What was applied last is the object once more. */
export function writeAnnotations(sheet: Sheet, depth: number, annotations: unknown, names: Names): void {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(isObject(annotations) ? annotations : {}).sort()) {
    if (key === names.lastAppliedAnnotation) continue;
    const text = textOf(value).replace(/\n$/, "");
    if (text.length <= MAX_ANNOTATION_LENGTH && !text.includes("\n")) lines.push(`${key}: ${text}`);
    else {
      lines.push(`${key}:`);
      for (const line of text.split("\n").slice(0, MAX_ANNOTATION_LINES)) lines.push(`  ${cut(line)}`);
    }
  }
  sheet.rows(depth, "Annotations", lines);
}

const MAX_ANNOTATION_LINES = 20;

const cut = (line: string): string =>
  line.length > MAX_ANNOTATION_LENGTH ? `${line.slice(0, MAX_ANNOTATION_LENGTH)}...` : line;

interface ConditionColumn {
  readonly title: string;
  readonly field: string;
}

/**
 * A table of those columns that kinds show; nothing where there are none. `spaced`: so many of them, from the first on,
 * are one wider than their widest value: scripts cut at kubectl's places.
 */
export function writeConditions(
  sheet: Sheet,
  object: JsonObject,
  columns: readonly ConditionColumn[],
  spaced = 0,
): void {
  const conditions = itemsAt(memberOf(object, "status"), "conditions");
  if (conditions.length === 0) return;
  sheet.head(0, "Conditions");
  sheet.table(
    1,
    columns.map(({ title }) => title),
    conditions.map((condition) =>
      columns.map(({ field }, at) => {
        const text = field.endsWith("Time") ? timeText(condition[field]) : textAt(condition, field);
        return at < spaced ? `${text} ` : text;
      }),
    ),
  );
}

export const CONDITION = {
  type: { title: "Type", field: "type" },
  status: { title: "Status", field: "status" },
  heartbeat: { title: "LastHeartbeatTime", field: "lastHeartbeatTime" },
  probe: { title: "LastProbeTime", field: "lastProbeTime" },
  transition: { title: "LastTransitionTime", field: "lastTransitionTime" },
  reason: { title: "Reason", field: "reason" },
  message: { title: "Message", field: "message" },
} as const;
