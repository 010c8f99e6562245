// Programs that are commands of pctl: `pctl-NAME`, or kubectl's `kubectl-NAME`, in the folders of PATH. They run only where no
// command has their name. A program `pctl_complete-NAME` or `kubectl_complete-NAME` beside one completes its words.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { CliError } from "./command.ts";

/** Of the first, a plug-in made for pctl, before one of the second with the same name. */
const PREFIXES = ["pctl-", "kubectl-"] as const;
const COMPLETING_PREFIXES = ["pctl_complete-", "kubectl_complete-"] as const;
/** Somebody waits at a prompt. */
const COMPLETION_TIMEOUT_MS = 5_000;
const MAX_COMPLETION_BYTES = 1024 * 1024;
/** kubectl becomes the plug-in, so that a signal to the command is one to the plug-in. */
const PASSED_ON = ["SIGTERM", "SIGHUP", "SIGUSR2"] as const;
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

/**
 * The plug-in that the line begins with, by as many of its words as there is one for, and the words after them. `least`: so
 * many of its words must name it.
 */
export function findPlugin(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { least = 1, prefixes = PREFIXES as readonly string[] } = {},
) {
  const end = words.findIndex((word) => !WORD.test(word));
  const named = words.slice(0, Math.min(end < 0 ? words.length : end, MAX_WORDS));
  for (let count = named.length; count >= least; count -= 1) {
    const name = pluginName(named.slice(0, count));
    for (const prefix of prefixes) {
      const file = foldersOf(env)
        .map((folder) => join(folder, `${prefix}${name}`))
        .find((each) => isFile(each) && mayRun(each));
      if (file !== undefined) return { file, args: words.slice(count) };
    }
  }
  return undefined;
}

/** A dash inside of a word is an underscore in the name: dashes stand between words. */
export const pluginName = (words: readonly string[]): string =>
  words.map((word) => word.replaceAll("-", "_")).join("-");

/** Resolves with its exit code. Fails with CliError when it cannot be started. */
export async function runPlugin(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(file, args, { stdio: "inherit", env });
  const stopPassing = passSignals(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", ({ message }) => reject(new CliError(`the plug-in ${file} cannot be run: ${message}`)));
      child.once("close", (code, signal) => resolve(code ?? SIGNALLED + (signal === null ? 0 : numberOf(signal))));
    });
  } finally {
    stopPassing();
  }
}

/** A terminal tells both of an interrupt, and what is done about it is the plug-in's to say. Returns how to end it. */
function passSignals(child: ChildProcess): () => void {
  const own = process.listeners("SIGINT");
  const interrupt = (): void => {
    if (process.stdin.isTTY !== true) child.kill("SIGINT");
  };
  process.removeAllListeners("SIGINT").on("SIGINT", interrupt);
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of PASSED_ON) process.on(signal, pass);
  return () => {
    for (const signal of PASSED_ON) process.off(signal, pass);
    process.off("SIGINT", interrupt);
    for (const listener of own) process.on("SIGINT", listener);
  };
}

/** The words that may come next for a plug-in, as its own program for that says; undefined when there is no plug-in. */
export async function completePlugin(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  least = 1,
): Promise<string[] | undefined> {
  // The last word is not finished yet: it names nothing.
  const named = words.slice(0, -1);
  if (findPlugin(named, env, { least }) === undefined) return undefined;
  const completing = findPlugin(named, env, { least, prefixes: COMPLETING_PREFIXES });
  if (completing === undefined) return [];
  const args = [...completing.args, words.at(-1) ?? ""];
  const options = { env, timeout: COMPLETION_TIMEOUT_MS, maxBuffer: MAX_COMPLETION_BYTES };
  const text = await new Promise<string>((resolve) => {
    execFile(completing.file, args, options, (error, stdout) => resolve(error === null ? stdout : ""));
  });
  // A line is a word, and what it means behind a tab; the last one, `:4`, is for shells that are told more.
  const lines = text.split("\n").map((line) => line.split("\t", 1)[0]!.trim());
  return lines.filter((line) => line !== "" && !/^:\d+$/.test(line));
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
