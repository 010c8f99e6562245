// What a planned comprehension consists of.

import { CelError } from "../errors.ts";
import { type Adapter, isJsonObject } from "../json.ts";
import type { Frame, Step } from "./frame.ts";

/** A planned comprehension. Its accumulated value is in a slot; a turn changes that last, when all else of it is done. */
export interface LoopParts {
  readonly range: Step;
  readonly init: Step;
  readonly slots: Slots;
  /** False ends the loop. */
  readonly turn: Turn;
  readonly result: Step;
}

export type Turn = (frame: Frame) => boolean;

export interface Slots {
  readonly accu: number;
  readonly first: number;
  /** -1 when the loop has one variable. */
  readonly second: number;
  /** Whether the first may hold JSON. */
  readonly json: boolean;
}

export const NO_RANGE = new CelError(
  "got a value that is neither list nor map for a comprehension range",
  "noSuchOverload",
);

/** An item of a list of JSON as the loop's one variable. */
export function putItem({ locals, adapters }: Frame, { first, json }: Slots, item: unknown, adapt: Adapter): void {
  if (json && isJsonObject(item)) {
    locals[first] = item;
    adapters[first] = adapt;
  } else {
    locals[first] = adapt(item);
    adapters[first] = undefined;
  }
}
