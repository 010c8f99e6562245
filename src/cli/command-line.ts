// Reads command lines: the one place that knows commander.

import { CommanderError, Command as Parser } from "commander";
import { CliError, type Command, type Flag, Flags } from "./command.ts";

export interface ParsedLine {
  readonly command: Command;
  readonly args: readonly string[];
  readonly flags: Flags;
}

/** The program: its flags are taken by every command, before it and after it. */
export interface CommandLineOptions extends Command {
  /** Where help goes. */
  readonly write: (text: string) => void;
}

/** Undefined when help was asked for, and written. Fails with CliError. */
export function parseCommandLine(argv: readonly string[], options: CommandLineOptions): ParsedLine | undefined {
  let parsed: ParsedLine | undefined;
  const { rest, switches } = takeSetSwitches(argv, allFlags(options));
  const found: Found = (parser, command, args) => {
    parsed = { command, args, flags: new Flags(new Map([...valuesOf(parser), ...switches])) };
  };
  const root = parserOf(options, { words: new Set(rest), write: options.write, found });
  try {
    root.parse(rest, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || error.code === "commander.help") return undefined;
    throw new CliError(`${error.message.replace(/^error: /, "")} (see ${options.name} --help)`);
  }
  return parsed;
}

type Found = (parser: Parser, command: Command, args: readonly string[]) => void;

interface Building {
  /** Of the command line: commands that it does not name are known by name only, which spares a third of the start. */
  readonly words: ReadonlySet<string>;
  readonly write: (text: string) => void;
  readonly found: Found;
}

function parserOf(command: Command, building: Building): Parser {
  const { words, write, found } = building;
  const parser = new Parser(command.name)
    .aliases(command.aliases ?? [])
    .description(command.summary)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (child) => child.name() })
    .argument("[arguments...]");
  for (const flag of command.flags ?? []) addFlag(parser, flag);
  for (const child of command.commands ?? []) {
    if ([child.name, ...(child.aliases ?? [])].some((name) => words.has(name)))
      parser.addCommand(parserOf(child, building));
    else parser.addCommand(new Parser(child.name).description(child.summary));
  }
  if (command.run !== undefined) {
    return parser
      .usage(["[flags]", command.arguments].filter((part) => part !== undefined).join(" "))
      .action((args: string[]) => found(parser, command, args));
  }
  return parser.usage("[flags] COMMAND").action(([unknown]: string[]) => {
    if (unknown === undefined) parser.help();
    else throw new CliError(`unknown command ${JSON.stringify(unknown)} of ${command.name}`);
  });
}

function addFlag(parser: Parser, { name, short, value, summary }: Flag): void {
  const words = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
  if (value === undefined) parser.option(words, summary);
  else parser.option(words, summary, (given: string, before: readonly string[] = []) => [...before, given]);
}

/** Of the command and of everything above it. */
function valuesOf(parser: Parser): Map<string, boolean | readonly string[]> {
  const values = new Map<string, boolean | readonly string[]>();
  for (let at: Parser | null = parser; at !== null; at = at.parent) {
    for (const option of at.options) {
      const value: unknown = at.getOptionValue(option.attributeName());
      const name = option.long!.slice("--".length);
      if (Array.isArray(value)) values.set(name, value);
      // What begins with `no-` counts as the opposite of a switch that is on.
      else if (typeof value === "boolean") values.set(name, option.negate ? !value : value);
    }
  }
  return values;
}

function allFlags(command: Command): Flag[] {
  return [...(command.flags ?? []), ...(command.commands ?? []).flatMap(allFlags)];
}

/** Switches with a value, which commander does not know: `--wait=false`. */
function takeSetSwitches(argv: readonly string[], flags: readonly Flag[]) {
  const names = new Set(flags.filter(({ value }) => value === undefined).map(({ name }) => name));
  const end = argv.indexOf("--");
  const switches = new Map<string, boolean>();
  const rest = argv.filter((arg, index) => {
    const match = /^--([a-z-]+)=(true|false)$/.exec(arg);
    if (match === null || !names.has(match[1]!) || (end >= 0 && index > end)) return true;
    switches.set(match[1]!, match[2] === "true");
    return false;
  });
  return { rest, switches };
}
