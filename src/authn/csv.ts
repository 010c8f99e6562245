// Comma-separated values with quoted columns (RFC 4180), as far as a token file needs them.

interface CsvRecord {
  readonly columns: readonly string[];
  /** Where it begins, from 1. */
  readonly line: number;
}

/** Empty lines are left out. Fails at a quote that is not closed. */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const begin = line;
    const columns: string[] = [];
    for (;;) {
      const column = readColumn(text, at, begin);
      columns.push(column.value);
      line += column.lineBreaks;
      at = column.end;
      if (text[at] !== ",") break;
      at += 1;
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    line += 1;
    const blank = columns.length === 1 && columns[0]!.trim() === "";
    if (!blank) records.push({ columns, line: begin });
  }
  return records;
}

/** A column and where it ends: at a comma, the end of its line, or the end of the text. */
function readColumn(text: string, start: number, line: number): { value: string; end: number; lineBreaks: number } {
  let at = start;
  while (text[at] === " " || text[at] === "\t") at += 1;
  if (text[at] !== '"') {
    let end = start;
    while (end < text.length && !",\r\n".includes(text[end]!)) end += 1;
    return { value: text.slice(start, end), end, lineBreaks: 0 };
  }
  let value = "";
  let lineBreaks = 0;
  for (at += 1; ; at += 1) {
    const character = text[at];
    if (character === undefined) throw new Error(`line ${line} has a quote that is not closed`);
    if (character === '"') {
      if (text[at + 1] !== '"') break;
      at += 1;
    }
    if (character === "\n") lineBreaks += 1;
    value += character;
  }
  at += 1;
  while (at < text.length && !",\r\n".includes(text[at]!)) at += 1;
  return { value, end: at, lineBreaks };
}
