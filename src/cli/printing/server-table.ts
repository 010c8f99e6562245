// Tables as servers make them, joined from several answers, as text. Requirements: document 1, "Table representation".

import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { textTable } from "./text-table.ts";

/** Asks for a table in the names of either dialect; servers that make none answer with the objects. */
export const TABLE_ACCEPT = [
  ...DIALECTS.map((dialect) => `application/json;as=Table;v=v1;g=${namesFor(dialect).group("meta")}`),
  "application/json",
].join(",");

export interface TableStyle {
  readonly wide: boolean;
  readonly withNamespace: boolean;
  readonly withLabels: boolean;
  readonly withHeaders: boolean;
  /** Before every name, where several resources are shown: `deployment.apps/`. */
  readonly namePrefix: string;
}

interface Column {
  readonly name: string;
  readonly index: number;
}

export class ServerTable {
  #columns: readonly JsonObject[] = [];
  readonly #rows: JsonObject[] = [];

  get size(): number {
    return this.#rows.length;
  }

  /** A Table, or an object or a list of a server that makes none. */
  add(answer: Json): void {
    if (!isObject(answer)) return;
    const table = answer["kind"] === "Table" ? answer : plainTable(answer);
    if (this.#columns.length === 0) this.#columns = objects(table, "columnDefinitions");
    for (const row of objects(table, "rows")) this.#rows.push(row);
  }

  text({ wide, withNamespace, withLabels, withHeaders, namePrefix }: TableStyle): string {
    const columns = this.#columns
      .map((column, index): Column & { priority: number } => ({
        name: String(getKey(column, "name") ?? ""),
        priority: Number(getKey(column, "priority") ?? 0),
        index,
      }))
      .filter(({ priority }) => wide || priority === 0);
    const header = [
      ...(withNamespace ? ["NAMESPACE"] : []),
      ...columns.map(({ name }) => name.toUpperCase()),
      ...(withLabels ? ["LABELS"] : []),
    ];
    const lines = this.#rows.map((row) => {
      const cells = getKey(row, "cells");
      const list = Array.isArray(cells) ? cells : [];
      const { namespace, labels } = metadataOf(row);
      const shown = columns.map(({ index, name }) => {
        const text = cellText(list[index]);
        return name.toLowerCase() === "name" && index === 0 ? namePrefix + text : text;
      });
      return [...(withNamespace ? [namespace] : []), ...shown, ...(withLabels ? [labels] : [])];
    });
    return textTable(withHeaders ? [header, ...lines] : lines);
  }
}

function metadataOf(row: JsonObject): { readonly namespace: string; readonly labels: string } {
  const object = getKey(row, "object");
  const metadata = isObject(object) ? getKey(object, "metadata") : undefined;
  if (!isObject(metadata)) return { namespace: "", labels: "<none>" };
  const { namespace, labels } = metadata;
  const pairs = isObject(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : [];
  return {
    namespace: typeof namespace === "string" ? namespace : "",
    labels: pairs.length === 0 ? "<none>" : pairs.sort().join(","),
  };
}

function cellText(cell: Json | undefined): string {
  if (cell === undefined || cell === null) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

function plainTable(answer: JsonObject): JsonObject {
  const items = Array.isArray(answer["items"]) ? answer["items"] : [answer];
  const rows = items.filter(isObject).map((object) => {
    const metadata = getKey(object, "metadata");
    const { name, creationTimestamp } = isObject(metadata) ? metadata : {};
    return { cells: [name ?? "", creationTimestamp ?? ""], object };
  });
  return { columnDefinitions: [{ name: "Name" }, { name: "Created At" }], rows };
}

function objects(value: JsonObject, field: string): JsonObject[] {
  const list = getKey(value, field);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
