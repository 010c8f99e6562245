// The words that may stand at the end of a command line: commands, flags, types, names of objects and of what the
// configuration file holds.

import { apiVersionOf } from "../client/discovery.ts";
import { type Command, type Flag, Flags } from "./command.ts";
import { type ConfigList, configNames } from "./config-file.ts";
import { itemsOf, listPages } from "./list-pages.ts";
import { nameOf } from "./printing/object-text.ts";
import type { Session } from "./session.ts";

/** More names help nobody who looks for one. */
const MAX_NAMES = 500;

/** `words`: those of the line, the unfinished one last. `open`: with the flags that stand before it. */
export async function completeWords(
  program: Command,
  words: readonly string[],
  open: (flags: Flags) => Session,
): Promise<string[]> {
  const last = words.at(-1) ?? "";
  const line = readLine(program, words.slice(0, -1));
  const session = open(new Flags(line.values));
  try {
    const found = await candidates(line, session, last);
    return [...new Set(found)].filter((word) => word.startsWith(last)).sort();
  } finally {
    await session.close();
  }
}

async function candidates(line: Line, session: Session, last: string): Promise<string[]> {
  if (line.awaiting !== undefined) return flagValues(line.awaiting, line, session, "");
  if (!last.startsWith("-")) return argumentWords(line, session, last);
  const [, name = "", equals = ""] = /^--([a-z-]+)(=)?/.exec(last) ?? [];
  const flag = equals === "" ? undefined : flagsOf(line).find((each) => each.name === name);
  return flag === undefined ? flagWords(flagsOf(line)) : flagValues(flag, line, session, `--${name}=`);
}

interface Line {
  /** From the program down. */
  readonly commands: readonly Command[];
  readonly args: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The flag whose value comes next. */
  readonly awaiting: Flag | undefined;
}

function readLine(program: Command, words: readonly string[]): Line {
  const commands = [program];
  const args: string[] = [];
  const values = new Map<string, readonly string[]>();
  let awaiting: Flag | undefined;
  for (const word of words) {
    const flags = flagsOf({ commands });
    if (awaiting !== undefined) {
      values.set(awaiting.name, [...(values.get(awaiting.name) ?? []), word]);
      awaiting = undefined;
    } else if (word.startsWith("-")) {
      const [name, ...rest] = word.split("=");
      const flag = flags.find((each) => name === `--${each.name}` || name === `-${each.short}`);
      if (flag?.value === undefined) continue;
      if (rest.length > 0) values.set(flag.name, [...(values.get(flag.name) ?? []), rest.join("=")]);
      else awaiting = flag;
    } else {
      const child: Command | undefined = commands
        .at(-1)!
        .commands?.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
      if (child !== undefined && args.length === 0) commands.push(child);
      else args.push(word);
    }
  }
  return { commands, args, values, awaiting };
}

const flagsOf = ({ commands }: Pick<Line, "commands">): Flag[] => commands.flatMap(({ flags = [] }) => flags);

/** Flags and arguments that name entries of the configuration file. */
const CONFIG_LISTS: ReadonlyMap<string, ConfigList> = new Map([
  ["context", "contexts"],
  ["cluster", "clusters"],
  ["user", "users"],
]);

async function flagValues(
  { name, summary }: Flag,
  { values }: Line,
  session: Session,
  prefix: string,
): Promise<string[]> {
  if (name === "namespace") return namesOf(session, "namespaces", prefix);
  const list = CONFIG_LISTS.get(name);
  if (list !== undefined) return configNames(session, new Flags(values), list).map((entry) => prefix + entry);
  // Formats are the words of the flag's own summary: `json, yaml, name`.
  if (name !== "output") return [];
  return [...summary.replaceAll(/\([^)]*\)/g, "").matchAll(/\b[a-z][a-z-]*=?/g)].map(([word]) => prefix + word);
}

function flagWords(flags: readonly Flag[]): string[] {
  const taken = flags.filter(({ refused }) => refused === undefined);
  return taken.map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=`));
}

async function argumentWords({ commands, args, values }: Line, session: Session, last: string): Promise<string[]> {
  const command = commands.at(-1)!;
  if (command.commands !== undefined && args.length === 0) {
    const names = command.commands.map(({ name }) => name);
    if (command.run === undefined || names.some((name) => name.startsWith(last))) return names;
  }
  const list = CONFIG_LISTS.get(/^[A-Z]+/.exec(command.arguments ?? "")?.[0].toLowerCase() ?? "");
  if (list !== undefined) return args.length === 0 ? configNames(session, new Flags(values), list) : [];
  if (/^\[?POD/.test(command.arguments ?? "") && !last.includes("/")) return namesOf(session, "pods", "");
  if (/^\[?NODE/.test(command.arguments ?? "")) return namesOf(session, "nodes", "");
  if (command.arguments?.includes("TYPE") !== true) return [];
  const [type = "", slash] = last.split("/", 2);
  if (slash !== undefined) return namesOf(session, type, `${type}/`);
  if (args.length > 0) return args[0]!.includes("/") ? [] : namesOf(session, args[0]!, "");
  const { resources } = await session.discovery();
  return resources.filter(({ verbs }) => verbs.includes("list")).map(({ resource }) => resource);
}

async function namesOf(session: Session, type: string, prefix: string): Promise<string[]> {
  const resource = await session.resource(type);
  const namespace = resource.namespaced ? session.namespace : undefined;
  for await (const page of listPages(session, { resource, namespace, pageSize: MAX_NAMES }))
    return itemsOf(page, resource, apiVersionOf(resource)).map((item) => prefix + nameOf(item));
  return [];
}
