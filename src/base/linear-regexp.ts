// Patterns from users: they run in linear time, whatever they look like. The one place that knows the library.

import { RE2JS } from "re2js";
import { BoundedCache } from "./bounded-cache.ts";
import { type Instruction, PatternAutomaton } from "./pattern-automaton.ts";
import type { Steps } from "./steps.ts";

export interface LinearRegexp {
  /** Whether the pattern matches anywhere in the text; undefined where that would keep all others waiting. */
  test(text: string): boolean | undefined;
  /** The same for a long text. */
  testInSteps(text: string): Steps<boolean | undefined>;
  /** Walks over the matches: find() goes to the next one, group() is its text, end() the unit behind it. Undefined as above. */
  matcher(text: string): { find(): boolean; group(): string | null; end(): number } | undefined;
  /** How many instructions it compiled to. */
  programSize(): number;
}

/** Patterns that would compile to more steps are refused: "a{1000}", a hundred times, takes most of a second. */
const MAX_PATTERN_SIZE = 20_000;
/** The library goes through a text at once, and takes up to 0.2 us for each of its characters. */
export const MAX_SEARCHED_CHARACTERS = 256 * 1024;
const MAX_CACHED_PATTERNS = 10_000;
const MAX_CACHED_BYTES = 20 * 1024 * 1024;
/** What a step of a compiled pattern holds, about, with the automaton that is made of it. */
const STEP_BYTES = 300;

/** The compiled pattern, or a sentence saying why it is none. Recent ones are kept. */
export function compileLinear(pattern: string): LinearRegexp | string {
  const known = cache.get(pattern);
  if (known !== undefined) return known.compiled;
  const size = patternSize(pattern);
  if (size > MAX_PATTERN_SIZE) return "error parsing regexp: expression too large";
  const compiled = compile(pattern);
  cache.set(pattern, { compiled, steps: size });
  return compiled;
}

const cache = new BoundedCache<string, { readonly compiled: LinearRegexp | string; readonly steps: number }>({
  maxEntries: MAX_CACHED_PATTERNS,
  maxBytes: MAX_CACHED_BYTES,
  sizeBytes: (pattern, { steps }) => 2 * pattern.length + steps * STEP_BYTES,
});

function compile(pattern: string): LinearRegexp | string {
  try {
    return new CompiledPattern(RE2JS.compile(pattern));
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "error parsing regexp";
  }
}

/** Where the library keeps what it has compiled; it is not among its types. */
interface Inside {
  readonly re2Input: { readonly prog: { readonly inst: readonly Instruction[]; readonly start: number } };
}

class CompiledPattern implements LinearRegexp {
  readonly #library: RE2JS;
  /** Made at the first question; null where there can be none. */
  #automaton: PatternAutomaton | null | undefined;

  constructor(library: RE2JS) {
    this.#library = library;
  }

  test(text: string): boolean | undefined {
    return this.#automatic?.test(text) ?? this.#byLibrary(text);
  }

  *testInSteps(text: string): Steps<boolean | undefined> {
    const automaton = this.#automatic;
    return (automaton && (yield* automaton.testInSteps(text))) ?? this.#byLibrary(text);
  }

  #byLibrary(text: string): boolean | undefined {
    return text.length <= MAX_SEARCHED_CHARACTERS ? this.#library.test(text) : undefined;
  }

  get #automatic(): PatternAutomaton | null {
    if (this.#automaton === undefined) {
      const { inst, start } = (this.#library as unknown as Inside).re2Input.prog;
      this.#automaton = PatternAutomaton.of(inst, start) ?? null;
    }
    return this.#automaton;
  }

  matcher(text: string) {
    return text.length <= MAX_SEARCHED_CHARACTERS ? this.#library.matcher(text) : undefined;
  }

  programSize(): number {
    return this.#library.programSize();
  }
}

/** About how many steps a pattern compiles to: repeats are written out. */
function patternSize(pattern: string): number {
  let total = 1;
  let atom = 0;
  // The sizes before the groups that are open, and all of them together.
  const outer: number[] = [];
  let before = 0;
  for (let i = 0; i < pattern.length && before + total <= MAX_PATTERN_SIZE; i++) {
    const character = pattern[i];
    if (character === "(") {
      outer.push(total);
      before += total;
      total = 1;
      atom = 0;
    } else if (character === ")") {
      const last = outer.pop() ?? 0;
      atom = total;
      before -= last;
      total += last;
    } else if (character === "{") {
      const repeat = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/.exec(pattern.slice(i, i + 12));
      const times = repeat === null ? 1 : Math.max(Number(repeat[1]), Number(repeat[2] ?? 0), 1);
      total += atom * (times - 1) + 1;
      atom *= times;
    } else {
      if (character === "\\") i++;
      else if (character === "[") i = classEnd(pattern, i);
      atom = 1;
      total++;
    }
  }
  return before + total;
}

function classEnd(pattern: string, start: number): number {
  // A bracket that comes first stands for itself.
  let i = start + (pattern[start + 1] === "^" ? 3 : 2);
  while (i < pattern.length && pattern[i] !== "]") i += pattern[i] === "\\" ? 2 : 1;
  return i;
}
