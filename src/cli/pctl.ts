// The command `pctl`: runs one command, turns a failure into text on standard error and exit code 1.

import { setMaxListeners } from "node:events";
import { systemClock } from "../base/clock.ts";
import { CliError, type Command, type Flags } from "./command.ts";
import { commandNamed, helpLine, parseCommandLine } from "./command-line.ts";
import { apiResources, apiVersions } from "./commands/api-resources.ts";
import { apply } from "./commands/apply.ts";
import { auth } from "./commands/auth.ts";
import { autoscale } from "./commands/autoscale.ts";
import { certificate } from "./commands/certificate.ts";
import { clusterInfo } from "./commands/cluster-info.ts";
import { completion } from "./commands/completion.ts";
import { config } from "./commands/config.ts";
import { cp } from "./commands/cp.ts";
import { create } from "./commands/create.ts";
import { debug } from "./commands/debug.ts";
import { deleteObjects } from "./commands/delete.ts";
import { describe } from "./commands/describe.ts";
import { diff } from "./commands/diff.ts";
import { drain } from "./commands/drain.ts";
import { edit } from "./commands/edit.ts";
import { events } from "./commands/events.ts";
import { explain } from "./commands/explain.ts";
import { expose } from "./commands/expose.ts";
import { get } from "./commands/get.ts";
import { history } from "./commands/history.ts";
import { logs } from "./commands/logs.ts";
import { cordon, taint, uncordon } from "./commands/nodes.ts";
import { options } from "./commands/options.ts";
import { patch } from "./commands/patch.ts";
import { plugin } from "./commands/plugin.ts";
import { attach, exec } from "./commands/pods.ts";
import { portForward } from "./commands/port-forward.ts";
import { proxy } from "./commands/proxy.ts";
import { replace } from "./commands/replace.ts";
import { rollout } from "./commands/rollout.ts";
import { run } from "./commands/run.ts";
import { scale } from "./commands/scale.ts";
import { set } from "./commands/set.ts";
import { top } from "./commands/top.ts";
import { blockers, tree } from "./commands/tree.ts";
import { validate } from "./commands/validate.ts";
import { version } from "./commands/version.ts";
import { wait } from "./commands/wait.ts";
import { annotate, label } from "./commands/write-metadata.ts";
import { completePlugin, pluginWords } from "./complete-plugins.ts";
import { completeWords } from "./complete-words.ts";
import { CONNECTION_FLAGS } from "./connection-flags.ts";
import { errorText } from "./error-text.ts";
import type { Parts } from "./offline-server.ts";
import { findPlugin, runPlugin } from "./plugins.ts";
import { readInput } from "./read-input.ts";
import { safeTerminal } from "./safe-terminal.ts";
import { type OpenInput, Session, type Terminal } from "./session.ts";

/** As shells have it for a program that SIGINT ends. */
const INTERRUPTED = 130;

export const PROGRAM: Command = {
  name: "pctl",
  summary: "Reads and changes the objects of a server.",
  flags: CONNECTION_FLAGS,
  elsewhere: new Map([
    ["kustomize", "run kustomize itself, and pass what comes of it: kustomize build FOLDER | pctl apply -f -"],
  ]),
  commands: [
    get,
    describe,
    create,
    apply,
    diff,
    validate,
    patch,
    edit,
    replace,
    deleteObjects,
    label,
    annotate,
    scale,
    rollout,
    autoscale,
    set,
    expose,
    run,
    logs,
    exec,
    attach,
    debug,
    portForward,
    proxy,
    cp,
    cordon,
    uncordon,
    drain,
    taint,
    top,
    explain,
    wait,
    events,
    tree,
    history,
    blockers,
    apiResources,
    apiVersions,
    auth,
    certificate,
    config,
    clusterInfo,
    version,
    options,
    plugin(() => PROGRAM.commands!),
    completion,
  ],
};

