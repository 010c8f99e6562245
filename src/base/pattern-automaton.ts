// Whether a compiled pattern matches anywhere in a text, by an automaton that is made while it is used: a state is the set of
// instructions that may come next, and what each kind of character leads to is remembered. A character takes one look into a
// table, where the library takes up to hundreds of nanoseconds.
//
//   ^a(b|c)*$    {a} -a-> {b|c, the end} -b,c-> the same

import type { Steps } from "./steps.ts";

/** As the library compiles patterns. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  /** One character, or pairs of the first and last of ranges, in order. */
  readonly runes: ArrayLike<number>;
}

const OP = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  empty: 4,
  fail: 5,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  any: 10,
  line: 11,
} as const;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const FOLD_CASE = 1;
const NEWLINE = 10;
const PAST_ASCII = 128;

/** What grows beyond is left to the library. Numbers of states are bytes. */
const MAX_INSTRUCTIONS = 300;
const MAX_CLASSES = 64;
const MAX_STATES = 64;
/** Others may have their turn then. */
const STEP_CHARACTERS = 64 * 1024;

const NOT_MADE = 0;
/** Nothing that follows can match any more. */
const DEAD = 1;
/** Whatever follows. */
const MATCHED = 2;
const FIRST_STATE = 3;

interface State {
  /** Instructions that take a character, or stand before the end of the text. */
  readonly waiting: readonly number[];
  readonly matchesAtEnd: boolean;
}

export class PatternAutomaton {
  readonly #program: readonly Instruction[];
  readonly #start: number;
  /** Where the classes of characters begin, in order: characters of one class are the same to all instructions. */
  readonly #bounds: readonly number[];
  readonly #asciiClasses = new Uint8Array(PAST_ASCII);
  readonly #states: State[] = [];
  readonly #numbers = new Map<string, number>();
  /** By state and class. */
  readonly #next: Uint8Array;
  readonly #matchesNothing: boolean;
  readonly #first: number;

  /** Undefined for a pattern that looks at more than characters, beginning and end, or is too large. */
  static of(program: readonly Instruction[], start: number): PatternAutomaton | undefined {
    if (program.length > MAX_INSTRUCTIONS || !program.every(isPlain)) return undefined;
    const bounds = boundsOf(program);
    return bounds.length > MAX_CLASSES ? undefined : new PatternAutomaton(program, start, bounds);
  }

  private constructor(program: readonly Instruction[], start: number, bounds: readonly number[]) {
    this.#program = program;
    this.#start = start;
    this.#bounds = bounds;
    this.#next = new Uint8Array((FIRST_STATE + MAX_STATES) * bounds.length);
    for (let code = 0; code < PAST_ASCII; code += 1) this.#asciiClasses[code] = this.#classOf(code);
    this.#matchesNothing = this.#closed([], BEGIN_TEXT | END_TEXT) === MATCHED;
    this.#first = this.#numberOf(this.#closed([], BEGIN_TEXT));
  }

  /** Undefined where there would be too many states. */
  test(text: string): boolean | undefined {
    if (text === "") return this.#matchesNothing;
    const place = { state: this.#first, at: 0 };
    this.#go(place, text, text.length);
    return this.#judged(place.state);
  }

  /** The same for a long text. */
  *testInSteps(text: string): Steps<boolean | undefined> {
    if (text === "") return this.#matchesNothing;
    const place = { state: this.#first, at: 0 };
    while (place.state >= FIRST_STATE && place.at < text.length) {
      if (place.at > 0) yield;
      this.#go(place, text, Math.min(text.length, place.at + STEP_CHARACTERS));
    }
    return this.#judged(place.state);
  }

  /** Up to the end, or until it is known how the whole ends. */
  #go(place: { state: number; at: number }, text: string, end: number): void {
    const classes = this.#asciiClasses;
    const next = this.#next;
    const width = this.#bounds.length;
    let { state, at } = place;
    for (; state >= FIRST_STATE && at < end; at += 1) {
      const unit = text.charCodeAt(at);
      let kind: number;
      if (unit < PAST_ASCII) kind = classes[unit]!;
      else {
        const code = text.codePointAt(at)!;
        if (code > 0xffff) at += 1;
        kind = this.#classOf(code);
      }
      const known = next[state * width + kind]!;
      state = known === NOT_MADE ? this.#step(state, kind) : known;
    }
    place.state = state;
    place.at = at;
  }

  #judged(state: number): boolean | undefined {
    if (state === NOT_MADE) return undefined;
    return state >= FIRST_STATE ? this.#states[state - FIRST_STATE]!.matchesAtEnd : state === MATCHED;
  }

