// Label selectors as text (`a=b,c in (d,e),!f`) and as objects (matchLabels, matchExpressions).
// Requirements: document 1, "List and watch semantics"; selectors as clients write them.

import { labelKeyProblems, labelValueProblems } from "./name-formats.ts";

export type LabelOperator = "=" | "==" | "in" | "!=" | "notin" | "exists" | "!" | ">" | "<";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Equal selectors have equal texts: requirements sorted by key. */
  readonly text: string;
}

export class SelectorSyntaxError extends Error {}

export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Fails with SelectorSyntaxError, worded as upstream words it. */
export function parseLabelSelector(text: string): LabelSelector {
  return compile(new Parser(text).parse());
}

/** The selector of an object's field; undefined or null selects nothing, an empty one everything. */
export function selectorFromObject(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector === undefined || selector === null) return NOTHING;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    requirements.push({ key, operator: "=", values: [value] });
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    switch (operator) {
      case "In":
        requirements.push({ key, operator: "in", values });
        break;
      case "NotIn":
        requirements.push({ key, operator: "notin", values });
        break;
      case "Exists":
        requirements.push({ key, operator: "exists", values: [] });
        break;
      case "DoesNotExist":
        requirements.push({ key, operator: "!", values: [] });
        break;
      default:
        throw new SelectorSyntaxError(`"${operator}" is not a valid label selector operator`);
    }
  }
  return compile(requirements);
}

export const EVERYTHING: LabelSelector = { requirements: [], matches: () => true, text: "" };
const NOTHING: LabelSelector = { requirements: [], matches: () => false, text: "<nothing>" };

function compile(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return EVERYTHING;
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return {
    requirements: sorted,
    text: sorted.map(requirementText).join(","),
    matches: (labels) => sorted.every((requirement) => matchesOne(requirement, labels)),
  };
}

function matchesOne(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case ">":
    case "<": {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      return operator === ">" ? BigInt(value) > BigInt(values[0]!) : BigInt(value) < BigInt(values[0]!);
    }
  }
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${[...values].sort().join(",")})`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

/** Upstream says of an error whether it was inside a requirement. */
function inRequirement(parse: () => LabelRequirement): LabelRequirement {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorSyntaxError)
      throw new SelectorSyntaxError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function checked(requirement: LabelRequirement): LabelRequirement {
  checkRequirement(requirement);
  return requirement;
}

function checkRequirement({ key, operator, values }: LabelRequirement): void {
  const fail = (field: string, value: string, problems: readonly string[]) => {
    if (problems.length > 0)
      throw new SelectorSyntaxError(`${field}: Invalid value: ${JSON.stringify(value)}: ${problems.join("; ")}`);
  };
  fail("<nil>", key, labelKeyProblems(key));
  if (operator === ">" || operator === "<") {
    if (!isInt64(values[0] ?? "")) {
      throw new SelectorSyntaxError(
        `values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  }
  for (const [index, value] of values.entries()) fail(`values[${index}][${key}]`, value, labelValueProblems(value));
}

function isInt64(text: string): boolean {
  if (!/^[+-]?\d+$/.test(text) || text.replace(/^[+-]?0*/, "").length > 19) return false;
  return BigInt.asIntN(64, BigInt(text.replace(/^\+/, ""))) === BigInt(text.replace(/^\+/, ""));
}

interface Token {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
}

const SYMBOLS = new Set(["(", ")", ",", "!", "=", "==", "!=", ">", "<"]);

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === "end") return requirements;
      if (token.kind === "symbol" && token.text !== "!") {
        throw new SelectorSyntaxError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(inRequirement(() => checked(this.#requirement())));
      const next = this.#next();
      if (next.kind === "end") return requirements;
      if (next.text !== "," || next.kind !== "symbol")
        throw new SelectorSyntaxError(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind === "end" || (after.kind === "symbol" && after.text !== "!")) {
        throw new SelectorSyntaxError(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    let first = this.#next();
    const negated = first.kind === "symbol" && first.text === "!";
    if (negated) first = this.#next();
    if (first.kind !== "word") throw new SelectorSyntaxError(`found '${first.text}', expected: identifier`);
    const key = first.text;
    const operator = this.#peek();
    if (negated || operator.kind === "end" || operator.text === ",") {
      return { key, operator: negated ? "!" : "exists", values: [] };
    }
    this.#next();
    switch (operator.text) {
      case "in":
      case "notin":
        return { key, operator: operator.text, values: this.#set() };
      case "=":
      case "==":
      case "!=":
      case ">":
      case "<":
        return { key, operator: operator.text, values: [this.#exact()] };
      default:
        throw new SelectorSyntaxError(`found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #exact(): string {
    const token = this.#peek();
    if (token.kind === "end" || token.text === ",") return "";
    this.#next();
    if (token.kind !== "word") throw new SelectorSyntaxError(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #set(): string[] {
    const open = this.#next();
    if (open.text !== "(") throw new SelectorSyntaxError(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    let expectValue = true;
    for (;;) {
      const token = this.#next();
      if (token.kind === "end") throw new SelectorSyntaxError(`found '', expected: ',' or ')'`);
      if (token.text === ")" && token.kind === "symbol") {
        if (expectValue) values.push("");
        return [...new Set(values)].sort();
      }
      if (token.text === "," && token.kind === "symbol") {
        if (expectValue) values.push("");
        expectValue = true;
      } else if (token.kind === "word") {
        if (!expectValue) throw new SelectorSyntaxError(`found '${token.text}', expected: ',' or ')'`);
        values.push(token.text);
        expectValue = false;
      } else {
        throw new SelectorSyntaxError(`found '${token.text}', expected: ',', ')' or identifier`);
      }
    }
  }

  #peek(): Token {
    const at = this.#at;
    const token = this.#next();
    this.#at = at;
    return token;
  }

  #next(): Token {
    const text = this.#text;
    while (this.#at < text.length && /\s/.test(text[this.#at]!)) this.#at += 1;
    if (this.#at >= text.length) return { kind: "end", text: "" };
    const two = text.slice(this.#at, this.#at + 2);
    const one = text[this.#at]!;
    for (const symbol of [two, one]) {
      if (SYMBOLS.has(symbol)) {
        this.#at += symbol.length;
        return { kind: "symbol", text: symbol };
      }
    }
    const start = this.#at;
    while (this.#at < text.length && !/[\s(),!=<>]/.test(text[this.#at]!)) this.#at += 1;
    return { kind: "word", text: text.slice(start, this.#at) };
  }
}
