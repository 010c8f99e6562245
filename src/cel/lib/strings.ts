// The extended string functions: positions, cases, splitting, joining, formatting. Positions count code points.

import { append } from "../../base/append.ts";
import { sizeOf, textCostOf, traversalCost } from "../cost/actual.ts";
import {
  addRanges,
  exactly,
  multiplyRanges,
  type Range,
  type SizedNode,
  scaleRange,
  textCost,
  UNKNOWN_SIZE,
} from "../cost/sizes.ts";
import {
  declareFunction,
  type FunctionDeclaration,
  globalOverload,
  type Library,
  memberOverload,
  type OverloadCosts,
} from "../declarations.ts";
import { CelError } from "../errors.ts";
import { MAX_RESULT_SIZE } from "../limits.ts";
import { TOO_LARGE } from "../runtime/operations.ts";
import { isPlainText } from "../runtime/text.ts";
import { INT, LIST_OF_DYN, listOf, STRING } from "../types.ts";
import { type CelInt, type CelListValue, type CelValue, listToArray } from "../values.ts";
import { formatText } from "./format-text.ts";

/** One pass over the receiver. */
export const ONE_PASS: OverloadCosts = {
  cost: ([text = ""]) => textCostOf(text),
  estimate: ([text]) => ({ cost: textCost(size(text)), resultSize: size(text) }),
};

/** Upstream counts by the name of the function: of what may be a list the elements count. */
const SEARCH: OverloadCosts = {
  cost: ([text = ""]) => traversalCost(text),
  estimate: ([text]) => ({ cost: textCost(size(text)) }),
};

const REPLACE: OverloadCosts = {
  cost: ([text = ""]) => Math.ceil(sizeOf(text) * 0.2),
  estimate: ([text, old, replacement]) => ({
    cost: scaleRange(size(text), 0.2),
    resultSize: replacedSize(size(text), size(old), size(replacement)),
  }),
};

const SPLIT: OverloadCosts = {
  cost: ([text = ""]) => Math.ceil(sizeOf(text) * 0.2),
  estimate: ([text, , limit]) => {
    const parts = limit?.literalInt ?? size(text).max;
    const max = parts < 0 ? Number.POSITIVE_INFINITY : parts;
    return { cost: scaleRange(size(text), 0.2), resultSize: { min: 0, max } };
  },
};

const JOIN: OverloadCosts = {
  cost: (_args, result) => Math.ceil(sizeOf(result) * 0.2),
  estimate: ([list, separator]) => {
    const count = size(list);
    const gaps = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
    const items = list?.type.kind === "list" ? multiplyRanges(count, list.itemSize()) : exactly(0);
    const joined = separator === undefined ? items : addRanges(items, multiplyRanges(size(separator), gaps));
    return { cost: textCost(joined), resultSize: joined };
  },
};

const BASE: readonly FunctionDeclaration[] = [
  declareFunction("charAt", memberOverload("string_char_at_int", [STRING, INT], STRING, charAt)),
  declareFunction(
    "indexOf",
    memberOverload(
      "string_index_of_string",
      [STRING, STRING],
      INT,
      (text: string, part: string) => indexOf(text, part, 0),
      SEARCH,
    ),
    memberOverload("string_index_of_string_int", [STRING, STRING, INT], INT, indexOf, SEARCH),
  ),
  declareFunction(
    "lastIndexOf",
    memberOverload("string_last_index_of_string", [STRING, STRING], INT, lastIndexOf, SEARCH),
    memberOverload("string_last_index_of_string_int", [STRING, STRING, INT], INT, lastIndexOf, SEARCH),
  ),
  declareFunction("lowerAscii", memberOverload("string_lower_ascii", [STRING], STRING, lowerAscii, ONE_PASS)),
  declareFunction("upperAscii", memberOverload("string_upper_ascii", [STRING], STRING, upperAscii, ONE_PASS)),
  declareFunction(
    "replace",
    memberOverload("string_replace_string_string", [STRING, STRING, STRING], STRING, replace, REPLACE),
    memberOverload("string_replace_string_string_int", [STRING, STRING, STRING, INT], STRING, replace, REPLACE),
  ),
  declareFunction(
    "split",
    memberOverload("string_split_string", [STRING, STRING], listOf(STRING), split, SPLIT),
    memberOverload("string_split_string_int", [STRING, STRING, INT], listOf(STRING), split, SPLIT),
  ),
  declareFunction(
    "join",
    memberOverload("list_join", [listOf(STRING)], STRING, join, JOIN),
    memberOverload("list_join_string", [listOf(STRING), STRING], STRING, join, JOIN),
  ),
  declareFunction(
    "substring",
    memberOverload("string_substring_int", [STRING, INT], STRING, substring, ONE_PASS),
    memberOverload("string_substring_int_int", [STRING, INT, INT], STRING, substring, ONE_PASS),
  ),
  declareFunction("trim", memberOverload("string_trim", [STRING], STRING, trim, ONE_PASS)),
];