  #classOf(code: number): number {
    const bounds = this.#bounds;
    let low = 0;
    let high = bounds.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (bounds[middle]! <= code) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** NOT_MADE where there is no room for another state. */
  #step(from: number, kind: number): number {
    const code = this.#bounds[kind]!;
    const { waiting } = this.#states[from - FIRST_STATE]!;
    const taken = waiting.flatMap((index) => (takes(this.#program[index]!, code) ? [this.#program[index]!.out] : []));
    const to = this.#numberOf(this.#closed(taken, 0));
    this.#next[from * this.#bounds.length + kind] = to;
    return to;
  }

  /** What may come next behind these, and from here on: a match may begin anywhere. MATCHED when there is one. */
  #closed(from: readonly number[], empty: number): readonly number[] | typeof MATCHED {
    const program = this.#program;
    const seen = new Set<number>();
    const waiting: number[] = [];
    const open = [this.#start, ...from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      const { op, out, arg } = program[index]!;
      if (op === OP.match) return MATCHED;
      if (op === OP.alt || op === OP.altMatch) open.push(arg, out);
      else if (op === OP.capture || op === OP.nop) open.push(out);
      else if (op === OP.empty) {
        if ((arg & ~empty) === 0) open.push(out);
        else if ((arg & ~empty) === END_TEXT) waiting.push(index);
      } else if (op !== OP.fail) waiting.push(index);
    }
    return waiting.sort((a, b) => a - b);
  }

  #numberOf(waiting: readonly number[] | typeof MATCHED): number {
    if (waiting === MATCHED) return MATCHED;
    if (waiting.length === 0) return DEAD;
    const key = waiting.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#states.length === MAX_STATES) return NOT_MADE;
    const number = FIRST_STATE + this.#states.length;
    this.#states.push({ waiting, matchesAtEnd: this.#matchesAtEnd(waiting) });
    this.#numbers.set(key, number);
    return number;
  }

  /** Behind at least one character. */
  #matchesAtEnd(waiting: readonly number[]): boolean {
    const ends = waiting.flatMap((index) => (this.#program[index]!.op === OP.empty ? [this.#program[index]!.out] : []));
    return ends.length > 0 && this.#closed(ends, END_TEXT) === MATCHED;
  }
}

/** Whether it asks for no more than what the automaton knows of. */
function isPlain({ op, arg }: Instruction): boolean {
  if (op === OP.empty) return (arg & ~(BEGIN_TEXT | END_TEXT)) === 0;
  return (op !== OP.rune && op !== OP.rune1) || (arg & FOLD_CASE) === 0;
}

function takes({ op, runes }: Instruction, code: number): boolean {
  if (op === OP.any) return true;
  if (op === OP.line) return code !== NEWLINE;
  if (op !== OP.rune && op !== OP.rune1) return false;
  if (runes.length === 1) return runes[0] === code;
  for (let at = 0; at + 1 < runes.length; at += 2) if (runes[at]! <= code && code <= runes[at + 1]!) return true;
  return false;
}

function boundsOf(program: readonly Instruction[]): readonly number[] {
  const bounds = new Set([0]);
  for (const { op, runes } of program) {
    if (op === OP.line) bounds.add(NEWLINE).add(NEWLINE + 1);
    if (op !== OP.rune && op !== OP.rune1) continue;
    if (runes.length === 1) bounds.add(runes[0]!).add(runes[0]! + 1);
    for (let at = 0; at + 1 < runes.length; at += 2) bounds.add(runes[at]!).add(runes[at + 1]! + 1);
    if (bounds.size > MAX_CLASSES) break;
  }
  return [...bounds].sort((a, b) => a - b);
}
