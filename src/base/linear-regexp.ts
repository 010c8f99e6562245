// Patterns from users: they run in linear time, whatever they look like. The one place that knows the library.

import { RE2JS } from "re2js";

export interface LinearRegexp {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/** Longer patterns are refused: compiling takes memory in proportion. */
export const MAX_PATTERN_LENGTH = 64 * 1024;
const MAX_CACHED_PATTERNS = 1024;

/** The compiled pattern, or a sentence saying why it is none. The most recently compiled ones are kept. */
export function compileLinear(pattern: string): LinearRegexp | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  if (compiled.size >= MAX_CACHED_PATTERNS) {
    // A Map keeps the order of insertion: the oldest goes.
    const oldest = compiled.keys().next().value;
    if (oldest !== undefined) compiled.delete(oldest);
  }
  compiled.set(pattern, made);
  return made;
}

const compiled = new Map<string, LinearRegexp | string>();

function compile(pattern: string): LinearRegexp | string {
  if (pattern.length > MAX_PATTERN_LENGTH) return `pattern is longer than ${MAX_PATTERN_LENGTH} characters`;
  try {
    return RE2JS.compile(pattern);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "error parsing regexp";
  }
}
