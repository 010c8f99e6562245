// Words of plug-ins at the end of a command line: their names, and what `pctl_complete-NAME` or `kubectl_complete-NAME` in the
// folders of PATH says of their own words, as kubectl asks it.

import { execFile } from "node:child_process";
import { basename } from "node:path";
import { allPlugins, findPlugin, findProgram } from "./plugins.ts";

/** Who asks for words waits: a program that takes longer, or says more, says nothing. */
const LIMITS = { timeout: 5_000, maxBuffer: 256 * 1024 };

/** The first words of plug-ins that may run. */
export function pluginWords(env: NodeJS.ProcessEnv): string[] {
  return allPlugins(env)
    .filter(({ runs }) => runs)
    .map(({ name }) => name.split("-")[0]!.replaceAll("_", "-"));
}

/** The words that may come last in a line that begins with a plug-in; undefined where it does not. */
export async function completePlugin(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly string[] | undefined> {
  const last = words.at(-1) ?? "";
  const plugin = findPlugin(words.slice(0, -1), env);
  if (plugin === undefined) return undefined;
  const completer = findProgram(basename(plugin.file).replace("-", "_complete-"), env);
  if (completer === undefined) return [];
  const said = await output(completer, [...plugin.args, last], env);
  return said.filter((word) => word.startsWith(last));
}

/** One word to a line, a description behind it; the last line says in a number what shells are to do. */
function output(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(file, args, { ...LIMITS, env }, (error, text) => {
      const lines = error === null ? text.split("\n") : [];
      resolve(lines.map((line) => line.split("\t")[0]!).filter((word) => word !== "" && !/^:[0-9]+$/.test(word)));
    });
  });
}
