// What is told of an object: lines whose cells stand in columns. Cells are user text: they cannot move the cursor or break
// the lines.

import { visibleText } from "../printing/visible-text.ts";

const GAP = 2;
/** Longer values tell people little; the object itself is shown by `get`. */
const MAX_CELL_LENGTH = 4_096;

/**
 * A column reaches over all lines in a row that have it, as wide as its widest cell; the last cell of a line is of no
 * column:
 *
 *   Name:    web          the first two lines share a column,
 *   Status:  Running
 *   IPs:                  which ends here,
 *     IP:  10.0.0.1       so that this one has its own
 */
export class Sheet {
  readonly #lines: (readonly string[])[] = [];

  /** `title: value` */
  row(depth: number, title: string, value: string): void {
    this.cells(depth, `${title}:`, value);
  }

  /** The first value beside the title, the others below it. */
  rows(depth: number, title: string, values: readonly string[], none = "<none>"): void {
    const [first = none, ...rest] = values;
    this.row(depth, title, first);
    for (const value of rest) this.cells(depth, "", value);
  }

  /** `title:` alone: what follows stands below it. */
  head(depth: number, title: string): void {
    this.cells(depth, `${title}:`);
  }

  table(depth: number, titles: readonly string[], rows: readonly (readonly string[])[]): void {
    this.cells(depth, ...titles);
    this.cells(depth, ...titles.map((title) => "-".repeat(title.length)));
    for (const row of rows) this.cells(depth, ...row);
  }

  cells(depth: number, ...cells: readonly string[]): void {
    const [first = "", ...rest] = cells.map(cellText);
    this.#lines.push(["  ".repeat(depth) + first, ...rest]);
  }

  /** Text of several lines, as it stands there. */
  block(text: string): void {
    for (const line of text.split("\n")) this.#lines.push([visibleText(line)]);
  }

  gap(): void {
    this.#lines.push([""]);
  }

  text(): string {
    const lines = this.#lines.map(() => "");
    this.#align(lines, 0, this.#lines.length, 0);
    return lines.map((line) => `${line.trimEnd()}\n`).join("");
  }

  /** Not in columns: cells apart by tabs, for programs that split lines there. */
  tabbedText(): string {
    return this.#lines.map((cells) => `${cells.join("\t").replace(/^ +\t/, "\t")}\n`).join("");
  }

  /** From `begin` to `end` all lines have had a column before this one. */
  #align(lines: string[], begin: number, end: number, column: number): void {
    for (let at = begin; at < end; at += 1) {
      const has = (line: number): boolean => line < end && this.#lines[line]!.length > column + 1;
      if (!has(at)) {
        lines[at] += this.#lines[at]![column] ?? "";
        continue;
      }
      let stop = at;
      let width = 0;
      for (; has(stop); stop += 1) width = Math.max(width, this.#lines[stop]![column]!.length);
      for (let line = at; line < stop; line += 1) lines[line] += this.#lines[line]![column]!.padEnd(width + GAP);
      this.#align(lines, at, stop, column + 1);
      at = stop - 1;
    }
  }
}

function cellText(text: string): string {
  const cut = text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH)}...` : text;
  return visibleText(cut.replaceAll("\n", "\\n"));
}
