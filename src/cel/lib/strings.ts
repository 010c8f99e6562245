// The extended string functions: positions, cases, splitting, joining, formatting; with what each costs.

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
import { INT, LIST_OF_DYN, listOf, STRING } from "../types.ts";
import { type CelListValue, listToArray } from "../values.ts";
import { formatText } from "./format-text.ts";
import {
  charAt,
  indexOf,
  join,
  joinInSteps,
  lastIndexOf,
  lowerAscii,
  quote,
  replace,
  replaceInSteps,
  split,
  splitInSteps,
  substring,
  trim,
  upperAscii,
} from "./string-functions.ts";

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
  callInSteps: replaceInSteps,
  cost: ([text = ""]) => Math.ceil(sizeOf(text) * 0.2),
  estimate: ([text, old, replacement]) => ({
    cost: scaleRange(size(text), 0.2),
    resultSize: replacedSize(size(text), size(old), size(replacement)),
  }),
};

const SPLIT: OverloadCosts = {
  callInSteps: splitInSteps,
  cost: ([text = ""]) => Math.ceil(sizeOf(text) * 0.2),
  estimate: ([text, , limit]) => {
    const parts = limit?.literalInt ?? size(text).max;
    const max = parts < 0 ? Number.POSITIVE_INFINITY : parts;
    return { cost: scaleRange(size(text), 0.2), resultSize: { min: 0, max } };
  },
};

const JOIN: OverloadCosts = {
  callInSteps: joinInSteps,
  resultCost: (result) => Math.ceil(sizeOf(result) * 0.2),
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
