// Command-line flags as one typed table: parsing, the options object and --help all come from it.
//
//   const table = { securePort: integerFlag({ default: 6443, doc: "..." }) };
//   parseFlags(table, ["--secure-port=1"]).options.securePort   // 1, typed as number
//
// A flag's name is its key in kebab-case; a unit at the end of the key (requestTimeoutMs) is not part of the name.

import { append } from "./append.ts";
import { nearestWord } from "./nearest-word.ts";
import { UsageError } from "./start-error.ts";

export interface Flag<Value> {
  readonly doc: string;
  readonly default: Value;
  /** What --help shows for the value; empty for a flag that needs none. */
  readonly placeholder: string;
  /** What --help shows for the default; empty when there is nothing to show. */
  readonly shownDefault: string;
  /** The text that a flag without a value stands for; a flag without this needs a value. */
  readonly bare?: string;
  /** One letter that may stand for the name: -v. */
  readonly short?: string;
  /** The value after one more occurrence of the flag; `sofar` is undefined at the first. Throws BadValue. */
  read(text: string, sofar: Value | undefined): Value;
}

// The value is produced and consumed by one flag, so that any flag fits into a table.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type FlagTable = Readonly<Record<string, Flag<any>>>;

export type OptionsOf<Table extends FlagTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Flag<infer Value> ? Value : never;
};

interface ParsedFlags<Table extends FlagTable> {
  readonly options: OptionsOf<Table>;
  /** The keys that stood on the command line. */
  readonly given: ReadonlySet<keyof Table>;
  /** Arguments that are no flags, in order. */
  readonly rest: readonly string[];
}

/** Thrown by Flag.read: what a right value looks like. */
export class BadValue extends Error {}

/** Reads arguments. Fails with UsageError: unknown flag, missing or bad value. */
export function parseFlags<Table extends FlagTable>(table: Table, args: readonly string[]): ParsedFlags<Table> {
  const byName = new Map(Object.keys(table).map((key) => [flagName(key), key]));
  const byLetter = new Map(Object.entries(table).flatMap(([key, flag]) => (flag.short ? [[flag.short, key]] : [])));
  const values = new Map<string, unknown>();
  const rest: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index]!;
    if (argument === "--") {
      append(rest, args.slice(index + 1));
      break;
    }
    if (!argument.startsWith("-") || argument === "-") {
      rest.push(argument);
      continue;
    }
    const written = splitArgument(argument, byLetter);
    const key = byName.get(written.name) ?? byLetter.get(written.name);
    if (key === undefined) throw unknownFlag(argument, written.name, [...byName.keys()]);
    const flag = table[key]!;
    let text = written.value ?? flag.bare;
    if (text === undefined) {
      index += 1;
      text = args[index];
      if (text === undefined)
        throw new UsageError(`flag --${flagName(key)} needs a value: --${flagName(key)}=${flag.placeholder}`);
    }
    values.set(key, readValue(key, flag, text, values.get(key)));
  }
  const options = Object.fromEntries(
    Object.entries(table).map(([key, flag]) => [key, values.has(key) ? values.get(key) : flag.default]),
  );
  return { options: options as OptionsOf<Table>, given: new Set(values.keys()), rest };
}

/** securePort -> secure-port, requestTimeoutMs -> request-timeout, minRequestTimeoutSeconds -> min-request-timeout. */
export function flagName(key: string): string {
  return key.replace(/(?:Ms|Seconds|Mb|Days)$/, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function splitArgument(argument: string, letters: ReadonlyMap<string, string>): { name: string; value?: string } {
  const equals = argument.indexOf("=");
  const head = equals < 0 ? argument : argument.slice(0, equals);
  const value = equals < 0 ? {} : { value: argument.slice(equals + 1) };
  // Some scripts write flags with underscores; upstream reads them as dashes.
  if (head.startsWith("--")) return { name: head.slice(2).replaceAll("_", "-"), ...value };
  const letter = head.slice(1, 2);
  if (head.length > 2 && letters.has(letter)) return { name: letter, value: argument.slice(2).replace(/^=/, "") };
  return { name: head.slice(1), ...value };
}

function readValue(key: string, flag: Flag<unknown>, text: string, sofar: unknown): unknown {
  try {
    return flag.read(text, sofar);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new UsageError(`flag --${flagName(key)}: ${error.message}`);
  }
}

function unknownFlag(argument: string, name: string, names: readonly string[]): UsageError {
  const shown = argument.split("=", 1)[0]!;
  const near = nearestWord(name, names);
  return new UsageError(`unknown flag ${shown}${near === undefined ? "" : `; did you mean --${near}?`}`);
}
