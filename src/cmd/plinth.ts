// The command `plinth`: picks the sub-command, turns a failure to start into one line and an exit code.

import { StartError, UsageError } from "../base/start-error.ts";
import type { LocalPatch, OfflineServer, Patched } from "../cli/offline-server.ts";
import type { Dialect } from "../meta/names.ts";
import type { FirstStates } from "./first-state.ts";

interface Command {
  readonly summary: string;
  /** Resolves when the command has done its work. */
  run(args: readonly string[]): Promise<void>;
}

// Each command is loaded when it is asked for: a start pays only for what it uses.
const COMMANDS: Readonly<Record<string, Command>> = {
  up: {
    summary: "run the API server with everything set up, in the foreground",
    run: async (args) => (await import("./up.ts")).up(args),
  },
  apiserver: {
    summary: "run the API server alone",
    run: async (args) => (await import("./apiserver.ts")).apiserver(args),
  },
  "controller-manager": {
    summary: "run the controllers alone",
    run: async (args) => (await import("./controller-manager.ts")).controllerManager(args),
  },
  scheduler: {
    summary: "run the scheduler alone",
    run: async (args) => (await import("./scheduler.ts")).scheduler(args),
  },
  nodeagent: {
    summary: "run the node agent of this machine",
    run: async (args) => (await import("./nodeagent.ts")).nodeagent(args),
  },
  proxy: {
    summary: "run the service proxy of this machine",
    run: async (args) => (await import("./proxy.ts")).proxy(args),
  },
  snapshot: {
    summary: "save or restore the embedded store",
    run: async (args) => (await import("./snapshot.ts")).snapshot(args),
  },
  "envtest-assets": {
    summary: "write stand-ins for the server binaries of other test environments",
    run: async (args) => (await import("./envtest-assets.ts")).envtestAssets(args),
  },
  version: {
    summary: "print the version, as /version serves it",
    run: async (args) => (await import("./version.ts")).version(args),
  },
  help: { summary: "print this text", run: async () => void process.stdout.write(overview()) },
};

export async function main(argv: readonly string[]): Promise<void> {
  const [name = "", ...args] = argv;
  try {
    if (name === "--version") return await COMMANDS["version"]!.run(args);
    if (name === "" || name === "-h" || name === "--help") {
      process.stdout.write(overview());
      if (name === "") process.exitCode = 2;
      return;
    }
    const hidden = Object.hasOwn(HIDDEN, name) ? HIDDEN[name] : undefined;
    if (hidden !== undefined) return await hidden(args);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined)
      throw new UsageError(`unknown command ${JSON.stringify(name)}: one of ${Object.keys(COMMANDS).join(", ")}`);
    await command.run(args);
  } catch (error) {
    fail(name, error);
  }
}

/** What `envtest-assets` writes calls these, and a server its workers. */
const HIDDEN: Readonly<Record<string, Command["run"]>> = {
  worker: async () => (await import("./worker.ts")).worker(),
  "envtest-apiserver": async (args) => (await import("./envtest-assets.ts")).envtestApiServer(args),
  "envtest-store": async (args) => (await import("./envtest-assets.ts")).envtestStore(args),
};

/** For `pctl`, whose bundle has no server in it. */
export async function offlineServer(dialect: Dialect): Promise<OfflineServer> {
  return (await import("./offline-server.ts")).offlineServer(dialect);
}

/** For `pctl`, whose bundle has no kinds in it. */
export async function patchObject(patch: LocalPatch): Promise<Patched | undefined> {
  return (await import("./patch-object.ts")).patchObject(patch);
}

/** For the build. */
export async function firstState(dialect: Dialect): Promise<FirstStates> {
  const { firstState: prepare } = await import("./first-state.ts");
  return prepare(dialect);
}

/** `npm start`: `plinth up`, also with the flags that npm took for its own. */
export async function start(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [{ upFlags }, { npmFlags }] = await Promise.all([import("./up.ts"), import("./npm-flags.ts")]);
  await main(["up", ...npmFlags(upFlags, env), ...argv]);
}

function fail(command: string, error: unknown): void {
  const known = error instanceof StartError;
  const where = command === "" || command.startsWith("-") ? "plinth" : `plinth ${command}`;
  const hint = error instanceof UsageError ? ` (see ${where} --help)` : "";
  const text = known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${where}: ${known ? text.replaceAll(/\s*\n\s*/g, " ") : text}${hint}\n`);
  process.exit(known ? error.exitCode : 1);
}

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(20)}${summary}`);
  return `Usage: plinth COMMAND [flags]\n\n${lines.join("\n")}\n\nplinth COMMAND --help prints the flags of a command.\n`;
}
