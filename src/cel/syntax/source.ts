// The text of an expression: places as line and column, and the source line with a caret below an error.

import type { CelIssue } from "../errors.ts";

export class Source {
  readonly text: string;
  /** Made for the first issue, so that the place of each is found without reading the text again. */
  #marks: Marks | undefined;

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
    this.#marks ??= marksOf(this.text);
    const { newlines, pairs } = this.#marks;
    const line = countBelow(newlines, offset) + 1;
    const lineStart = line === 1 ? 0 : (newlines[line - 2] ?? 0) + 1;
    const column = offset - lineStart - countBelow(pairs, offset) + countBelow(pairs, lineStart) + 1;
    const newline = this.text.indexOf("\n", lineStart);
    const sourceLine = this.text.slice(lineStart, newline < 0 ? undefined : newline).replace(/\r$/, "");
    const text =
      column > MAX_SNIPPET_COLUMN
        ? `ERROR: <input>:${line}:${column}: ${shown}`
        : `ERROR: <input>:${line}:${column}: ${shown}\n | ${sourceLine.slice(0, MAX_SNIPPET_COLUMN).replaceAll("\t", " ")}\n | ${dots(this.text.slice(lineStart, offset))}${caret(this.text, offset)}`;
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

/** Where lines end, and where the characters begin that have two units; in their order. */
interface Marks {
  readonly newlines: readonly number[];
  readonly pairs: readonly number[];
}

function marksOf(text: string): Marks {
  const newlines: number[] = [];
  const pairs: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === NEWLINE) newlines.push(at);
    else if (unit >= SURROGATES && (text.codePointAt(at) ?? 0) > LAST_UNIT) pairs.push(at);
  }
  return { newlines, pairs };
}

const NEWLINE = 10;
const SURROGATES = 0xd800;
const LAST_UNIT = 0xffff;

/** How many of numbers in their order are smaller. */
function countBelow(ordered: readonly number[], limit: number): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function codePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const SURROGATE = /[\ud800-\udfff]/;
