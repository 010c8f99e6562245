// Long JSON text in steps: what `jsonText` makes of the whole value, put together from what it makes of parts of it, between
// which others may have their turn. Long lists, objects and texts are gone through part by part, however deep they stand.

import { escapeForHtml } from "../../base/html-escapes.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { LongParts } from "../long-parts.ts";
import { jsonText, plainText } from "./write.ts";

/** So many values are written in one step, each of them of so many characters: what is escaped takes long. */
const VALUES_PER_STEP = 500;
const CHARS_PER_VALUE = 32;

/** The UTF-8 bytes of the text, and of what stands behind it. */
export function* jsonBytesInSteps(
  value: unknown,
  { indent = "", end = "", valuesPerStep = VALUES_PER_STEP } = {},
): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const add = (text: string) => void pieces.push(Buffer.from(text));
  yield* new Writer(indent, valuesPerStep, add).write(value, "");
  add(end);
  return yield* joinedInSteps(pieces);
}

/** So many bytes are copied in one step: memory that nobody has used yet takes its time. */
const COPIED_BYTES_PER_STEP = 1024 * 1024;

function* joinedInSteps(pieces: readonly Uint8Array[]): Steps<Uint8Array> {
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  const pace = new Pace(COPIED_BYTES_PER_STEP);
  let at = 0;
  for (const piece of pieces) {
    if (pace.due(piece.length)) yield;
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The text itself, for who joins it with others or waits with its bytes. */
export function* jsonTextInSteps(value: unknown): Steps<string> {
  let all = "";
  const add = (text: string) => {
    all += text;
  };
  yield* new Writer("", VALUES_PER_STEP, add).write(value, "");
  return all;
}

class Writer {
  readonly #indent: string;
  readonly #colon: string;
  readonly #valuesPerStep: number;
  readonly #parts: LongParts;
  readonly #out: (text: string) => void;

  constructor(indent: string, valuesPerStep: number, out: (text: string) => void) {
    this.#indent = indent;
    this.#colon = indent === "" ? ":" : ": ";
    this.#valuesPerStep = valuesPerStep;
    this.#parts = new LongParts(valuesPerStep, CHARS_PER_VALUE);
    this.#out = out;
  }

  /** `margin` stands before each line but the first. */
  *write(value: unknown, margin: string): Steps<void> {
    if (this.#parts.isLong(value)) yield* this.#writeLong(value as object | string, margin);
    else this.#out(this.#within(margin, jsonText(value, this.#indent)));
  }

  /** After a turn: finding out that it is long has taken its time. */
  *#writeLong(value: object | string, margin: string): Steps<void> {
    yield;
    if (typeof value === "string") yield* this.#writeText(value);
    else if (Array.isArray(value)) yield* this.#writeList(value, margin);
    else yield* this.#writeObject(value as Record<string, unknown>, margin);
  }

  *#writeText(text: string): Steps<void> {
    this.#out('"');
    for (let start = 0; start < text.length; ) {
      let end = Math.min(start + this.#valuesPerStep * CHARS_PER_VALUE, text.length);
      // The two halves of a character stay together.
      if (/[\ud800-\udbff]/.test(text[end - 1]!)) end += 1;
      this.#out(jsonText(text.slice(start, end)).slice(1, -1));
      start = end;
      yield;
    }
    this.#out('"');
  }

  /** Items that have come together to a step are written as a list of their own, without its brackets. */
  *#writeList(items: readonly unknown[], margin: string): Steps<void> {
    let separator = "[";
    let start = 0;
    let values = 0;
    const writeItems = (end: number): void => {
      if (start === end) return;
      const text = jsonText(items.slice(start, end), this.#indent);
      this.#out(separator + this.#within(margin, text.slice(1, this.#indent === "" ? -1 : -2)));
      separator = ",";
      start = end;
      values = 0;
    };
    for (const [index, item] of items.entries()) {
      const size = this.#parts.sizeOf(item);
      if (size > this.#valuesPerStep) {
        writeItems(index);
        this.#out(separator + this.#lineIn(margin));
        separator = ",";
        start = index + 1;
        yield* this.#writeLong(item as object | string, margin + this.#indent);
        continue;
      }
      values += size;
      if (values < this.#valuesPerStep) continue;
      writeItems(index + 1);
      yield;
    }
    writeItems(items.length);
    this.#out(`${this.#indent === "" ? "" : `\n${margin}`}]`);
  }

  *#writeObject(members: Readonly<Record<string, unknown>>, margin: string): Steps<void> {
    const inner = margin + this.#indent;
    const line = this.#lineIn(margin);
    // What has been gathered since the last step.
    let text = "{";
    let values = 0;
    let separator = line;
    for (const key of this.#parts.keysOf(members)) {
      const member = members[key];
      if (member === undefined) continue;
      if (key.length >= CHARS_PER_VALUE) values += this.#parts.sizeOf(key) - 1;
      if (values <= this.#valuesPerStep) text += separator + JSON.stringify(key) + this.#colon;
      else {
        this.#out(escapeForHtml(text + separator));
        yield* this.#writeText(key);
        text = this.#colon;
        values = 0;
      }
      separator = `,${line}`;
      const size = this.#parts.sizeOf(member);
      if (size > this.#valuesPerStep) {
        this.#out(escapeForHtml(text));
        text = "";
        yield* this.#writeLong(member as object | string, inner);
        continue;
      }
      text += this.#within(inner, plainText(member, this.#indent));
      values += size;
      if (values < this.#valuesPerStep) continue;
      this.#out(escapeForHtml(text));
      text = "";
      values = 0;
      yield;
    }
    const lastLine = line === "" || separator === line ? "" : `\n${margin}`;
    this.#out(`${escapeForHtml(text) + lastLine}}`);
  }

  /** Begins a line of what is enclosed by lines with the margin. */
  #lineIn(margin: string): string {
    return this.#indent === "" ? "" : `\n${margin}${this.#indent}`;
  }

  /** Line breaks within strings are escaped: those of the text are between its lines. */
  #within(margin: string, text: string): string {
    return this.#indent === "" ? text : text.replaceAll("\n", `\n${margin}`);
  }
}
