// Reads command lines: the one place that knows commander.

import { CommanderError, Option, Command as Parser } from "commander";
import { didYouMean } from "../base/nearest-word.ts";
import { CliError, type Command, type Flag, Flags } from "./command.ts";

interface ParsedLine {
  readonly command: Command;
  readonly args: readonly string[];
  /** Of the command and of the program. */
  readonly flags: Flags;
  /** Of the program alone: a flag of the command that has the same name is none of its. */
  readonly programFlags: Flags;
}

/** The program: its flags are taken by every command, before it and after it. */
interface CommandLineOptions extends Command {
  /** Where help goes. */
  readonly write: (text: string) => void;
}

/** Undefined when help was asked for, and written. Fails with CliError. */
export function parseCommandLine(argv: readonly string[], options: CommandLineOptions): ParsedLine | undefined {
  let parsed: ParsedLine | undefined;
  const commands = chosenCommands(options, argv);
  const { rest: words, switches } = takeSetSwitches(argv, [
    ...(options.flags ?? []),
    ...(commands.at(-1)?.flags ?? []),
  ]);
  // `create rolebinding --user=ann` is not about who connects.
  const chosen = commands.flatMap(({ flags = [] }) => flags);
  const own = new Set(chosen.map(({ name }) => name));
  const rest = splitShortFlags(words, [...(options.flags ?? []), ...chosen]);
  const program = { ...options, flags: (options.flags ?? []).filter(({ name }) => !own.has(name)) };
  const found: Found = (parser, command, args) => {
    refuseFlagsAbove(parser, commands);
    const flags = new Flags(new Map([...valuesOf(parser), ...switches]));
    parsed = { command, args, flags, programFlags: new Flags(new Map([...valuesOf(root), ...switches])) };
  };
  const root = parserOf(program, { words: new Set(rest), write: options.write, found });
  try {
    root.parse(rest, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || error.code === "commander.help") return undefined;
    const message = error.message
      .replace(/^error: /, "")
      .replace(/\n\(Did you mean ([^)]*?)\??\)$/, ": did you mean $1?");
    const nearest =
      error.code === "commander.unknownOption" ? unknownChild(commands.at(-1) ?? options, rest) : undefined;
    throw new CliError(
      nearest ?? `${message} (see ${[options, ...commands].map(({ name }) => name).join(" ")} --help)`,
    );
  }
  return parsed;
}

/** `create deploymnt --image=i`: the flag is that of a command whose name is mistyped. */
function unknownChild(command: Command, words: readonly string[]): string | undefined {
  const word = words[words.findIndex((each) => namesOf(command).includes(each)) + 1] ?? "";
  const hint = didYouMean(word, childNames(command));
  return hint === "" ? undefined : `unknown command ${JSON.stringify(word)} of ${command.name}${hint}`;
}

/** `create` reads files and `create token` does not: what only a command above takes would be passed over. */
function refuseFlagsAbove(parser: Parser, chosen: readonly Command[]): void {
  const own = new Set(parser.options.map(({ long }) => long));
  for (let at = parser.parent; at?.parent != null; at = at.parent) {
    const foreign = at.options.find(
      (option) => !own.has(option.long) && at?.getOptionValueSource(option.attributeName()) === "cli",
    );
    if (foreign === undefined) continue;
    const name = [PROGRAM_NAME, ...chosen.map((command) => command.name)].join(" ");
    throw new CliError(`unknown option '${foreign.long}' (see ${name} --help)`);
  }
}

/** What a line asks for, whether or not it can be read; the program where that is no command. */
export const commandNamed = (program: Command, words: readonly string[]): Command =>
  chosenCommands(program, words).at(-1) ?? program;

/** The line that `help WORD...` stands for. Fails with CliError where a word is no command. */
export function helpLine(program: Command, words: readonly string[]): string[] {
  let at = program;
  for (const word of words) {
    if (word.startsWith("-") || at.commands === undefined) break;
    const next = at.commands.find((child) => namesOf(child).includes(word));
    if (next === undefined) throw unknownCommand(at, word);
    at = next;
  }
  return [...words, "--help"];
}

/** The commands that the line names, one below the other. */
function chosenCommands(program: Command, words: readonly string[]): Command[] {
  const chosen: Command[] = [];
  let at: Command | undefined = program;
  for (const word of words) {
    const next: Command | undefined = at?.commands?.find((child) => namesOf(child).includes(word));
    if (next === undefined) continue;
    chosen.push(next);
    at = next;
  }
  return chosen;
}

