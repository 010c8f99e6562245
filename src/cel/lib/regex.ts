// The regex library: what a pattern finds in a text, in linear time.

import { matchCost } from "../cost/actual.ts";
import { regexCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, type Library, memberOverload, type OverloadCosts } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { compilePattern, countMatch, countMatching, TEXT_TOO_LONG } from "../operations/patterns.ts";
import { INT, listOf, STRING } from "../types.ts";
import type { CelInt, CelValue } from "../values.ts";

const COSTS: OverloadCosts = {
  cost: ([text = "", pattern = ""]) => matchCost(text, pattern),
  estimate: ([text, pattern]) => {
    const size = text?.size ?? UNKNOWN_SIZE;
    return { cost: regexCost(size, pattern?.size ?? UNKNOWN_SIZE), resultSize: { min: 0, max: size.max } };
  },
};

export const regexLibrary: Library = {
  name: "regex",
  functions: [
    declareFunction("find", memberOverload("string_find_string", [STRING, STRING], STRING, find, COSTS)),
    declareFunction(
      "findAll",
      memberOverload(
        "string_find_all_string",
        [STRING, STRING],
        listOf(STRING),
        (text: string, pattern: string) => findAll(text, pattern, -1),
        COSTS,
      ),
      memberOverload("string_find_all_string_int", [STRING, STRING, INT], listOf(STRING), findAll, COSTS),
    ),
  ],
};

function find(text: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  countMatching(text);
  const matcher = compiled.matcher(text);
  if (matcher === undefined) return TEXT_TOO_LONG;
  return matcher.find() ? (matcher.group() ?? "") : "";
}

function findAll(text: string, pattern: string, limit: CelInt): CelValue {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  const found: string[] = [];
  countMatching(text);
  const matcher = compiled.matcher(text);
  if (matcher === undefined) return TEXT_TOO_LONG;
  let lastEnd = -1;
  while (found.length < most && matcher.find()) {
    countMatch();
    const match = matcher.group() ?? "";
    // Right behind another match an empty one does not count.
    if (match !== "" || matcher.end() !== lastEnd) found.push(match);
    lastEnd = matcher.end();
  }
  return found;
}
