// The kinds of flag values without domain words: text, numbers, truth, choices, lists and maps.

import { BadValue, type Flag } from "./flags.ts";
import { parseBool } from "./truth-words.ts";

interface Spec<Value> {
  readonly doc: string;
  readonly default: Value;
  readonly placeholder?: string;
  readonly short?: string;
}

export function textFlag<Default extends string | undefined>(spec: Spec<Default>): Flag<string | Default> {
  return { placeholder: "TEXT", shownDefault: spec.default ?? "", ...spec, read: (text) => text };
}

/** A path of a file or folder; an empty one counts as not set. */
export function pathFlag<Default extends string | undefined>(spec: Spec<Default>): Flag<string | Default> {
  return {
    placeholder: "PATH",
    shownDefault: spec.default ?? "",
    ...spec,
    read: (text) => (text === "" ? spec.default : text),
  };
}

export function boolFlag<Default extends boolean | undefined>(spec: Spec<Default>): Flag<boolean | Default> {
  return {
    placeholder: "",
    shownDefault: spec.default === true ? "true" : "",
    bare: "true",
    ...spec,
    read(text) {
      const value = parseBool(text);
      if (value === undefined) throw new BadValue(`${JSON.stringify(text)} is neither true nor false`);
      return value;
    },
  };
}

export function integerFlag<Default extends number | undefined>(
  spec: Spec<Default> & { readonly min?: number; readonly max?: number },
): Flag<number | Default> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, ...rest } = spec;
  return {
    placeholder: "NUMBER",
    shownDefault: spec.default === undefined ? "" : String(spec.default),
    ...rest,
    read(text) {
      const value = /^[+-]?[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) {
        const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `between ${min} and ${max}`;
        throw new BadValue(`${JSON.stringify(text)} is not a whole number ${range}`);
      }
      return value;
    },
  };
}

/** A number that may have a fraction. */
export function decimalFlag(spec: Spec<number> & { readonly min?: number; readonly max?: number }): Flag<number> {
  const { min = 0, max = Number.MAX_VALUE, ...rest } = spec;
  return {
    placeholder: "NUMBER",
    shownDefault: String(spec.default),
    ...rest,
    read(text) {
      const value = /^[0-9]{1,9}(?:\.[0-9]{1,9})?$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) {
        const range = max === Number.MAX_VALUE ? `of at least ${min}` : `between ${min} and ${max}`;
        throw new BadValue(`${JSON.stringify(text)} is not a number ${range}`);
      }
      return value;
    },
  };
}

export function choiceFlag<const Choice extends string, Default extends Choice | undefined>(
  spec: Spec<Default> & { readonly choices: readonly Choice[] },
): Flag<Choice | Default> {
  const { choices, ...rest } = spec;
  return {
    placeholder: choices.join("|"),
    shownDefault: spec.default ?? "",
    ...rest,
    read(text) {
      const choice = choices.find((each) => each === text);
      if (choice === undefined) throw new BadValue(`${JSON.stringify(text)} is not one of ${choices.join(", ")}`);
      return choice;
    },
  };
}

/** A comma-separated list; a repeated flag adds to it, or with `replaces` replaces it. With `choices`, each element is one of them. */
export function listFlag(
  spec: Omit<Spec<readonly string[]>, "default"> & {
    readonly default?: readonly string[];
    readonly choices?: readonly string[];
    readonly maxLength?: number;
    readonly replaces?: boolean;
    /** Says what is wrong with one element. */
    readonly problem?: (element: string) => string | undefined;
  },
): Flag<readonly string[]> {
  const { choices, problem, maxLength = MAX_LIST_LENGTH, replaces = false, default: initial = [], ...rest } = spec;
  return {
    placeholder: "A,B,...",
    shownDefault: initial.join(","),
    default: initial,
    ...rest,
    read(text, sofar = []) {
      const added = splitList(text);
      for (const element of added) {
        if (choices !== undefined && !choices.includes(element)) {
          throw new BadValue(`${JSON.stringify(element)} is not one of ${choices.join(", ")}`);
        }
        const wrong = problem?.(element);
        if (wrong !== undefined) throw new BadValue(`${JSON.stringify(element)} ${wrong}`);
      }
      const all = replaces ? added : [...sofar, ...added];
      if (all.length > maxLength) throw new BadValue(`at most ${maxLength} values are allowed`);
      return all;
    },
  };
}

/** A flag whose every occurrence is one value, commas included. */
export function repeatedFlag(
  spec: Omit<Spec<readonly string[]>, "default"> & { readonly problem?: (value: string) => string | undefined },
): Flag<readonly string[]> {
  const { problem, ...rest } = spec;
  return {
    placeholder: "TEXT",
    shownDefault: "",
    default: [],
    ...rest,
    read(text, sofar = []) {
      const wrong = problem?.(text);
      if (wrong !== undefined) throw new BadValue(`${JSON.stringify(text)} ${wrong}`);
      if (sofar.length >= MAX_LIST_LENGTH) throw new BadValue(`at most ${MAX_LIST_LENGTH} values are allowed`);
      return [...sofar, text];
    },
  };
}

/** key=value pairs, comma-separated, repeatable; a later pair replaces an earlier one. A missing value is `bare`, if given. */
export function mapFlag(
  spec: Omit<Spec<ReadonlyMap<string, string>>, "default"> & {
    readonly bareValue?: string;
    /** One pair each time: values may have commas. */
    readonly isRepeated?: boolean;
    readonly missingValue?: (key: string) => string;
  },
): Flag<ReadonlyMap<string, string>> {
  const { bareValue, missingValue, isRepeated = false, ...rest } = spec;
  return {
    placeholder: isRepeated ? "KEY=VALUE" : "KEY=VALUE,...",
    shownDefault: "",
    default: new Map(),
    ...rest,
    read(text, sofar = new Map()) {
      const pairs = new Map(sofar);
      for (const pair of isRepeated ? [text] : splitList(text)) {
        const equals = pair.indexOf("=");
        const key = (equals < 0 ? pair : pair.slice(0, equals)).trim();
        const value = equals < 0 ? bareValue : pair.slice(equals + 1).trim();
        if (key === "") throw new BadValue(`${JSON.stringify(pair)} has no key: write KEY=VALUE`);
        if (value === undefined)
          throw new BadValue(missingValue?.(key) ?? `${JSON.stringify(key)} has no value: write ${key}=VALUE`);
        pairs.set(key, value);
      }
      if (pairs.size > MAX_LIST_LENGTH) throw new BadValue(`at most ${MAX_LIST_LENGTH} pairs are allowed`);
      return pairs;
    },
  };
}

const MAX_LIST_LENGTH = 1_000;

/** Commas separate; an element in double quotes may hold commas, a doubled quote in it stands for one. */
function splitList(text: string): string[] {
  const elements: string[] = [];
  const element = /\s*(?:"((?:[^"]|"")*)"|((?!")[^,]*))\s*(,|$)/gy;
  for (;;) {
    const match = element.exec(text);
    if (match === null) throw new BadValue(`${JSON.stringify(text)} has a quote that is not closed`);
    elements.push(match[1] === undefined ? match[2]!.trim() : match[1].replaceAll('""', '"'));
    if (match[3] === "") return elements.filter((each) => each !== "");
  }
}
