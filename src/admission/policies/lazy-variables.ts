// The variables of a policy in one evaluation: each is worked out when it is first asked for, and once.

import type { CostBudget } from "../../cel/cost-budget.ts";
import { CelError } from "../../cel/errors.ts";
import type { InnerEvaluation } from "../../cel/evaluation.ts";
import type { Program } from "../../cel/program.ts";
import type { CelType } from "../../cel/types.ts";
import { CelObject, type CelValue } from "../../cel/values.ts";
import type { PolicyEnvironment } from "../../schema/policy-expressions.ts";

export class LazyVariables extends CelObject {
  readonly type: CelType;
  readonly #environment: PolicyEnvironment;
  readonly #activation: Readonly<Record<string, unknown>>;
  readonly #budget: CostBudget;
  readonly #values = new Map<string, CelValue>();
  /** Those that have begun. */
  readonly #evaluations = new Map<string, InnerEvaluation>();

  /** `activation` is what the variables' own expressions see; it holds this object too. */
  constructor(environment: PolicyEnvironment, activation: Readonly<Record<string, unknown>>, budget: CostBudget) {
    super();
    this.type = environment.variablesType;
    this.#environment = environment;
    this.#activation = activation;
    this.#budget = budget;
  }

  get(name: string): CelValue | undefined {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const compiled = this.#environment.variables.get(name);
    if (compiled === undefined) return undefined;
    // Two variables of one name: the later may ask for itself.
    this.#values.set(name, new CelError(`variable ${JSON.stringify(name)} refers to itself`));
    try {
      this.#values.set(
        name,
        named(name, compiled.ok ? this.#evaluate(name, compiled.program) : new CelError(compiled.error)),
      );
    } catch (thrown) {
      // It is asked for again when the evaluation goes on.
      this.#values.delete(name);
      throw thrown;
    }
    return this.#values.get(name);
  }

  #evaluate(name: string, program: Program): CelValue {
    const begun = this.#evaluations.get(name) ?? program.evaluateInside(this.#activation, { budget: this.#budget });
    this.#evaluations.set(name, begun);
    return begun.value();
  }

  equals(other: CelObject): boolean {
    return other === this;
  }
}

function named(name: string, value: CelValue): CelValue {
  if (!(value instanceof CelError)) return value;
  return new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${value.message}`, value.code);
}
