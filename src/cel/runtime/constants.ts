// Steps that give the same value each time. They cost nothing, and what is made of them is made once, as upstream folds
// constants before it runs.

import { CelError } from "../errors.ts";
import type { CelValue } from "../values.ts";
import type { Step } from "./frame.ts";

const values = new WeakMap<Step, CelValue>();

export function constantStep(value: CelValue): Step {
  const step = (): CelValue => value;
  if (!(value instanceof CelError)) values.set(step, value);
  return step;
}

/** Undefined where the value is only known when the step runs. */
export function constantOf(step: Step): CelValue | undefined {
  return values.get(step);
}

/** Thrown by the planner: the text is right, but a constant of it cannot be worked out. */
export class InstantiationError extends Error {}
