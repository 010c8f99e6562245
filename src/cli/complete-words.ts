// The words that may stand at the end of a command line: commands, flags, types, names of objects.

import { apiVersionOf } from "../client/discovery.ts";
import type { Command, Flag } from "./command.ts";
import { itemsOf, listPages } from "./list-pages.ts";
import { nameOf } from "./printing/object-text.ts";
import type { Session } from "./session.ts";

/** More names help nobody who looks for one. */
const MAX_NAMES = 500;

/** `words`: those of the line, the unfinished one last. */
export async function completeWords(program: Command, session: Session, words: readonly string[]): Promise<string[]> {
  const last = words.at(-1) ?? "";
  const path = commandPath(program, words.slice(0, -1));
  const candidates = last.startsWith("-") ? flagWords(path.commands) : await argumentWords(path, session, last);
  return [...new Set(candidates)].filter((word) => word.startsWith(last)).sort();
}

interface CommandPath {
  /** From the program down. */
  readonly commands: readonly Command[];
  readonly args: readonly string[];
}

function commandPath(program: Command, words: readonly string[]): CommandPath {
  const commands = [program];
  const args: string[] = [];
  const takesValue = new Set<string>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    for (const { name, short, value } of commands.at(-1)!.flags ?? []) {
      if (value === undefined) continue;
      takesValue.add(`--${name}`);
      if (short !== undefined) takesValue.add(`-${short}`);
    }
    if (word.startsWith("-")) {
      if (takesValue.has(word)) at += 1;
      continue;
    }
    const child = commands.at(-1)!.commands?.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
    if (child !== undefined && args.length === 0) commands.push(child);
    else args.push(word);
  }
  return { commands, args };
}

function flagWords(commands: readonly Command[]): string[] {
  const flags = commands.flatMap(({ flags: own = [] }): readonly Flag[] => own);
  return flags.map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=`));
}

async function argumentWords({ commands, args }: CommandPath, session: Session, last: string): Promise<string[]> {
  const command = commands.at(-1)!;
  if (command.commands !== undefined && args.length === 0) {
    const names = command.commands.map(({ name }) => name);
    if (command.run === undefined || names.some((name) => name.startsWith(last))) return names;
  }
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
