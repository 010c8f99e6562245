// Evaluations of a program: at once, or in steps where that takes long. What takes long is found by trying: an evaluation
// has a small limit first, and is begun again as one that can pause when it comes to that.

import { ClockSlices, type Slices } from "../base/slices.ts";
import type { Steps } from "../base/steps.ts";
import type { CostBudget } from "./cost-budget.ts";
import { CelError } from "./errors.ts";
import { MAX_WORK, PER_CALL_COST_LIMIT, QUICK_COST, QUICK_WORK } from "./limits.ts";
import { COST_EXCEEDED, Stop } from "./operations/stop.ts";
import { beginWork, endWork, isWorking, keepWorkSince, keptWork, workSoFar } from "./operations/work.ts";
import { Frame } from "./runtime/frame.ts";
import { Journal, Pause } from "./runtime/journal.ts";
import type { Plan } from "./runtime/plan.ts";
import type { CelValue } from "./values.ts";

export interface EvaluateOptions {
  /** The most that this evaluation may cost; upstream's limit for one call when not given. */
  readonly costLimit?: number;
  /** Charged with what this evaluation cost, also when it failed. Overdrawn, it turns the result into an error. */
  readonly budget?: CostBudget;
  /** Asked every so many turns of loops; true ends the evaluation. */
  readonly interrupted?: () => boolean;
  /** Told what the evaluation cost. */
  readonly onCost?: (cost: number) => void;
}

export type Activation = Readonly<Record<string, unknown>>;

/** How a program is evaluated. */
export interface Plans {
  readonly whole: Plan;
  /** Undefined until it was made, which takes steps. */
  readonly pausable: Plan | undefined;
  makePausable(): Steps<Plan>;
}

const OUT_OF_BUDGET = new CelError(
  "validation failed due to running out of cost budget, no further validation rules will be run",
  "budget",
);
const TOO_DEEP = new CelError("the values of this expression are nested too deeply");

/** How the evaluation under way is done: evaluations inside of it are done in the same way. One at a time, as work. */
let way: "whole" | "quick" | Slices = "whole";

export function evaluateWhole(plan: Plan, activation: Activation, options: EvaluateOptions): CelValue {
  const { budget, costLimit = PER_CALL_COST_LIMIT } = options;
  if (budget !== undefined && budget.remaining < 0) return OUT_OF_BUDGET;
  const { step, variables, localCount } = plan;
  const frame = new Frame(activation, variables, localCount, costLimit, options.interrupted, undefined);
  const isInner = isWorking();
  const work = workOf(budget);
  let result: CelValue;
  beginWork(work);
  try {
    result = step(frame);
    // Fixed costs are only summed on the way; here they are held against the limit too.
    frame.spend(0);
  } catch (thrown) {
    result = errorOf(thrown);
  } finally {
    const left = endWork();
    // One inside another shares its count, and that is charged with it.
    if (budget !== undefined && !isInner) budget.workLeft -= work - left;
  }
  return charged(result, frame.cost, options);
}

/** The value where that is known soon. */
export function evaluateQuickly(plans: Plans, activation: Activation, options: EvaluateOptions): CelValue | Long {
  const { budget, costLimit = PER_CALL_COST_LIMIT } = options;
  if (budget !== undefined && budget.remaining < 0) return OUT_OF_BUDGET;
  const { step, variables, localCount } = plans.whole;
  const limit = costLimit < QUICK_COST ? costLimit : QUICK_COST;
  const frame = new Frame(activation, variables, localCount, limit, options.interrupted, undefined);
  const work = Math.min(workOf(budget), QUICK_WORK);
  let result: CelValue;
  beginWork(work);
  way = "quick";
  try {
    result = step(frame);
    frame.spend(0);
    endQuickly();
  } catch (thrown) {
    endQuickly();
    if (thrown === COST_EXCEEDED || thrown instanceof Pause) return new Long(plans, activation, options, keptWork());
    result = errorOf(thrown);
  }
  if (budget !== undefined) budget.workLeft -= workSoFar() + keptWork();
  return charged(result, frame.cost, options);
}

function endQuickly(): void {
  way = "whole";
  endWork();
}

/** An evaluation that takes too long to be done at once. */
export class Long {
  readonly #plans: Plans;
  readonly #activation: Activation;
  readonly #options: EvaluateOptions;
  /** Done before by evaluations inside of it, which are over. */
  #keptWork: number;

  constructor(plans: Plans, activation: Activation, options: EvaluateOptions, kept: number) {
    this.#plans = plans;
    this.#activation = activation;
    this.#options = options;
    this.#keptWork = kept;
  }

