// One evaluation under way: variables, what it has cost, and when it has to stop.

import { CelError } from "../errors.ts";
import { type Adapter, ownValue } from "../json.ts";
import { INTERRUPT_CHECK_ITERATIONS } from "../limits.ts";
import { COST_EXCEEDED, INTERRUPTED } from "../operations/stop.ts";
import type { CelValue } from "../values.ts";
import type { Journal } from "./journal.ts";

/** A planned node: evaluates it in a frame. */
export type Step = (frame: Frame) => CelValue;

/** A variable of the environment that a program reads. */
export interface ProgramVariable {
  readonly name: string;
  readonly adapt: (raw: unknown) => CelValue;
}

export class Frame {
  /** In upstream's units. Steps with a fixed cost add to it; `spend` also looks at the limit. */
  cost = 0;
  readonly limit: number;
  /** Variables of macros, by the slots that the planner gave them. */
  readonly locals: unknown[];
  /** How the JSON object in a local becomes its value; undefined where the local is a value already. */
  readonly adapters: (Adapter | undefined)[];
  readonly #globals: (CelValue | undefined)[];
  readonly #variables: readonly ProgramVariable[];
  readonly #activation: Readonly<Record<string, unknown>>;
  /** Where the plan is one that can pause. */
  readonly journal: Journal | undefined;
  readonly #interrupted: (() => boolean) | undefined;
  #iterations = 0;

  constructor(
    activation: Readonly<Record<string, unknown>>,
    variables: readonly ProgramVariable[],
    localCount: number,
    limit: number,
    interrupted: (() => boolean) | undefined,
    journal: Journal | undefined,
  ) {
    this.#activation = activation;
    this.#variables = variables;
    this.limit = limit;
    this.locals = localCount === 0 ? NO_LOCALS : new Array<unknown>(localCount);
    this.adapters = localCount === 0 ? NO_ADAPTERS : new Array<undefined>(localCount);
    this.#globals = new Array(variables.length);
    this.#interrupted = interrupted;
    this.journal = journal;
  }

  local(slot: number): CelValue {
    const adapt = this.adapters[slot];
    return adapt === undefined ? (this.locals[slot] as CelValue) : adapt(this.locals[slot]);
  }

  global(slot: number): CelValue {
    const known = this.#globals[slot];
    if (known !== undefined) return known;
    const variable = this.#variables[slot] as ProgramVariable;
    const raw = ownValue(this.#activation, variable.name);
    const value = raw === undefined ? new CelError(`no such attribute(s): ${variable.name}`) : variable.adapt(raw);
    this.#globals[slot] = value;
    return value;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw COST_EXCEEDED;
  }

  /** Once per turn of a loop. */
  turn(): void {
    if (this.cost > this.limit) throw COST_EXCEEDED;
    if (
      this.#interrupted !== undefined &&
      ++this.#iterations % INTERRUPT_CHECK_ITERATIONS === 0 &&
      this.#interrupted()
    ) {
      throw INTERRUPTED;
    }
  }
}

const NO_LOCALS: unknown[] = [];
const NO_ADAPTERS: undefined[] = [];
