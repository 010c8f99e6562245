// Patterns from users. They run in linear time, whatever they look like; compiled ones are kept.

import { RE2JS } from "re2js";
import { CelError } from "../errors.ts";
import { MAX_CACHED_PATTERNS, MAX_PATTERN_INSTRUCTIONS, MAX_PATTERN_LENGTH } from "../limits.ts";

const compiled = new Map<string, RE2JS | CelError>();

/** The pattern, ready to run; an error when it is none. */
export function compilePattern(pattern: string): RE2JS | CelError {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  if (compiled.size >= MAX_CACHED_PATTERNS) {
    // The oldest entry goes: a Map keeps the order of insertion.
    const oldest = compiled.keys().next().value;
    if (oldest !== undefined) compiled.delete(oldest);
  }
  compiled.set(pattern, made);
  return made;
}

function compile(pattern: string): RE2JS | CelError {
  if (pattern.length > MAX_PATTERN_LENGTH)
    return new CelError(`pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  try {
    const compiled = RE2JS.compile(pattern);
    // Every character of a text may visit every instruction, whatever the pattern's length says.
    return compiled.programSize() > MAX_PATTERN_INSTRUCTIONS ? new CelError("pattern is too large") : compiled;
  } catch (thrown) {
    return new CelError(thrown instanceof Error ? thrown.message : "error parsing regexp");
  }
}
