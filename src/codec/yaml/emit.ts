// YAML text in upstream's style: block collections, sequences at the indentation of their key, keys in natural order, the
// lightest quotes that keep a text a text, long texts folded at spaces behind column 80.

import { compareNaturally } from "./natural-order.ts";
import { type ScalarStyle, styleOf } from "./scalar-style.ts";

/** Texts are folded at the first space behind this column. */
const FOLD_COLUMN = 80;
/** Longer keys stand behind a question mark. */
const MAX_SIMPLE_KEY_BYTES = 128;
const INDENT = 2;
/** Keys whose style is remembered within one text. */
const MAX_KEY_STYLES = 1_000;

export function emitYaml(value: unknown): string {
  const emitter = new Emitter();
  emitter.node(value, -INDENT, "root");
  return `${emitter.text()}\n`;
}

/** A text of so many pieces is put together at a time: appended one by one they would be a tree of as many nodes. */
const PIECES_OF_BLOCK = 4_096;
const MARGINS: readonly string[] = Array.from({ length: 64 }, (_, width) => " ".repeat(width));

/** Where a node stands decides whether it starts on a new line. */
type Position = "root" | "item" | "value";

class Emitter {
  readonly #blocks: string[] = [];
  #pieces: string[] = [];
  #length = 0;
  readonly #keyStyles = new Map<string, ScalarStyle>();
  #lineStart = 0;

  text(): string {
    return this.#blocks.join("") + this.#pieces.join("");
  }

  node(value: unknown, indent: number, position: Position): void {
    if (Array.isArray(value)) this.#sequence(value, indent, position);
    else if (typeof value === "object" && value !== null)
      this.#mapping(value as Record<string, unknown>, indent, position);
    else if (typeof value === "string") this.#string(value, indent, position, false);
    else this.#word(scalarText(value), position);
  }