  *inSteps(slices: Slices = new ClockSlices()): Steps<CelValue> {
    yield;
    const { budget, costLimit = PER_CALL_COST_LIMIT } = this.#options;
    const plan = this.#plans.pausable ?? (yield* this.#plans.makePausable());
    const frame = newFrame(plan, this.#activation, this.#options, costLimit, new Journal(slices));
    const work = workOf(budget);
    for (;;) {
      slices.begin();
      const result = this.#goOn(plan, frame, slices, work);
      if (result instanceof Pause) {
        yield;
        if (result.first !== undefined) yield* result.first();
        continue;
      }
      if (budget !== undefined) budget.workLeft -= Math.min(workSoFar() + keptWork(), work);
      return charged(result, frame.cost, this.#options);
    }
  }

  #goOn(plan: Plan, frame: Frame, slices: Slices, work: number): CelValue | Pause {
    beginWork(work, this.#keptWork);
    way = slices;
    try {
      return runAgain(plan, frame);
    } catch (thrown) {
      return thrown instanceof Pause ? thrown : errorOf(thrown);
    } finally {
      way = "whole";
      this.#keptWork = keptWork();
      endWork();
    }
  }
}

/** An evaluation that others ask for the value of, in the course of their own. */
export class InnerEvaluation {
  readonly #plans: Plans;
  readonly #activation: Activation;
  readonly #options: EvaluateOptions;
  #paused: Frame | undefined;

  constructor(plans: Plans, activation: Activation, options: EvaluateOptions) {
    this.#plans = plans;
    this.#activation = activation;
    this.#options = options;
  }

  /** To be asked again when a Pause is thrown. */
  value(): CelValue {
    if (way === "whole") return evaluateWhole(this.#plans.whole, this.#activation, this.#options);
    const { budget } = this.#options;
    if (this.#paused === undefined && budget !== undefined && budget.remaining < 0) return OUT_OF_BUDGET;
    const soFar = workSoFar();
    const [result, cost] = way === "quick" ? this.#quick() : this.#pausing(way);
    keepWorkSince(soFar);
    return charged(result, cost, this.#options);
  }

  #quick(): [CelValue, cost: number] {
    const { costLimit = PER_CALL_COST_LIMIT } = this.#options;
    const frame = newFrame(this.#plans.whole, this.#activation, this.#options, Math.min(costLimit, QUICK_COST));
    try {
      return [run(this.#plans.whole, frame), frame.cost];
    } catch (thrown) {
      if (thrown === COST_EXCEEDED) throw new Pause();
      return [errorOf(thrown), frame.cost];
    }
  }

  #pausing(slices: Slices): [CelValue, cost: number] {
    const { costLimit = PER_CALL_COST_LIMIT } = this.#options;
    const plan = this.#plans.pausable;
    if (plan === undefined) throw new Pause(() => this.#plans.makePausable());
    this.#paused ??= newFrame(plan, this.#activation, this.#options, costLimit, new Journal(slices));
    const frame = this.#paused;
    try {
      return [runAgain(plan, frame), frame.cost];
    } catch (thrown) {
      return [errorOf(thrown), frame.cost];
    }
  }
}

function newFrame(
  { variables, localCount }: Plan,
  activation: Activation,
  { interrupted }: EvaluateOptions,
  costLimit: number,
  journal?: Journal,
): Frame {
  return new Frame(activation, variables, localCount, costLimit, interrupted, journal);
}

function run({ step }: Plan, frame: Frame): CelValue {
  const result = step(frame);
  frame.spend(0);
  return result;
}

/** From the beginning, with what was noted. */
function runAgain(plan: Plan, frame: Frame): CelValue {
  frame.cost = 0;
  frame.journal?.begin();
  return run(plan, frame);
}

function errorOf(thrown: unknown): CelError {
  if (thrown instanceof Stop) return thrown.error;
  // Values come from users and may be nested deeper than equality or conversion can follow.
  if (thrown instanceof RangeError) return TOO_DEEP;
  throw thrown;
}

function workOf(budget: CostBudget | undefined): number {
  return Math.min(MAX_WORK, budget?.workLeft ?? MAX_WORK);
}

function charged(result: CelValue, cost: number, { budget, onCost }: EvaluateOptions): CelValue {
  onCost?.(cost);
  if (budget === undefined) return result;
  budget.spend(cost);
  return budget.remaining < 0 && !(result instanceof CelError && result.code === "costLimit") ? OUT_OF_BUDGET : result;
}
