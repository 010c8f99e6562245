// Values of a library's own type that have an order: quantities, versions.

import { declareFunction, type FunctionDeclaration, memberOverload } from "../declarations.ts";
import { BOOL, type CelType, INT } from "../types.ts";
import { CelOpaque, type CelValue } from "../values.ts";

type Compare<T> = (a: T, b: T) => number;

export class OrderedValue<T> extends CelOpaque {
  readonly type: CelType;
  readonly held: T;
  readonly #compare: Compare<T>;

  /** `compare` is the same for all values of a library: by it they are known. */
  constructor(type: CelType, held: T, compare: Compare<T>) {
    super();
    this.type = type;
    this.held = held;
    this.#compare = compare;
  }

  equals(other: CelOpaque): boolean {
    return (
      other instanceof OrderedValue && other.#compare === this.#compare && this.#compare(this.held, other.held) === 0
    );
  }
}

/** `isGreaterThan`, `isLessThan` and `compareTo`. */
export function orderFunctions<T>(prefix: string, type: CelType, compare: Compare<T>): FunctionDeclaration[] {
  const ordering = (name: string, overload: string, result: CelType, test: (order: number) => CelValue) =>
    declareFunction(
      name,
      memberOverload(`${prefix}_${overload}`, [type, type], result, (a: OrderedValue<T>, b: OrderedValue<T>) =>
        test(compare(a.held, b.held)),
      ),
    );
  return [
    ordering("isGreaterThan", "is_greater_than", BOOL, (order) => order > 0),
    ordering("isLessThan", "is_less_than", BOOL, (order) => order < 0),
    ordering("compareTo", "compare_to", INT, (order) => order),
  ];
}
