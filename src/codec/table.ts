// Objects as rows of a Table, for people to read. Requirements: document 1, "Table representation".

import type { Names } from "../meta/names.ts";
import type { ApiObject, ObjectMeta } from "../meta/object.ts";
import { badRequest } from "../meta/status-error.ts";
import type { FieldPath } from "./field-picker.ts";
import {
  metaVersion,
  type PartialObjectMetadata,
  type RepresentationVersion,
  toPartialObjectMetadata,
} from "./partial-object-metadata.ts";
import type { ListMeta } from "./protobuf-stream.ts";

interface TableContext {
  readonly names: Names;
  readonly nowMs: number;
}

/** A column as kinds declare it. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 always shown, above only in wide output. */
  readonly priority?: number;
  /** Rows have the cell, but nothing says what it is. */
  readonly unannounced?: boolean;
  /** A simple path (`.spec.controller`) or a function of the object. */
  readonly cell: string | { cell(object: ApiObject, context: TableContext): unknown }["cell"];
}

export type IncludeObject = "None" | "Metadata" | "Object";

interface TableOptions extends TableContext {
  readonly version?: RepresentationVersion;
  /** Whose words its own type is in; by default those of everything else. */
  readonly words?: Names;
  readonly includeObject?: IncludeObject;
  /** What columns mean that do not say it themselves. */
  readonly textOf?: (column: TableColumn) => string;
  /** Of the list; of a single object its resourceVersion. */
  readonly metadata: ListMeta;
  /** False leaves the column definitions out: the events of a watch after the first. */
  readonly headers?: boolean;
  readonly rowConditions?: (object: ApiObject) => readonly RowCondition[];
  /** The metadata that a row shows; by default all of it. */
  readonly metadataOf?: (object: ApiObject) => ObjectMeta;
}

interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly ColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly RowCondition[];
  readonly object: ApiObject | PartialObjectMetadata | null;
}

/** Kinds without columns of their own get Name and Created At. */
export function toTable(
  columns: readonly TableColumn[] | undefined,
  objects: readonly ApiObject[],
  options: TableOptions,
): Table {
  const shown = columns ?? DEFAULT_COLUMNS;
  return {
    kind: "Table",
    apiVersion: metaVersion(options.words ?? options.names, options.version ?? "v1"),
    metadata: options.metadata,
    columnDefinitions:
      options.headers === false
        ? null
        : shown.filter(({ unannounced }) => !unannounced).map((column) => definitionOf(column, options.textOf)),
    rows: objects.map((object) => rowOf(shown, object, options)),
  };
}

/** What the row of an object says beside the object. */
export function toRow(
  columns: readonly TableColumn[] | undefined,
  object: ApiObject,
  options: Pick<TableOptions, keyof TableContext | "rowConditions">,
): Pick<TableRow, "cells" | "conditions"> {
  const conditions = options.rowConditions?.(object) ?? [];
  return {
    cells: (columns ?? DEFAULT_COLUMNS).map(
      ({ cell }) => (typeof cell === "string" ? valueAt(object, cell) : cell(object, options)) ?? null,
    ),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** The query parameter of that name. Fails with 400. */
export function parseIncludeObject(text: string | undefined): IncludeObject {
  if (text === undefined || text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: ` +
      "must be 'Metadata', 'Object', 'None', or empty",
  );
}

const NO_TIME = "0001-01-01T00:00:00Z";

const DEFAULT_COLUMNS: readonly TableColumn[] = [
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "Unique among the objects of its kind, within its namespace if it has one.",
    cell: (object) => object.metadata.name ?? "",
  },
  {
    name: "Created At",
    type: "date",
    description: "When the server created the object, in UTC.",
    cell: (object) => object.metadata.creationTimestamp ?? NO_TIME,
  },
];

/** What those look at. */
export const DEFAULT_ROW_FIELDS: readonly FieldPath[] = [
  ["metadata", "name"],
  ["metadata", "creationTimestamp"],
];

function definitionOf(column: TableColumn, textOf: TableOptions["textOf"]): ColumnDefinition {
  const { name, type, format = "", priority = 0 } = column;
  return { name, type, format, description: column.description ?? textOf?.(column) ?? "", priority };
}

function rowOf(columns: readonly TableColumn[], object: ApiObject, options: TableOptions): TableRow {
  return { ...toRow(columns, object, options), object: objectOf(object, options) };
}

function objectOf(object: ApiObject, options: TableOptions): TableRow["object"] {
  if (options.includeObject === "None") return null;
  if (options.includeObject === "Object") return object;
  const metadata = options.metadataOf?.(object) ?? object.metadata;
  return toPartialObjectMetadata({ metadata }, options.words ?? options.names, options.version);
}

/** The value that a dotted path leads to; undefined where the path ends early. */
function valueAt(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const name of path.split(".")) {
    if (name === "") continue;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
