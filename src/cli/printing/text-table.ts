// Columns of text for a terminal. Cells are user text: they cannot move the cursor or break the lines.

const GAP = "   ";

/** Columns as wide as their widest cell; the last one ends with its text. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(safeText));
  const widths: number[] = [];
  for (const row of safe) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return safe
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!))))
    .map((cells) => `${cells.join(GAP).trimEnd()}\n`)
    .join("");
}

/** The first line, without control characters. */
function safeText(text: string): string {
  const end = text.search(/[\r\n\f\v]/);
  const line = end < 0 ? text : `${text.slice(0, end)}...`;
  return line.replaceAll("\x1b", "^[").replaceAll(/[\x00-\x1f\x7f-\x9f]/g, " ");
}