export async function main(argv: readonly string[], parts: Parts = {}): Promise<void> {
  // Who reads us may stop: `pctl get pods | head`.
  process.stdout.on("error", () => process.exit(0));
  const interruption = new AbortController();
  // Every request that is under way listens to it.
  setMaxListeners(0, interruption.signal);
  process.once("SIGINT", () => {
    interruption.abort(new CliError("interrupted"));
    // Who asks twice does not want to wait.
    process.once("SIGINT", () => process.exit(INTERRUPTED));
  });
  const terminal: Terminal = {
    env: process.env,
    readInput: () => readInput(process.stdin, interruption.signal),
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    openInput,
    isTerminal: process.stdout.isTTY === true,
    errorIsTerminal: process.stderr.isTTY === true,
    inputIsTerminal: process.stdin.isTTY === true,
    interrupted: interruption.signal,
  };
  process.exitCode = await runPctl(argv, terminal, parts);
}

function openInput(raw: boolean): OpenInput {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true;
  const screen = [stdout, stderr].find(({ isTTY }) => isTTY);
  const listeners: (() => void)[] = [];
  if (raw && isTerminal) stdin.setRawMode(true);
  return {
    pieces: stdin,
    size: () => (isTerminal && screen !== undefined ? { width: screen.columns, height: screen.rows } : undefined),
    onResize(listener) {
      listeners.push(listener);
      screen?.on("resize", listener);
    },
    close() {
      for (const listener of listeners) screen?.off("resize", listener);
      if (raw && isTerminal) stdin.setRawMode(false);
      stdin.destroy();
    },
  };
}

/** What shells ask for the words that may come next. */
const COMPLETE = "__complete";
/** `pctl help get` is `pctl get --help`. */
const HELP = "help";

async function complete(words: readonly string[], terminal: Terminal): Promise<number> {
  const open = (flags: Flags): Session => new Session({ terminal, flags, clock: systemClock, parts: {} });
  const ofPlugin = isOwn(words[0]) ? undefined : await completePlugin(words, terminal.env);
  const found = ofPlugin ?? (await completeWords(PROGRAM, words, open));
  const [first = ""] = words;
  const plugins = words.length === 1 ? pluginWords(terminal.env).filter((word) => word.startsWith(first)) : [];
  for (const word of new Set([...found, ...plugins])) terminal.write(`${word}\n`);
  return 0;
}

/** Own commands come before programs of the same name. */
const isOwn = (word: string | undefined): boolean =>
  word === undefined ||
  word === HELP ||
  PROGRAM.commands!.some(({ name, aliases = [] }) => name === word || aliases.includes(word));

/** The exit code. */
export async function runPctl(argv: readonly string[], given: Terminal, parts: Parts = {}): Promise<number> {
  const terminal = safeTerminal(given);
  let session: Session | undefined;
  let stack = false;
  let failureCode = 1;
  try {
    if (argv[0] === COMPLETE) return await complete(argv.slice(1), terminal);
    const found = isOwn(argv[0]) ? undefined : findPlugin(argv, terminal.env);
    if (found !== undefined) return await runPlugin(found.file, found.args, terminal.env);
    const words = argv[0] === HELP ? helpLine(PROGRAM, argv.slice(1)) : argv;
    failureCode = commandNamed(PROGRAM, words).failureCode ?? failureCode;
    const line = parseCommandLine(words, { ...PROGRAM, write: terminal.write });
    if (line === undefined) return 0;
    stack = (line.programFlags.number("v") ?? 0) > 0;
    session = new Session({ terminal, flags: line.programFlags, clock: systemClock, parts });
    await line.command.run!(session, line.args, line.flags);
    if (session.warningsText !== undefined) throw new CliError(session.warningsText);
    return session.exitCode;
  } catch (error) {
    terminal.writeError(`${errorText(error, { stack })}\n`);
    return failureCode;
  } finally {
    await session?.close();
  }
}
