// A compiled expression: evaluates with budgets, any number of times. Never throws for what users wrote or sent.

import type { Slices } from "../base/slices.ts";
import type { Steps } from "../base/steps.ts";
import {
  type Activation,
  type EvaluateOptions,
  evaluateQuickly,
  evaluateWhole,
  InnerEvaluation,
  Long,
  type Plans,
} from "./evaluation.ts";
import type { Plan } from "./runtime/plan.ts";
import type { CelType } from "./types.ts";
import type { CelValue } from "./values.ts";

export class Program implements Plans {
  readonly source: string;
  readonly resultType: CelType;
  readonly whole: Plan;
  pausable: Plan | undefined;
  readonly #planPausable: () => Steps<Plan>;

  constructor(source: string, resultType: CelType, whole: Plan, planPausable: () => Steps<Plan>) {
    this.source = source;
    this.resultType = resultType;
    this.whole = whole;
    this.#planPausable = planPausable;
  }

  /** Names of the declared variables that the expression reads. */
  get variables(): readonly string[] {
    return this.whole.variables.map((variable) => variable.name);
  }

  /** The value, or the error that took its place. Variables are plain JSON or values of the language. */
  evaluate(activation: Activation, options: EvaluateOptions = NO_OPTIONS): CelValue {
    return evaluateWhole(this.whole, activation, options);
  }

  /** The same; what takes long is only begun, and to be done in steps. */
  begin(activation: Activation, options: EvaluateOptions = NO_OPTIONS): CelValue | Long {
    return evaluateQuickly(this, activation, options);
  }

  *evaluateInSteps(activation: Activation, options?: EvaluateOptions, slices?: Slices): Steps<CelValue> {
    const begun = this.begin(activation, options);
    return begun instanceof Long ? yield* begun.inSteps(slices) : begun;
  }

  /** For a value that other evaluations ask for on their way. */
  evaluateInside(activation: Activation, options: EvaluateOptions): InnerEvaluation {
    return new InnerEvaluation(this, activation, options);
  }

  *makePausable(): Steps<Plan> {
    this.pausable ??= yield* this.#planPausable();
    return this.pausable;
  }
}

const NO_OPTIONS: EvaluateOptions = {};
