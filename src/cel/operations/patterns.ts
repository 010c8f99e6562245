// Patterns from users, within the bounds of an expression.

import { compileLinear, type LinearRegexp, MAX_SEARCHED_CHARACTERS } from "../../base/linear-regexp.ts";
import { CelError } from "../errors.ts";
import { MAX_PATTERN_INSTRUCTIONS, MAX_PATTERN_LENGTH } from "../limits.ts";
import { countWork } from "./work.ts";

/** The pattern, ready to run in linear time; an error when it is none. */
export function compilePattern(pattern: string): LinearRegexp | CelError {
  if (pattern.length > MAX_PATTERN_LENGTH)
    return new CelError(`pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  const compiled = compileLinear(pattern);
  if (typeof compiled === "string") return new CelError(compiled);
  // Every character of a text may visit every instruction, whatever the pattern's length says.
  return compiled.programSize() > MAX_PATTERN_INSTRUCTIONS ? new CelError("pattern is too large") : compiled;
}

/** Of one that cannot be searched without keeping all others waiting. */
export const TEXT_TOO_LONG = new CelError(
  `a text of more than ${MAX_SEARCHED_CHARACTERS} characters cannot be searched`,
);

/** Counts a text that a pattern is about to go through. */
export function countMatching(text: string): void {
  countWork(text.length * WORK_PER_CHARACTER);
}

/** Counts one match that was found: it begins anew after each. */
export function countMatch(): void {
  countWork(WORK_PER_MATCH);
}

const WORK_PER_CHARACTER = 2.5;
const WORK_PER_MATCH = 25;
