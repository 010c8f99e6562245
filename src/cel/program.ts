// A compiled expression: evaluates with budgets, any number of times. Never throws for what users wrote or sent.

import { CelError } from "./errors.ts";
import { MAX_REQUEST_WORK, MAX_WORK, PER_CALL_COST_LIMIT } from "./limits.ts";
import { Stop } from "./operations/stop.ts";
import { beginWork, endWork } from "./operations/work.ts";
import { Frame } from "./runtime/frame.ts";
import type { Plan } from "./runtime/plan.ts";
import type { CelType } from "./types.ts";
import type { CelValue } from "./values.ts";

/** What several evaluations may cost together: one per request, handed to each of them. */
export class CostBudget {
  #remaining: number;
  /** What was left when others had their turn. */
  #lastTurn: number;
  /** Units of work that are left, of those that upstream's units leave out. */
  workLeft = MAX_REQUEST_WORK;

  constructor(limit: number) {
    this.#remaining = limit;
    this.#lastTurn = limit;
  }

  /** Negative once it is overdrawn. */
  get remaining(): number {
    return this.#remaining;
  }

  spend(cost: number): void {
    this.#remaining -= cost;
  }

  /** To be asked between two evaluations: whether those since it last said so have cost enough for others to wait no longer. */
  turnIsDue(): boolean {
    if (this.#lastTurn - this.#remaining <= COST_PER_TURN) return false;
    this.#lastTurn = this.#remaining;
    return true;
  }
}

/** What evaluations cost that take some 10 ms, 40 ms at worst. */
const COST_PER_TURN = 100_000;

interface EvaluateOptions {
  /** The most that this evaluation may cost; upstream's limit for one call when not given. */
  readonly costLimit?: number;
  /** Charged with what this evaluation cost, also when it failed. Overdrawn, it turns the result into an error. */
  readonly budget?: CostBudget;
  /** Asked every so many turns of loops; true ends the evaluation. */
  readonly interrupted?: () => boolean;
  /** Told what the evaluation cost. */
  readonly onCost?: (cost: number) => void;
}

const OUT_OF_BUDGET = new CelError(
  "validation failed due to running out of cost budget, no further validation rules will be run",
  "budget",
);
const TOO_DEEP = new CelError("the values of this expression are nested too deeply");

export class Program {
  readonly source: string;
  readonly resultType: CelType;
  readonly #plan: Plan;

  constructor(source: string, resultType: CelType, plan: Plan) {
    this.source = source;
    this.resultType = resultType;
    this.#plan = plan;
  }

  /** Names of the declared variables that the expression reads. */
  get variables(): readonly string[] {
    return this.#plan.variables.map((variable) => variable.name);
  }

  /** The value, or the error that took its place. Variables are plain JSON or values of the language. */
  evaluate(activation: Readonly<Record<string, unknown>>, options: EvaluateOptions = NO_OPTIONS): CelValue {
    const { budget, onCost, costLimit = PER_CALL_COST_LIMIT } = options;
    if (budget !== undefined && budget.remaining < 0) return OUT_OF_BUDGET;
    const { step, variables, localCount } = this.#plan;
    const frame = new Frame(activation, variables, localCount, costLimit, options.interrupted);
    let result: CelValue;
    const work = Math.min(MAX_WORK, budget?.workLeft ?? MAX_WORK);
    beginWork(work);
    try {
      result = step(frame);
      // Fixed costs are only summed on the way; here they are held against the limit too.
      frame.spend(0);
    } catch (thrown) {
      if (thrown instanceof Stop) result = thrown.error;
      // Values come from users and may be nested deeper than equality or conversion can follow.
      else if (thrown instanceof RangeError) result = TOO_DEEP;
      else throw thrown;
    } finally {
      const left = endWork();
      if (budget !== undefined) budget.workLeft -= work - left;
    }
    onCost?.(frame.cost);
    if (budget === undefined) return result;
    budget.spend(frame.cost);
    return budget.remaining < 0 && !(result instanceof CelError && result.code === "costLimit")
      ? OUT_OF_BUDGET
      : result;
  }
}

const NO_OPTIONS: EvaluateOptions = {};
