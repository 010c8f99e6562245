// The variables of a policy in one evaluation: each is worked out when it is first asked for, and once.

import { CelError } from "../../cel/errors.ts";
import type { CostBudget } from "../../cel/program.ts";
import type { CelType } from "../../cel/types.ts";
import { CelObject, type CelValue } from "../../cel/values.ts";
import type { PolicyEnvironment } from "../../schema/policy-expressions.ts";

export class LazyVariables extends CelObject {
  readonly type: CelType;
  readonly #environment: PolicyEnvironment;
  readonly #activation: Readonly<Record<string, unknown>>;
  readonly #budget: CostBudget;
  readonly #values = new Map<string, CelValue>();

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
    const value = compiled.ok
      ? compiled.program.evaluate(this.#activation, { budget: this.#budget })
      : new CelError(compiled.error);
    const found =
      value instanceof CelError
        ? new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${value.message}`, value.code)
        : value;
    this.#values.set(name, found);
    return found;
  }

  equals(other: CelObject): boolean {
    return other === this;
  }
}
