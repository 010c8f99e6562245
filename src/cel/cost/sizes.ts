// Sizes and costs as ranges. Arithmetic saturates: Infinity stands for "no bound known".

import type { CelType } from "../types.ts";

export interface Range {
  readonly min: number;
  readonly max: number;
}

export interface CallEstimate {
  readonly cost: Range;
  /** How large the result can be, where that is known. */
  readonly resultSize?: Range;
}

/** An argument as an estimate sees it. */
export interface SizedNode {
  readonly type: CelType;
  /** Elements, characters or bytes; unknown sizes reach from 0 to Infinity. */
  readonly size: Range;
  /** The same where it is known. */
  readonly knownSize?: Range;
  /** Sizes of the elements of a list. */
  itemSize(): Range;
  /** The value, where the argument is a literal int. */
  readonly literalInt?: number;
}

export const UNKNOWN_SIZE: Range = { min: 0, max: Number.POSITIVE_INFINITY };
/** Upstream counts strings at a tenth of a unit per character. */
export const TEXT_FACTOR = 0.1;
/** A quarter of the characters of a pattern count as its states. */
export const REGEX_FACTOR = 0.25;

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function addRanges(a: Range, b: Range): Range {
  return { min: a.min + b.min, max: a.max + b.max };
}

export function multiplyRanges(a: Range, b: Range): Range {
  return { min: times(a.min, b.min), max: times(a.max, b.max) };
}

/** Rounded up, as all costs are. */
export function scaleRange(range: Range, factor: number): Range {
  return { min: Math.ceil(times(range.min, factor)), max: Math.ceil(times(range.max, factor)) };
}

export function unionRanges(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** The cost of going through a text of that size. */
export function textCost(size: Range): Range {
  return scaleRange(size, TEXT_FACTOR);
}

export function regexCost(text: Range, pattern: Range): Range {
  return multiplyRanges(textCost(addRanges(text, exactly(1))), scaleRange(pattern, REGEX_FACTOR));
}

function times(a: number, b: number): number {
  // Infinity times zero is nothing here: an empty loop costs nothing, however dear its body.
  return a === 0 || b === 0 ? 0 : a * b;
}
