// Tables as servers make them, joined from several answers, as text. Requirements: document 1, "Table representation".

import type { Clock } from "../../base/clock.ts";
import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { humanDuration } from "../../meta/human-duration.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { statusColour } from "./colours.ts";
import { sortedBy } from "./sort-objects.ts";
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
  readonly withColours?: boolean;
  /** Labels that have a column of their own. */
  readonly labelColumns?: readonly string[];
  /** Before every name, where several resources are shown: `deployment.apps/`. */
  readonly namePrefix: string;
  /** What has happened to all of them, in a first column of its own. */
  readonly event?: string;
}

/** Whose words have a colour. */
const STATE_COLUMNS: ReadonlySet<string> = new Set(["STATUS", "PHASE"]);

interface Column {
  readonly name: string;
  readonly index: number;
}

export class ServerTable {
  readonly #clock: Clock;
  #columns: readonly JsonObject[] = [];
  #rows: JsonObject[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#rows.length;
  }

  /** A Table, or an object or a list of a server that makes none. */
  add(answer: Json): void {
    if (!isObject(answer)) return;
    const table = answer["kind"] === "Table" ? answer : plainTable(answer, this.#clock.nowMs());
    if (this.#columns.length === 0) this.#columns = objects(table, "columnDefinitions");
    for (const row of objects(table, "rows")) this.#rows.push(row);
  }

  sortBy(path: string): void {
    this.#rows = sortedBy(this.#rows, path, (row) => {
      const object = getKey(row, "object");
      return isObject(object) ? object : undefined;
    });
  }

  /** What was shown is over; columns stay. */
  clear(): void {
    this.#rows = [];
  }

  text(style: TableStyle): string {
    const { wide, withNamespace, withLabels, withHeaders, namePrefix, labelColumns = [], withColours = false } = style;
    const event = style.event === undefined ? [] : [style.event];
    const columns = this.#columns
      .map((column, index): Column & { priority: number } => ({
        name: String(getKey(column, "name") ?? ""),
        priority: Number(getKey(column, "priority") ?? 0),
        index,
      }))
      .filter(({ priority }) => wide || priority === 0);
    const header = [
      ...event.map(() => "EVENT"),
      ...(withNamespace ? ["NAMESPACE"] : []),
      ...columns.map(({ name }) => name.toUpperCase()),
      ...labelColumns.map((key) => (key.split("/").at(-1) ?? key).toUpperCase()),
      ...(withLabels ? ["LABELS"] : []),
    ];
    const lines = this.#rows.map((row) => {
      const cells = getKey(row, "cells");
      const list = Array.isArray(cells) ? cells : [];
      const { namespace, labels, values } = metadataOf(row);
      const shown = columns.map(({ index, name }) => {
        const text = cellText(list[index]);
        return name.toLowerCase() === "name" && index === 0 ? namePrefix + text : text;
      });
      const own = labelColumns.map((key) => values.get(key) ?? "");
      return [...event, ...(withNamespace ? [namespace] : []), ...shown, ...own, ...(withLabels ? [labels] : [])];
    });
    if (!withColours) return textTable(withHeaders ? [header, ...lines] : lines);
    const states = new Set(header.flatMap((name, at) => (STATE_COLUMNS.has(name) ? [at] : [])));
    return textTable(withHeaders ? [header, ...lines] : lines, {
      colours: (cell, row, column) => {
        if (withHeaders && row === 0) return "bold";
        return states.has(column) ? statusColour(cell) : undefined;
      },
    });
  }
}

interface RowMetadata {
  readonly namespace: string;
  readonly labels: string;
  readonly values: ReadonlyMap<string, string>;
}

function metadataOf(row: JsonObject): RowMetadata {
  const object = getKey(row, "object");
  const metadata = isObject(object) ? getKey(object, "metadata") : undefined;
  if (!isObject(metadata)) return { namespace: "", labels: "<none>", values: new Map() };
  const { namespace, labels } = metadata;
  const values = new Map(isObject(labels) ? Object.entries(labels).map(([key, value]) => [key, String(value)]) : []);
  const pairs = [...values].map(([key, value]) => `${key}=${value}`);
  return {
    namespace: typeof namespace === "string" ? namespace : "",
    labels: pairs.length === 0 ? "<none>" : pairs.sort().join(","),
    values,
  };
}

function cellText(cell: Json | undefined): string {
  if (cell === undefined || cell === null) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

function plainTable(answer: JsonObject, nowMs: number): JsonObject {
  const items = Array.isArray(answer["items"]) ? answer["items"] : [answer];
  const rows = items.filter(isObject).map((object) => {
    const metadata = getKey(object, "metadata");
    const { name, creationTimestamp } = isObject(metadata) ? metadata : {};
    const madeMs = typeof creationTimestamp === "string" ? Date.parse(creationTimestamp) : Number.NaN;
    const age = Number.isNaN(madeMs) ? "<unknown>" : humanDuration(nowMs - madeMs);
    return { cells: [name ?? "", age], object };
  });
  return { columnDefinitions: [{ name: "Name" }, { name: "Age" }], rows };
}

function objects(value: JsonObject, field: string): JsonObject[] {
  const list = getKey(value, field);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
