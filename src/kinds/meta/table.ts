// Table: lists and objects as rows for people.

import { opt, s, shown } from "../../schema/builder.ts";
import { listMeta, typeMeta } from "./object-meta.ts";

export const tableSchema = s.struct(
  "meta.v1.Table",
  "A list, or an object, as rows and columns for people to read.",
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: opt.of(listMeta, undefined, "The version of the list, and how to read on when it comes in pages."),
    columnDefinitions: s.atomic(
      tableColumnDefinition,
      undefined,
      "The columns, in the order of the cells in every row.",
    ),
    rows: s.atomic(tableRow, undefined, "One row for each object."),
  }),
);

const tableColumnDefinition = s.struct(
  "meta.v1.TableColumnDefinition",
  "The heading of a column and how to show it.",
  () => ({
    name: s.string(undefined, "The heading of the column."),
    type: s.string(undefined, "The type of the cells: string, integer, number, boolean or date."),
    format: s.string(undefined, 'Refines the type; "name" marks the column that identifies the row.'),
    description: s.string(undefined, "What the column shows, for people."),
    priority: s.int32(
      undefined,
      "0 for columns that are always shown; above that, only when there is room or wide output is asked for.",
    ),
  }),
);

const tableRow = s.struct("meta.v1.TableRow", "One object as a row.", () => ({
  cells: s.atomic(
    s.anyValue("none"),
    undefined,
    "The values, one for each column: strings, numbers, booleans, lists, objects or null.",
  ),
  conditions: opt.atomic(tableRowCondition, undefined, "Remarks about the row, such as that the object is completed."),
  object: shown.any(
    "rawExtension",
    undefined,
    "The object behind the row: its metadata, all of it or nothing, as the request's includeObject says.",
  ),
}));

const tableRowCondition = s.struct("meta.v1.TableRowCondition", "A remark about a row of a table.", () => ({
  type: s.named(
    "RowConditionType",
    undefined,
    "What is remarked; Completed: the object has run to its end and may be shown less prominently.",
  ),
  status: s.named("ConditionStatus", undefined, "Whether the remark holds: True, False or Unknown."),
  reason: opt.string(undefined, "One word for programs: why."),
  message: opt.string(undefined, "Details for people."),
}));
