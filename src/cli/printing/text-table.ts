// Columns of text for a terminal. Cells are user text: they cannot move the cursor or break the lines.

import { type Colour, paint } from "./colours.ts";
import { visibleText } from "./visible-text.ts";

const GAP = "   ";
/** As kubectl has it: seen where there is no header. */
const MIN_WIDTH = 3;

/** The colour of a cell; rows and columns count from 0. */
type CellColours = (cell: string, row: number, column: number) => Colour | undefined;

interface TableLook {
  readonly colours?: CellColours;
  /** Between columns. */
  readonly gap?: string;
}

/** Columns as wide as their widest cell; the last one ends with its text. */
export function textTable(rows: readonly (readonly string[])[], { colours, gap = GAP }: TableLook = {}): string {
  const safe = rows.map((row) => row.map(safeText));
  const widths: number[] = [];
  for (const row of safe) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? MIN_WIDTH, cell.length);
    });
  }
  return safe
    .map((row, at) =>
      row.map((cell, column) => {
        const padded = column === row.length - 1 ? cell : cell.padEnd(widths[column]!);
        return colours === undefined ? padded : paint(padded, colours(cell, at, column));
      }),
    )
    .map((cells) => `${cells.join(gap).trimEnd()}\n`)
    .join("");
}

/** The first line, without control characters. */
function safeText(text: string): string {
  const end = text.search(/[\r\n\f\v]/);
  const line = end < 0 ? text : `${text.slice(0, end)}...`;
  return visibleText(line);
}
