// Programs that are commands of pctl: `pctl-NAME`, or kubectl's `kubectl-NAME`, in the folders of PATH. They run only where no
// command has their name.

import { spawn } from "node:child_process";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { CliError } from "./command.ts";

/** Of the first, a plug-in made for pctl, before one of the second with the same name. */
const PREFIXES = ["pctl-", "kubectl-"] as const;
/** What names of plug-ins are made of: a word cannot lead to another folder. */
const WORD = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** As shells have it for a program that a signal ends. */
const SIGNALLED = 128;
const MAX_WORDS = 16;

export interface Plugin {
  readonly file: string;
  /** As PATH names it, without what it begins with: `my_tool-show` is `pctl my-tool show`. */
  readonly name: string;
  /** Whether we may run it. */
  readonly runs: boolean;
}

/** In the order of PATH. */
export function allPlugins(env: NodeJS.ProcessEnv): Plugin[] {
  return foldersOf(env).flatMap((folder) =>
    namesIn(folder).flatMap((fileName) => {
      const prefix = PREFIXES.find((each) => fileName.startsWith(each) && fileName.length > each.length);
      const file = join(folder, fileName);
      if (prefix === undefined || !isFile(file)) return [];
      return [{ file, name: fileName.slice(prefix.length), runs: mayRun(file) }];
    }),
  );
}

/** The plug-in that the line begins with, by as many of its words as there is one for, and the words after them. */
export function findPlugin(words: readonly string[], env: NodeJS.ProcessEnv) {
  const end = words.findIndex((word) => !WORD.test(word));
  const named = words.slice(0, Math.min(end < 0 ? words.length : end, MAX_WORDS));
  for (let count = named.length; count > 0; count -= 1) {
    const name = pluginName(named.slice(0, count));
    for (const prefix of PREFIXES) {
      const file = findProgram(`${prefix}${name}`, env);
      if (file !== undefined) return { file, args: words.slice(count) };
    }
  }
  return undefined;
}

/** The first program of this name in the folders of PATH. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return foldersOf(env)
    .map((folder) => join(folder, name))
    .find((each) => isFile(each) && mayRun(each));
}

/** A dash inside of a word is an underscore in the name: dashes stand between words. */
export const pluginName = (words: readonly string[]): string =>
  words.map((word) => word.replaceAll("-", "_")).join("-");

/** Resolves with its exit code. Fails with CliError when it cannot be started. */
export function runPlugin(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(file, args, { stdio: "inherit", env });
  return new Promise((resolve, reject) => {
    child.once("error", ({ message }) => reject(new CliError(`the plug-in ${file} cannot be run: ${message}`)));
    child.once("close", (code, signal) => resolve(code ?? SIGNALLED + (signal === null ? 0 : numberOf(signal))));
  });
}

const numberOf = (signal: NodeJS.Signals): number => system.signals[signal];

/** Relative folders are passed over: what runs must not depend on where one stands. */
const foldersOf = (env: NodeJS.ProcessEnv): string[] => [
  ...new Set((env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder))),
];

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
