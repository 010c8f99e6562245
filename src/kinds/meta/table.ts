// Table: lists and objects as rows for people.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { listMeta, typeMeta } from "./object-meta.ts";

export type Table = ObjectOf<typeof tableSchema>;

export const tableSchema = s.struct(
  "meta.v1.Table",
  { doc: "A list, or an object, as rows and columns for people to read." },
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: s.of(listMeta, {
      optional: true,
      doc: "The version of the list, and how to read on when it comes in pages.",
    }),
    columnDefinitions: s.list(tableColumnDefinition, {
      listType: "atomic",
      doc: "The columns, in the order of the cells in every row.",
    }),
    rows: s.list(tableRow, { listType: "atomic", doc: "One row for each object." }),
  }),
);

export type TableColumnDefinition = ObjectOf<typeof tableColumnDefinition>;

export const tableColumnDefinition = s.struct(
  "meta.v1.TableColumnDefinition",
  { doc: "The heading of a column and how to show it." },
  () => ({
    name: s.string({ doc: "The heading of the column." }),
    type: s.string({ doc: "The type of the cells: string, integer, number, boolean or date." }),
    format: s.string({ doc: 'Refines the type; "name" marks the column that identifies the row.' }),
    description: s.string({ doc: "What the column shows, for people." }),
    priority: s.int32({
      doc: "0 for columns that are always shown; above that, only when there is room or wide output is asked for.",
    }),
  }),
);

export type TableRow = ObjectOf<typeof tableRow>;

export const tableRow = s.struct("meta.v1.TableRow", { doc: "One object as a row." }, () => ({
  cells: s.list(s.anyValue("none"), {
    listType: "atomic",
    doc: "The values, one for each column: strings, numbers, booleans, lists, objects or null.",
  }),
  conditions: s.list(tableRowCondition, {
    optional: true,
    listType: "atomic",
    doc: "Remarks about the row, such as that the object is completed.",
  }),
  object: s.any("rawExtension", {
    required: false,
    doc: "The object behind the row: its metadata, all of it or nothing, as the request's includeObject says.",
  }),
}));

export type TableRowCondition = ObjectOf<typeof tableRowCondition>;

export const tableRowCondition = s.struct(
  "meta.v1.TableRowCondition",
  { doc: "A remark about a row of a table." },
  () => ({
    type: s.string({
      alias: "RowConditionType",
      doc: "What is remarked; Completed: the object has run to its end and may be shown less prominently.",
    }),
    status: s.string({ alias: "ConditionStatus", doc: "Whether the remark holds: True, False or Unknown." }),
    reason: s.string({ optional: true, doc: "One word for programs: why." }),
    message: s.string({ optional: true, doc: "Details for people." }),
  }),
);