  #mapping(object: Record<string, unknown>, indent: number, position: Position): void {
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    if (keys.length === 0) {
      this.#word("{}", position);
      return;
    }
    const inner = Math.max(indent + INDENT, 0);
    keys.sort(compareNaturally);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!;
      // The first key stands right behind the dash of its item.
      if (index > 0 || position === "value") this.#newLine(inner);
      else if (position === "item") this.#write(" ");
      this.#member(key, object[key], inner);
    }
  }

  #member(key: string, value: unknown, indent: number): void {
    if (Buffer.byteLength(key) > MAX_SIMPLE_KEY_BYTES || key.includes("\n")) {
      this.#write("?");
      this.#string(key, indent, "item", false);
      this.#newLine(indent);
    } else {
      this.#string(key, indent, "root", true);
    }
    this.#write(":");
    this.node(value, indent, "value");
  }

  #sequence(items: readonly unknown[], indent: number, position: Position): void {
    if (items.length === 0) {
      this.#word("[]", position);
      return;
    }
    const inner = position === "value" ? indent : Math.max(indent + INDENT, 0);
    for (let index = 0; index < items.length; index++) {
      if (index > 0 || position === "value") this.#newLine(inner);
      else if (position === "item") this.#write(" ");
      this.#write("-");
      this.node(items[index], inner, "item");
    }
  }

  #word(word: string, position: Position): void {
    this.#write(position === "root" ? word : ` ${word}`);
  }

  #string(value: string, indent: number, position: Position, isKey: boolean): void {
    if (position !== "root") this.#write(" ");
    const margin = indent + INDENT;
    const style = isKey ? this.#styleOfKey(value) : styleOf(value, false);
    if (style === "literal") this.#literal(value, margin);
    else if (style === "plain") this.#folded(value, isKey ? undefined : margin, plainCharacter);
    else if (style === "single") {
      this.#write("'");
      this.#folded(value, isKey ? undefined : margin, singleCharacter, true);
      this.#write("'");
    } else {
      this.#write('"');
      this.#doubleQuoted(value, isKey ? undefined : margin);
      this.#write('"');
    }
  }

  /** The same few keys stand in every item of a list. */
  #styleOfKey(key: string): ScalarStyle {
    let style = this.#keyStyles.get(key);
    if (style === undefined) {
      style = styleOf(key, true);
      if (this.#keyStyles.size < MAX_KEY_STYLES) this.#keyStyles.set(key, style);
    }
    return style;
  }

  /** Whether a text of one line has a place where it could be broken. */
  #mayFold(value: string, margin: number | undefined): boolean {
    return margin !== undefined && value.includes(" ") && this.#column() + value.length > FOLD_COLUMN;
  }

  /** Writes a text, breaking the line at single spaces behind the fold column where a margin allows it. */
  #folded(value: string, margin: number | undefined, write: (character: string) => string, quoted = false): void {
    const written = quoted ? value.replaceAll("'", "''") : value;
    if (!this.#mayFold(written, margin)) {
      this.#write(written);
      return;
    }
    const characters = Array.from(value);
    for (const [index, character] of characters.entries()) {
      const inside = !quoted || (index > 0 && index < characters.length - 1);
      const single = characters[index - 1] !== " " && characters[index + 1] !== " ";
      if (margin !== undefined && character === " " && inside && single && this.#column() > FOLD_COLUMN) {
        this.#newLine(margin);
      } else {
        this.#write(write(character));
      }
    }
  }

  #doubleQuoted(value: string, margin: number | undefined): void {
    if (!this.#mayFold(value, margin) && !NEEDS_ESCAPE.test(value)) {
      this.#write(value);
      return;
    }
    const characters = Array.from(value);
    let spaces = false;
    for (const [index, character] of characters.entries()) {
      const inside = index > 0 && index < characters.length - 1;
      if (character !== " ") this.#write(doubleCharacter(character));
      else if (margin !== undefined && !spaces && inside && this.#column() > FOLD_COLUMN) {
        this.#newLine(margin);
        // A space that starts a line would be lost.
        if (characters[index + 1] === " ") this.#write("\\");
      } else this.#write(character);
      spaces = character === " ";
    }
  }

  #literal(value: string, margin: number): void {
    const first = value[0];
    this.#write("|");
    if (first === " " || first === "\n") this.#write(String(INDENT));
    if (!value.endsWith("\n")) this.#write("-");
    else if (value === "\n" || value.endsWith("\n\n")) this.#write("+");
    const lines = value.endsWith("\n") ? value.slice(0, -1).split("\n") : value.split("\n");
    for (const line of lines) {
      if (line === "") this.#write("\n");
      else {
        this.#newLine(margin);
        this.#write(line);
      }
    }
  }

  #newLine(indent: number): void {
    this.#write("\n");
    if (indent > 0) this.#write(MARGINS[indent] ?? " ".repeat(indent));
  }

  #write(text: string): void {
    this.#length += text.length;
    if (text === "\n") this.#lineStart = this.#length;
    if (this.#pieces.push(text) < PIECES_OF_BLOCK) return;
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  #column(): number {
    return this.#length - this.#lineStart;
  }
}

function scalarText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value !== "number" || Number.isInteger(value)) return integerText(value);
  return floatText(value);
}

function integerText(value: unknown): string {
  return typeof value === "number" && Math.abs(value) >= 1e21 ? floatText(value) : String(value);
}

/** As upstream writes doubles: exponents below 1e-4 and from 1e21 on, with at least two digits. */
function floatText(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e21) return String(value);
  const [mantissa, exponent = "0"] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${mantissa}e${sign}${exponent.slice(1).padStart(2, "0")}`;
}

const plainCharacter = (character: string): string => character;
const singleCharacter = (character: string): string => (character === "'" ? "''" : character);

const DOUBLE_ESCAPES = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

/** Or may: what is none of the plain characters is looked at one by one. */
const NEEDS_ESCAPE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

function doubleCharacter(character: string): string {
  const short = DOUBLE_ESCAPES.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0)!;
  if (code >= 0x20 && code <= 0x7e) return character;
  if (code >= 0xa0 && code < 0xd800) return character;
  if (code >= 0xe000 && code < 0xfffe && code !== 0xfeff) return character;
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
