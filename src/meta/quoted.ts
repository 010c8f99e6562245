// What an error says of a value that a client sent: enough to know it again, never all of it. A body of megabytes can be
// wrong in a thousand places, and an answer must stay small.

import { numberText } from "../base/double-text.ts";
import { goQuote } from "../base/go-quote.ts";

/** Up to here a value is shown whole, as upstream shows it. */
const MAX_WHOLE_CHARS = 1024;
/** How much an error shows of what is longer. */
const MAX_QUOTED_CHARS = 256;

/** The text; where it is longer than a value should be, its beginning and three dots. */
export function cutText(text: string): string {
  return text.length <= MAX_WHOLE_CHARS ? text : limitText(text, MAX_QUOTED_CHARS);
}

/** At most so many characters of the text, then three dots. */
export function limitText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Half of a surrogate pair is no character.
  const isHalf = (text.charCodeAt(maxChars - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, isHalf ? maxChars - 1 : maxChars)}...`;
}

/** Texts one behind the other, cut. Of what is not shown nothing is read: it may be long, and asked for very often. */
export function cutJoined(texts: Iterable<string>): string {
  let joined = "";
  for (const text of texts) {
    joined += text.slice(0, MAX_WHOLE_CHARS + 1);
    if (joined.length > MAX_WHOLE_CHARS) break;
  }
  return cutText(joined);
}

/** `spec.containers[0].name`, below a place that has a path already, cut in the same way. */
export function cutPath(path: Iterable<string | number>, below = ""): string {
  let text = below;
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += `${text === "" ? "" : "."}${part.slice(0, MAX_WHOLE_CHARS + 1)}`;
    if (text.length > MAX_WHOLE_CHARS) break;
  }
  return cutText(text);
}

/** In double quotes, cut. */
export function quoteText(text: string): string {
  return goQuote(cutText(text));
}

/**
 * A text as quoteText shows it, every other value as JSON, cut. Reads no more of it than it shows. Composite values are
 * printed with the escapes of HTML, as upstream prints them.
 */
export function quoteValue(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "object") return quoteJson(value);
  if (typeof value === "number") return numberText(value);
  return typeof value === "string" ? quoteText(value) : String(value);
}

/** As JSON, cut: so upstream prints texts that have a type of their own, too. */
export function quoteJson(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  const writer = new BoundedWriter();
  writer.write(value ?? null);
  return cutText(writer.text);
}

class BoundedWriter {
  text = "";

  write(value: unknown): void {
    if (this.#isFull()) return;
    if (Array.isArray(value)) this.#list(value);
    else if (typeof value === "object" && value !== null) this.#object(value as Record<string, unknown>);
    else this.#scalar(value);
  }

  #list(items: readonly unknown[]): void {
    this.text += "[";
    for (let index = 0; index < items.length && !this.#isFull(); index++) {
      if (index > 0) this.text += ",";
      this.write(items[index] ?? null);
    }
    this.text += "]";
  }

  #object(object: Record<string, unknown>): void {
    this.text += "{";
    let first = true;
    for (const key in object) {
      if (this.#isFull()) break;
      if (object[key] === undefined) continue;
      if (!first) this.text += ",";
      first = false;
      this.#scalar(key);
      this.text += ":";
      this.write(object[key]);
    }
    this.text += "}";
  }

  #scalar(value: unknown): void {
    if (typeof value === "bigint") this.text += String(value);
    else if (typeof value !== "string") this.text += JSON.stringify(value) ?? "null";
    // One character more than is shown, so that what is left out shows as dots.
    else this.text += escapeForHtml(JSON.stringify(value.slice(0, MAX_WHOLE_CHARS + 1)));
  }

  #isFull(): boolean {
    return this.text.length > MAX_WHOLE_CHARS;
  }
}

function escapeForHtml(text: string): string {
  return text.replace(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`);
}
