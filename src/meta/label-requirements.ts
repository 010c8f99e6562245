// What a label selector demands, and whether labels meet it. A selector may have a million terms and be asked about every
// object of a list: terms are gathered by key once, and a question costs as much as the labels that are asked about.

type LabelOperator = "=" | "==" | "in" | "!=" | "notin" | "exists" | "!" | ">" | "<";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** Labels without any are the same as none. */
export function matcherOf(requirements: readonly LabelRequirement[]): (labels: Labels | undefined) => boolean {
  const present = new Map<string, Demand>();
  const absentOrOther = new Map<string, Demand>();
  for (const requirement of requirements) {
    const { operator, key } = requirement;
    const demands = operator === "!" || operator === "!=" || operator === "notin" ? absentOrOther : present;
    let demand = demands.get(key);
    if (demand === undefined) {
      demand = new Demand();
      demands.set(key, demand);
    }
    demand.add(requirement);
  }
  return (labels = NO_LABELS) => {
    // Fails at the first key that is not there: at most one more than there are labels.
    for (const [key, demand] of present) {
      if (!Object.hasOwn(labels, key) || !demand.allows(labels[key]!)) return false;
    }
    if (absentOrOther.size <= FEW) {
      for (const [key, demand] of absentOrOther) {
        if (Object.hasOwn(labels, key) && !demand.allows(labels[key]!)) return false;
      }
      return true;
    }
    for (const key in labels) if (absentOrOther.get(key)?.allows(labels[key]!) === false) return false;
    return true;
  };
}

const NO_LABELS: Labels = {};
/** So many keys are asked for one by one. */
const FEW = 8;

/** What all terms about one key say of its value, when there is one. */
class Demand {
  #allowed: ReadonlySet<string> | undefined;
  #denied: Set<string> | undefined;
  #never = false;
  #above: bigint | undefined;
  #below: bigint | undefined;

  add({ operator, values }: LabelRequirement): void {
    switch (operator) {
      case "=":
      case "==":
      case "in": {
        const before = this.#allowed;
        this.#allowed = new Set(before === undefined ? values : values.filter((value) => before.has(value)));
        break;
      }
      case "!=":
      case "notin":
        this.#denied ??= new Set();
        for (const value of values) this.#denied.add(value);
        break;
      case "!":
        this.#never = true;
        break;
      case ">": {
        const bound = BigInt(values[0]!);
        if (this.#above === undefined || bound > this.#above) this.#above = bound;
        break;
      }
      case "<": {
        const bound = BigInt(values[0]!);
        if (this.#below === undefined || bound < this.#below) this.#below = bound;
        break;
      }
      case "exists":
    }
  }

  allows(value: string): boolean {
    if (this.#never || this.#allowed?.has(value) === false || this.#denied?.has(value) === true) return false;
    if (this.#above === undefined && this.#below === undefined) return true;
    if (!isInt64(value)) return false;
    const number = BigInt(value.replace(/^\+/, ""));
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below);
  }
}

/** What can be compared. */
export function isInt64(text: string): boolean {
  if (!/^[+-]?\d+$/.test(text) || text.replace(/^[+-]?0*/, "").length > 19) return false;
  return BigInt.asIntN(64, BigInt(text.replace(/^\+/, ""))) === BigInt(text.replace(/^\+/, ""));
}
