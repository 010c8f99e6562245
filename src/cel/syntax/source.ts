// The text of an expression: places as line and column, and the source line with a caret below an error.

import type { CelIssue } from "../errors.ts";

export class Source {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  issue(offset: number | undefined, message: string, suggestion?: string): CelIssue {
    const shown = suggestion === undefined ? message : `${message}; did you mean '${suggestion}'?`;
    const extra = suggestion === undefined ? {} : { suggestion };
    if (offset === undefined) return { message: shown, text: `ERROR: <input>:-1:0: ${shown}`, ...extra };
    // No text has no first column.
    if (this.text === "") {
      return { line: 1, column: 0, message: shown, text: `ERROR: <input>:1:0: ${shown}`, ...extra };
    }
    const before = this.text.slice(0, offset);
    const line = countNewlines(before) + 1;
    const lineStart = before.lastIndexOf("\n") + 1;
    const column = codePoints(before.slice(lineStart)) + 1;
    const newline = this.text.indexOf("\n", lineStart);
    const sourceLine = this.text.slice(lineStart, newline < 0 ? undefined : newline).replace(/\r$/, "");
    const text =
      column > MAX_SNIPPET_COLUMN
        ? `ERROR: <input>:${line}:${column}: ${shown}`
        : `ERROR: <input>:${line}:${column}: ${shown}\n | ${sourceLine.slice(0, MAX_SNIPPET_COLUMN).replaceAll("\t", " ")}\n | ${dots(before.slice(lineStart))}${caret(this.text, offset)}`;
    return { line, column, message: shown, text, ...extra };
  }
}

/** Errors further right than this are told without the line: it would be noise. */
const MAX_SNIPPET_COLUMN = 2_000;

function dots(before: string): string {
  return Array.from(before, (char) => (isWide(char) ? "\uff0e" : ".")).join("");
}

function caret(text: string, offset: number): string {
  const char = String.fromCodePoint(text.codePointAt(offset) ?? 32);
  return isWide(char) ? "\uff3e" : "^";
}

/** Characters beyond Latin-1's first half are shown under a full-width mark, as they usually take two cells. */
function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 127;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

export function codePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const SURROGATE = /[\ud800-\udfff]/;
