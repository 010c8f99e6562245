// Paths into objects, of printer columns, scales and the command line: fields, indexes, slices, wildcards, simple filters.
// Upstream's relaxed JSONPath, without a script language; what cannot be read finds nothing.

import { append } from "../base/append.ts";
import { getKey, isObject } from "../base/json.ts";

/** The first value that a path leads to; undefined where there is none. */
export type PathReader = (value: unknown) => unknown;

type Step = (values: readonly unknown[]) => unknown[];

/** Told of an index that a list does not have, or of values that cannot be compared, which lead nowhere; it may throw. */
type Complain = (problem: string) => void;

/** A column shows the first value: its path ends after so many. */
const MAX_VALUES = 1000;
const MAX_PATH_LENGTH = 4096;

/** Undefined for a text that is no path. */
export function parseJsonPath(text: string): PathReader | undefined {
  const steps = readSteps(text);
  if (steps === undefined) return undefined;
  return (value) =>
    steps.reduce<readonly unknown[]>((values, { step }) => step(values).slice(0, MAX_VALUES), [value])[0];
}

/** The same for all values that a path leads to. */
export function parseJsonPaths(text: string, complain?: Complain): ((value: unknown) => unknown[]) | undefined {
  const steps = readSteps(text, complain);
  return steps && ((value) => steps.reduce<unknown[]>((values, { step }) => step(values), [value]));
}

/** The names with which a path begins, up to its first step that is more than one name: it looks at nothing else. */
export function leadingFields(text: string): readonly string[] {
  const names: string[] = [];
  for (const { name } of readSteps(text) ?? []) {
    if (name === undefined) break;
    names.push(name);
  }
  return names;
}

function readSteps(text: string, complain: Complain = () => undefined): NamedStep[] | undefined {
  if (text.length > MAX_PATH_LENGTH) return undefined;
  const steps: NamedStep[] = [];
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/s, "$1")
    .replace(/^\$/, "");
  while (rest !== "" && rest !== ".") {
    const read = readStep(rest, complain);
    if (read === undefined) return undefined;
    steps.push(read);
    rest = rest.slice(read.length);
  }
  return steps;
}

interface NamedStep {
  readonly step: Step;
  /** Of a step into one field. */
  readonly name?: string;
}

interface ReadStep extends NamedStep {
  readonly length: number;
}

const FIELD = /^\.?((?:[^.[\]\\]|\\.)+)/;
const RECURSIVE = /^\.\.((?:[^.[\]\\]|\\.)+)/;
const BRACKET = /^\.?\[((?:[^[\]'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[^\]]*\])*)\]/;

function readStep(text: string, complain: Complain): ReadStep | undefined {
  const recursive = RECURSIVE.exec(text);
  if (recursive !== null) return { step: descend(unescaped(recursive[1]!)), length: recursive[0].length };
  const bracket = BRACKET.exec(text);
  if (bracket !== null) {
    const inner = bracket[1]!.trim();
    const step = bracketStep(inner, complain);
    const name = quoted(inner);
    if (step === undefined) return undefined;
    return { step, length: bracket[0].length, ...(name === undefined ? {} : { name }) };
  }
  const field = FIELD.exec(text);
  if (field === null) return undefined;
  const name = unescaped(field[1]!);
  const { length } = field[0];
  return name === "*" ? { step: wildcard, length } : { step: fieldStep(name), length, name };
}

function bracketStep(inner: string, complain: Complain): Step | undefined {
  if (inner === "*") return wildcard;
  const filter = /^\?\s*\((.*)\)$/s.exec(inner);
  if (filter !== null) return filterStep(filter[1]!.trim(), complain);
  if (/^-?\d*(?::-?\d*){1,2}$/.test(inner)) return sliceStep(inner, complain);
  const parts = inner.split(",").map((part) => part.trim());
  if (parts.every((part) => /^-?\d{1,9}$/.test(part))) return indexStep(parts.map(Number), complain);
  if (parts.length > 1) return unionStep(parts);
  const name = quoted(inner);
  return name === undefined ? undefined : fieldStep(name);
}

/** `['metadata.name','status.phase']`: what the first leads to from everywhere, then the second. */
function unionStep(parts: readonly string[]): Step | undefined {
  const steps: Step[] = [];
  for (const part of parts) {
    const path = QUOTED.exec(part);
    const readers = path === null ? undefined : readSteps(`.${path[1] ?? path[2] ?? ""}`);
    if (readers === undefined) return undefined;
    // A name with dots in it is one where there is such a field.
    const own = fieldStep(quoted(part)!);
    steps.push((values) =>
      values.flatMap((value) => {
        const found = own([value]);
        return found.length > 0 ? found : readers.reduce<unknown[]>((from, { step }) => step(from), [value]);
      }),
    );
  }
  return (values) => steps.flatMap((step) => step(values));
}

const QUOTED = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/;

function quoted(text: string): string | undefined {
  const match = QUOTED.exec(text);
  return match === null ? undefined : unescaped(match[1] ?? match[2] ?? "");
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, "$1");

const fieldStep =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => {
      const found = isObject(value) ? getKey(value, name) : undefined;
      return found === undefined ? [] : [found];
    });

const indexStep =
  (indexes: readonly number[], complain: Complain): Step =>
  (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) return [];
      const [missing] = indexes.filter((index) => !hasIndex(value, index));
      if (missing !== undefined) complain(outside(missing, value));
      return indexes.map((index) => value.at(index)).filter((found) => found !== undefined);
    });

const outside = (index: number, { length }: readonly unknown[]): string =>
  `array index out of bounds: index ${index}, length ${length}`;

const hasIndex = ({ length }: readonly unknown[], index: number): boolean => index < length && index >= -length;

function sliceStep(text: string, complain: Complain): Step {
  const [from, to, step] = text.split(":").map((part) => (part === "" ? undefined : Number(part)));
  const stride = Math.max(1, step ?? 1);
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) return [];
      if (from !== undefined && !hasIndex(value, from)) complain(outside(from, value));
      return value.slice(from, to).filter((_item, i) => i % stride === 0);
    });
}

