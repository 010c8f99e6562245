// Evaluates at once, and with a pause after every turn of a loop: both must come to the same.

import { CostBudget } from "./cost-budget.ts";
import { Long } from "./evaluation.ts";
import type { Program } from "./program.ts";
import type { CelValue } from "./values.ts";

interface Evaluated {
  readonly value: CelValue;
  readonly cost: number;
  readonly work: number;
}

const PLENTY = 1_000_000_000;
const EVERY_TURN = { begin() {}, reached() {}, over: () => true };

type Activation = Readonly<Record<string, unknown>>;
/** Values that are worked out on the way belong to one evaluation and are charged with it. */
type ActivationFor = (budget: CostBudget) => Activation;

export function evaluateAtOnce(program: Program, activation: ActivationFor, costLimit?: number): Evaluated {
  return watched(costLimit, (options) => program.evaluate(activation(options.budget), options));
}

/** `steps`: how often it let others have their turn. `begins`: as one that is tried at once first. */
export function evaluatePausing(
  program: Program,
  activation: ActivationFor,
  { costLimit, begins = false }: { readonly costLimit?: number; readonly begins?: boolean } = {},
): Evaluated & { readonly steps: number } {
  let steps = 0;
  const evaluated = watched(costLimit, (options) => {
    const given = activation(options.budget);
    const work = begins
      ? program.evaluateInSteps(given, options, EVERY_TURN)
      : new Long(program, given, options, 0).inSteps(EVERY_TURN);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      steps += 1;
    }
  });
  return { ...evaluated, steps };
}

interface Options {
  readonly budget: CostBudget;
  readonly onCost: (cost: number) => void;
  readonly costLimit?: number;
}

function watched(costLimit: number | undefined, evaluate: (options: Options) => CelValue): Evaluated {
  let cost = 0;
  const budget = new CostBudget(PLENTY);
  const workBefore = budget.workLeft;
  const options = {
    budget,
    onCost: (spent: number) => (cost = spent),
    ...(costLimit === undefined ? {} : { costLimit }),
  };
  const value = evaluate(options);
  return { value, cost: cost + (PLENTY - budget.remaining), work: workBefore - budget.workLeft };
}
