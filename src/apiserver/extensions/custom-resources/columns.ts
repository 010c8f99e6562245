// The table of a custom resource: its name, then the columns that its definition adds, by default the age.
// Requirements: document 1, "Table representation".

import type { Json } from "../../../base/json.ts";
import { encodeJsonPlain } from "../../../codec/json.ts";
import { leadingFields, type PathReader, parseJsonPath } from "../../../codec/json-path.ts";
import type { CustomResourceColumnDefinition } from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import { NAME_COLUMN } from "../../../kinds/cells/age.ts";
import type { CellContext, Column } from "../../../kinds/define-kind.ts";
import { humanDuration } from "../../../meta/human-duration.ts";
import type { ApiObject } from "../../../meta/object.ts";

const AGE: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "How long ago the server created the object.",
};

export function columnsOf(declared: readonly CustomResourceColumnDefinition[] | undefined): readonly Column[] {
  const shown = declared === undefined || declared.length === 0 ? [AGE] : declared;
  return [{ ...(NAME_COLUMN as Column), description: NAME_DESCRIPTION }, ...shown.map(columnOf)];
}

/** What the cells look at, as far as paths say it from their beginning; undefined where that may be anything. */
export function rowFieldsOf(
  declared: readonly CustomResourceColumnDefinition[] | undefined,
): readonly (readonly string[])[] | undefined {
  const shown = declared === undefined || declared.length === 0 ? [AGE] : declared;
  // A field of that name would be taken for the keys of its parent.
  const fields = shown.map(({ jsonPath }) => leadingFields(jsonPath)).map((names) => upTo(names, "*"));
  return fields.some((names) => names.length === 0) ? undefined : [["metadata", "name"], ...fields];
}

function upTo(names: readonly string[], end: string): readonly string[] {
  const at = names.indexOf(end);
  return at < 0 ? names : names.slice(0, at);
}

const NAME_DESCRIPTION = "Unique among the objects of its kind, within its namespace if it has one.";

function columnOf(declared: CustomResourceColumnDefinition): Column {
  const { name, format, description, priority, jsonPath } = declared;
  const type = declared.type as Column["type"];
  const read = parseJsonPath(jsonPath) ?? NOTHING;
  return {
    name,
    type,
    ...(format === undefined ? {} : { format }),
    description: description ?? defaultDescription(jsonPath),
    ...(priority === undefined ? {} : { priority }),
    cell: (object: ApiObject, context: CellContext) => cellOf(type, read(object), context),
  };
}

const NOTHING: PathReader = () => undefined;

const defaultDescription = (jsonPath: string): string =>
  `Custom resource definition column (in JSONPath format): ${jsonPath}`;

function cellOf(type: Column["type"], value: unknown, { nowMs }: CellContext): Json {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, nowMs) : null;
    default:
      return textOf(value);
  }
}

function ageOf(text: string, nowMs: number): string {
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? "<invalid>" : humanDuration(nowMs - at);
}

function textOf(value: unknown): string {
  if (typeof value === "object") return Buffer.from(encodeJsonPlain(value as Record<string, unknown>)).toString("utf8");
  return String(value);
}