const WITH_FORMAT: readonly FunctionDeclaration[] = [
  declareFunction(
    "format",
    memberOverload(
      "string_format",
      [STRING, LIST_OF_DYN],
      STRING,
      (template: string, args: CelListValue) => {
        return formatText(template, listToArray(args));
      },
      {
        cost: ([text = ""]) => textCostOf(text),
        estimate: ([text]) => ({ cost: textCost(size(text)) }),
      },
    ),
  ),
  declareFunction(
    "strings.quote",
    globalOverload("strings_quote", [STRING], STRING, quote, {
      cost: ([text = ""]) => textCostOf(text),
      estimate: ([text]) => ({
        cost: textCost(size(text)),
        resultSize: addRanges(multiplyRanges(size(text), { min: 1, max: 2 }), exactly(2)),
      }),
    }),
  ),
];

/** Upstream's versions: 0 has no formatting, 1 and 2 have; 3 can reverse. */
export function stringsLibrary(version: 0 | 2 | 3): Library {
  const functions = [...BASE];
  if (version >= 2) append(functions, WITH_FORMAT);
  if (version >= 3) {
    functions.push(
      declareFunction(
        "reverse",
        memberOverload(
          "string_reverse",
          [STRING],
          STRING,
          (text: string) => Array.from(text).reverse().join(""),
          ONE_PASS,
        ),
      ),
    );
  }
  return { name: `strings v${version}`, functions };
}

function size(node: SizedNode | undefined): Range {
  return node?.size ?? UNKNOWN_SIZE;
}

/** Bounds of a text after all replacements. */
function replacedSize(text: Range, old: Range, replacement: Range): Range {
  return {
    min: smallestReplaced(text.min, old.max, replacement.min),
    max: largestReplaced(text.max, old.min, replacement.max),
  };
}

function largestReplaced(text: number, old: number, replacement: number): number {
  if (old === 0) return times(text + 1, replacement) + text;
  if (replacement <= old) return text;
  return times(Math.ceil(text / old), replacement);
}

function smallestReplaced(text: number, old: number, replacement: number): number {
  if (old === 0) return times(text + 1, replacement) + text;
  if (old <= replacement) return text;
  return Number.isFinite(old) ? times(Math.ceil(text / old), replacement) : 0;
}

function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

function outOfRange(index: CelInt): CelError {
  return new CelError(`index out of range: ${index}`);
}

/** The text by code points: itself when it has no surrogates. */
function pointsOf(text: string): string | string[] {
  return isPlainText(text) ? text : Array.from(text);
}

function charAt(text: string, index: CelInt): CelValue {
  const points = pointsOf(text);
  const at = Number(index);
  if (at < 0 || at > points.length) return outOfRange(index);
  return points[at] ?? "";
}