const childNames = ({ commands = [] }: Command): string[] => commands.flatMap(namesOf);

const namesOf = ({ name, aliases = [] }: Command): string[] => [name, ...aliases];

type Found = (parser: Parser, command: Command, args: readonly string[]) => void;

interface Building {
  /** Of the command line. */
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
  const named = (command.commands ?? []).filter((child) => namesOf(child).some((name) => words.has(name)));
  for (const child of named) parser.addCommand(parserOf(child, building));
  // The others are only for help to name, and every start would wait for them.
  if (named.length === 0 || words.has("--help") || words.has("-h")) {
    for (const child of command.commands ?? [])
      if (!named.includes(child)) parser.addCommand(new Parser(child.name).description(child.summary));
  }
  if (command.run !== undefined) {
    return parser
      .usage(["[flags]", command.arguments].filter((part) => part !== undefined).join(" "))
      .action((args: string[]) => {
        if (command.arguments === undefined && args.length > 0)
          throw new CliError(`${command.name} takes no arguments: ${JSON.stringify(args[0])}`);
        found(parser, command, args);
      });
  }
  return parser.usage("[flags] COMMAND").action(([unknown]: string[]) => {
    if (unknown === undefined) return parser.help();
    const instead = command.elsewhere?.get(unknown);
    if (instead !== undefined) throw new CliError(`${unknown} is not known here: ${instead}`);
    throw unknownCommand(command, unknown);
  });
}

const PROGRAM_NAME = "pctl";

function unknownCommand(above: Command, word: string): CliError {
  const see = above.name === PROGRAM_NAME ? above.name : `${PROGRAM_NAME} ${above.name}`;
  const hint = didYouMean(word, childNames(above)) || ` (see ${see} --help)`;
  return new CliError(`unknown command ${JSON.stringify(word)} of ${above.name}${hint}`);
}

function addFlag(parser: Parser, { name, short, value, summary, refused }: Flag): void {
  const words = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
  if (refused !== undefined) {
    const refuse = (): never => {
      throw refusal(name, refused);
    };
    parser.addOption(new Option(words).hideHelp().argParser(refuse));
  } else if (value === undefined) parser.option(words, summary);
  else parser.option(words, summary, (given: string, before: readonly string[] = []) => [...before, given]);
}

const refusal = (name: string, instead: string): CliError => new CliError(`--${name} is not known here: ${instead}`);

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

/** Short flags with an equals sign before their value, which commander takes for a part of it: `-o=yaml`. */
function splitShortFlags(argv: readonly string[], flags: readonly Flag[]): string[] {
  const shorts = new Set(flags.filter(({ value }) => value !== undefined).map(({ short }) => short));
  const end = argv.indexOf("--");
  return argv.flatMap((arg, index) => {
    const [, short, value] = /^-([A-Za-z])=(.*)$/s.exec(arg) ?? [];
    if (short === undefined || !shorts.has(short) || (end >= 0 && index > end)) return [arg];
    return [`-${short}`, value!];
  });
}

/** As kubectl has them. */
const TRUE: ReadonlySet<string> = new Set(["true", "True", "TRUE", "t", "T", "1"]);
const FALSE: ReadonlySet<string> = new Set(["false", "False", "FALSE", "f", "F", "0"]);

/** Switches with a value, which commander does not know: `--wait=false`, `-w=false`. Fails with CliError. */
function takeSetSwitches(argv: readonly string[], flags: readonly Flag[]) {
  const switches = new Map<string, boolean>();
  const end = argv.indexOf("--");
  const rest = argv.filter((arg, index) => {
    const [, word, value = ""] = /^(--?[A-Za-z-]+)=(.*)$/s.exec(arg) ?? [];
    if (word === undefined || (end >= 0 && index > end)) return true;
    const flag = flags.find((each) => each.value === undefined && [`--${each.name}`, `-${each.short}`].includes(word));
    if (flag === undefined) return true;
    if (!TRUE.has(value) && !FALSE.has(value))
      throw new CliError(`${word}: ${JSON.stringify(value)} is neither true nor false`);
    if (flag.refused !== undefined && TRUE.has(value)) throw refusal(flag.name, flag.refused);
    switches.set(flag.name, TRUE.has(value));
    return false;
  });
  return { rest, switches };
}