const wildcard: Step = (values) =>
  values.flatMap((value) => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []));

const descend =
  (name: string): Step =>
  (values) => {
    const found: unknown[] = [];
    const queue = [...values];
    for (let i = 0; i < queue.length && i < MAX_VALUES && found.length < MAX_VALUES; i += 1) {
      const value = queue[i];
      if (isObject(value)) {
        const own = getKey(value, name);
        if (own !== undefined) found.push(own);
        append(queue, Object.values(value));
      } else if (Array.isArray(value)) append(queue, value);
    }
    return found;
  };

const OPERATOR = /==|!=|<=|>=|<|>/;

const QUOTES = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g;

/** `@.type=="Ready"`, or `@.type` for what has it. */
function filterStep(text: string, complain: Complain): Step | undefined {
  const match = OPERATOR.exec(text);
  // Any other operator would be taken for the end of a name, and find nothing.
  if (match === null && /[\s=~&|!<>]/.test(text.replaceAll(QUOTES, ""))) return undefined;
  const left = parseJsonPath(text.slice(0, match?.index).replace(/^@/, "").trim());
  if (left === undefined) return undefined;
  if (match === null) return keep((item) => left(item) !== undefined);
  const [operator] = match;
  const right = text.slice(match.index + operator.length).trim();
  const rightPath = right.startsWith("@") ? parseJsonPath(right.slice(1)) : undefined;
  const literal = rightPath === undefined ? literalOf(right) : undefined;
  if (rightPath === undefined && literal === undefined) return undefined;
  return keep((item) => {
    const [a, b] = [left(item), rightPath === undefined ? literal : rightPath(item)].map(plainNumber);
    if (a !== undefined && b !== undefined && typeof a !== typeof b) complain("incompatible types for comparison");
    return compare(a, operator, b);
  });
}

const keep =
  (test: (item: unknown) => boolean): Step =>
  (values) =>
    values.flatMap((value) => (Array.isArray(value) ? value.filter(test) : []));

function literalOf(text: string): unknown {
  const name = quoted(text);
  if (name !== undefined) return name;
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

const plainNumber = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);

function compare(a: unknown, operator: string, right: unknown): boolean {
  if (a === undefined || typeof a !== typeof right) return false;
  if (operator === "==") return a === right;
  if (operator === "!=") return a !== right;
  if (typeof a !== "number" && typeof a !== "string") return false;
  const b = right as typeof a;
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}
