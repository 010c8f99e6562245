// Table: lists and objects as rows for people.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { listMeta, typeMeta } from "./object-meta.ts";

export type Table = ObjectOf<typeof tableSchema>;

export const tableSchema = s.struct("meta.v1.Table", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(listMeta, { optional: true }),
  columnDefinitions: s.list(tableColumnDefinition, { listType: "atomic" }),
  rows: s.list(tableRow, { listType: "atomic" }),
}));

export type TableColumnDefinition = ObjectOf<typeof tableColumnDefinition>;

export const tableColumnDefinition = s.struct("meta.v1.TableColumnDefinition", () => ({
  name: s.string({}),
  type: s.string({}),
  format: s.string({}),
  description: s.string({}),
  priority: s.int32({}),
}));

export type TableRow = ObjectOf<typeof tableRow>;

export const tableRow = s.struct("meta.v1.TableRow", () => ({
  cells: s.list(s.anyValue("none"), { listType: "atomic" }),
  conditions: s.list(tableRowCondition, { optional: true, listType: "atomic" }),
  object: s.any("rawExtension", { required: false }),
}));

export type TableRowCondition = ObjectOf<typeof tableRowCondition>;

export const tableRowCondition = s.struct("meta.v1.TableRowCondition", () => ({
  type: s.string({ alias: "RowConditionType" }),
  status: s.string({ alias: "ConditionStatus" }),
  reason: s.string({ optional: true }),
  message: s.string({ optional: true }),
}));
