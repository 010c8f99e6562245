// Label selectors as text (`a=b,c in (d,e),!f`) and as objects (matchLabels, matchExpressions).
// Requirements: document 1, "List and watch semantics"; selectors as clients write them.

import { fieldErrorText, invalid } from "./field-error.ts";
import { isInt64, type LabelRequirement, matcherOf } from "./label-requirements.ts";
import { labelKeyProblems, labelValueProblems } from "./name-formats.ts";
import { cutText } from "./quoted.ts";

export type { LabelRequirement };

export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Equal selectors have equal texts: requirements sorted by key. */
  readonly text: string;
}

export class SelectorSyntaxError extends Error {}

/** Requirements, and values of their sets: more in one text take long to read, each time that somebody asks. */
export const MAX_TERMS = 4 * 1024;

export const tooManyTerms = (): SelectorSyntaxError =>
  new SelectorSyntaxError(`a selector has at most ${MAX_TERMS} terms and values`);

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
  if (lastRead?.text !== text) lastRead = { text, selector: compile(new Parser(text).parse()) };
  return lastRead.selector;
}

/** Whoever decides about a request reads the text that its handler reads again, in the same turn. */
let lastRead: { readonly text: string; readonly selector: LabelSelector } | undefined;

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

const EVERYTHING: LabelSelector = { requirements: [], matches: () => true, text: "" };
const NOTHING: LabelSelector = { requirements: [], matches: () => false, text: "<nothing>" };

function compile(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return EVERYTHING;
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return { requirements: sorted, text: sorted.map(requirementText).join(","), matches: matcherOf(sorted) };
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

function checkKey(key: string): void {
  const problems = labelKeyProblems(key);
  if (problems.length > 0) throw new SelectorSyntaxError(fieldErrorText(invalid("<nil>", key, problems.join("; "))));
}

function checked(requirement: LabelRequirement): LabelRequirement {
  checkValues(requirement);
  return requirement;
}

function checkValues({ key, operator, values }: LabelRequirement): void {
  const findings = new Set<string>();
  const isNumeric = operator === ">" || operator === "<";
  if (isNumeric && !isInt64(values[0] ?? "")) {
    const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
    findings.add(fieldErrorText(invalid("values[0]", values[0], detail)));
  }
  for (const [index, value] of values.entries()) {
    const problems = labelValueProblems(value);
    if (problems.length === 0) continue;
    findings.add(fieldErrorText(invalid(`values[${index}][${key}]`, value, problems.join("; "))));
    if (findings.size >= MAX_FINDINGS) break;
  }
  const [first, ...others] = findings;
  if (first === undefined) return;
  throw new SelectorSyntaxError(others.length === 0 ? first : `[${[first, ...others].join(", ")}]`);
}

/** Of one requirement; further values are not told of. */
const MAX_FINDINGS = 20;

interface Token {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
}

/** By their first character; of two characters only those that end in an equals sign. */
const SYMBOLS = new Map(Array.from("(),!=><", (text) => [text.charCodeAt(0), symbolToken(text)]));
const EQUALS = 0x3d;
const DOUBLE_SYMBOLS = new Map(["==", "!="].map((text) => [text.charCodeAt(0), symbolToken(text)]));

function symbolToken(text: string): Token {
  return { kind: "symbol", text };
}

class Parser {
  readonly #text: string;
  #at = 0;
  #terms = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === "end") return requirements;
      if (token.kind === "symbol" && token.text !== "!") {
        throw new SelectorSyntaxError(`found '${shown(token)}', expected: !, identifier, or 'end of string'`);
      }
      this.#count();
      requirements.push(inRequirement(() => this.#requirement()));
      const next = this.#next();
      if (next.kind === "end") return requirements;
      if (next.text !== "," || next.kind !== "symbol")
        throw new SelectorSyntaxError(`found '${shown(next)}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind === "end" || (after.kind === "symbol" && after.text !== "!")) {
        throw new SelectorSyntaxError(`found '${shown(after)}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    let first = this.#next();
    const negated = first.kind === "symbol" && first.text === "!";
    if (negated) first = this.#next();
    if (first.kind !== "word") throw new SelectorSyntaxError(`found '${shown(first)}', expected: identifier`);
    const key = first.text;
    checkKey(key);
    const operator = this.#peek();
    if (negated || operator.kind === "end" || operator.text === ",") {
      return { key, operator: negated ? "!" : "exists", values: [] };
    }
    this.#next();
    switch (operator.text) {
      case "in":
      case "notin":
        return checked({ key, operator: operator.text, values: this.#set() });
      case "=":
      case "==":
      case "!=":
      case ">":
      case "<":
        return checked({ key, operator: operator.text, values: [this.#exact()] });
      default:
        throw new SelectorSyntaxError(`found '${shown(operator)}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #exact(): string {
    const token = this.#peek();
    if (token.kind === "end" || token.text === ",") return "";
    this.#next();
    if (token.kind !== "word") throw new SelectorSyntaxError(`found '${shown(token)}', expected: identifier`);
    return token.text;
  }

  #set(): string[] {
    const open = this.#next();
    if (open.text !== "(") throw new SelectorSyntaxError(`found '${shown(open)}' expected: '('`);
    const values = new Set<string>();
    let before: "open" | "value" | "comma" = "open";
    for (;;) {
      const token = this.#next();
      if (token.kind === "symbol" && token.text === ")") {
        if (before !== "value") values.add("");
        return [...values].sort();
      }
      if (token.kind === "symbol" && token.text === ",") {
        this.#count();
        if (before !== "value") values.add("");
        before = "comma";
      } else if (token.kind === "word" && before !== "value") {
        values.add(token.text);
        before = "value";
      } else {
        throw new SelectorSyntaxError(`found '${shown(token)}', expected: ${EXPECTED_IN_SET[before]}`);
      }
    }
  }

  #count(): void {
    this.#terms += 1;
    if (this.#terms > MAX_TERMS) throw tooManyTerms();
  }

  #peek(): Token {
    const at = this.#at;
    const token = this.#next();
    this.#at = at;
    return token;
  }

  #next(): Token {
    const text = this.#text;
    while (this.#at < text.length && isSpace(text.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at >= text.length) return END;
    const first = text.charCodeAt(this.#at);
    const symbol =
      (text.charCodeAt(this.#at + 1) === EQUALS ? DOUBLE_SYMBOLS.get(first) : undefined) ?? SYMBOLS.get(first);
    if (symbol !== undefined) {
      this.#at += symbol.text.length;
      return symbol;
    }
    WORD.lastIndex = this.#at;
    const word = WORD.exec(text)![0];
    this.#at += word.length;
    return { kind: "word", text: word };
  }
}

const END: Token = { kind: "end", text: "" };
const WORD = /[^ \t\r\n(),!=<>]+/y;

/** Space, tab, carriage return, line feed. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

const shown = (token: Token): string => cutText(token.text);

const EXPECTED_IN_SET = {
  open: "',', ')' or identifier",
  value: "',' or ')'",
  comma: "',', or identifier",
} as const;