function indexOf(text: string, part: string, from: CelInt): CelValue {
  if (part === "") return from;
  const start = Number(from);
  if (isPlainText(text)) return inside(start, text.length) ? text.indexOf(part, start) : outOfRange(from);
  const points = Array.from(text);
  if (!inside(start, points.length)) return outOfRange(from);
  const unit = text.indexOf(part, unitsBefore(points, start));
  return unit < 0 ? -1 : Array.from(text.slice(0, unit)).length;
}

function lastIndexOf(text: string, part: string, from?: CelInt): CelValue {
  const points = pointsOf(text);
  if (part === "") return from ?? points.length;
  const start = from === undefined ? points.length - 1 : Number(from);
  if (from !== undefined && !inside(start, points.length)) return outOfRange(from);
  if (start < 0) return -1;
  if (typeof points === "string") return text.lastIndexOf(part, start);
  const unit = text.lastIndexOf(part, unitsBefore(points, start));
  return unit < 0 ? -1 : Array.from(text.slice(0, unit)).length;
}

/** Zero is a place in any text, also in the empty one. */
function inside(position: number, length: number): boolean {
  return position === 0 || (position > 0 && position < length);
}

function unitsBefore(points: readonly string[], count: number): number {
  let units = 0;
  for (let index = 0; index < count; index++) units += points[index]?.length ?? 0;
  return units;
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function replace(text: string, old: string, replacement: string, limit: CelInt = -1): CelValue {
  const count = Number(limit);
  if (count === 0) return text;
  const parts = splitText(text, old, count < 0 ? -1 : count + 1);
  // An empty pattern is found before every character and at the end.
  const atEnds = old === "" && (count < 0 || count > Array.from(text).length);
  const shown = old === "" ? ["", ...parts, ...(atEnds ? [""] : [])] : parts;
  if (text.length + shown.length * replacement.length > MAX_RESULT_SIZE) return TOO_LARGE;
  return old === "" ? replaceBetween(text, replacement, count) : shown.join(replacement);
}

function replaceBetween(text: string, replacement: string, limit: number): string {
  const points = Array.from(text);
  const count = limit < 0 ? points.length + 1 : Math.min(limit, points.length + 1);
  let result = "";
  for (let index = 0; index <= points.length; index++) {
    if (index < count) result += replacement;
    result += points[index] ?? "";
  }
  return result;
}

function split(text: string, separator: string, limit: CelInt = -1): CelValue {
  return splitText(text, separator, Number(limit));
}

/** At most `limit` parts, the last with the rest; all when it is negative. */
function splitText(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  if (limit === 1) return [text];
  const all = separator === "" ? Array.from(text) : text.split(separator);
  if (limit < 0 || all.length <= limit) return all;
  return [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)];
}

function join(list: CelListValue, separator = ""): CelValue {
  const items = listToArray(list);
  let length = 0;
  for (const item of items) {
    if (typeof item !== "string") return new CelError("join: invalid input: the list must hold strings");
    length += item.length + separator.length;
  }
  return length > MAX_RESULT_SIZE ? TOO_LARGE : items.join(separator);
}

function substring(text: string, start: CelInt, end?: CelInt): CelValue {
  const points = pointsOf(text);
  const from = Number(start);
  const to = end === undefined ? points.length : Number(end);
  if (end !== undefined && from > to) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (from < 0 || from > points.length) return outOfRange(start);
  if (to < 0 || to > points.length) return outOfRange(end ?? 0);
  return typeof points === "string" ? points.slice(from, to) : points.slice(from, to).join("");
}

const SPACE = "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LEADING_SPACE = new RegExp(`^${SPACE}+`);
const ONE_SPACE = new RegExp(SPACE);

function trim(text: string): string {
  const start = LEADING_SPACE.exec(text)?.[0].length ?? 0;
  let end = text.length;
  // A pattern for the end would try every run of spaces in the text.
  while (end > start && ONE_SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function quote(text: string): CelValue {
  const escaped = text.replace(/[\x07-\r\\"]/g, (char) => ESCAPES[char] ?? char);
  return `"${escaped.replace(LONE_SURROGATE, "\ufffd")}"`;
}
