// `pctl exec` and `attach`: what runs in pods.

import type { JsonObject } from "../../base/json.ts";
import { ApiError } from "../../client/api-error.ts";
import type { ContainerSession } from "../../client/index.ts";
import { defaultContainer } from "../choose-container.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { errorText } from "../error-text.ts";
import { memberOf, textAt } from "../json-members.ts";
import { podsNamed, podsOf, podTimeoutFlag, readPodTimeoutMs } from "../pod-named.ts";
import { nameOf } from "../printing/object-text.ts";
import type { Session } from "../session.ts";
import { untilStarted } from "../start-of-container.ts";
import { FILE_FLAGS, readTargets } from "../targets.ts";

const CONTAINER: Flag = {
  name: "container",
  short: "c",
  value: "name",
  summary: "the container; the first when not given",
};

const POD_TIMEOUT_SECONDS = 60;

const SESSION_FLAGS: readonly Flag[] = [
  CONTAINER,
  { name: "stdin", short: "i", summary: "pass standard input on" },
  { name: "tty", short: "t", summary: "in a terminal" },
  { name: "quiet", short: "q", summary: "show only what the container writes" },
  podTimeoutFlag(POD_TIMEOUT_SECONDS),
];

export const exec: Command = {
  name: "exec",
  summary: "run a command in a container",
  arguments: "POD | TYPE/NAME | -f FILE -- COMMAND [ARGUMENT...]",
  flags: [...SESSION_FLAGS, ...FILE_FLAGS],
  async run(session, args, flags) {
    const ofFile = flags.list("filename").length > 0;
    const [word] = args;
    const command = ofFile ? args : args.slice(1);
    if (word === undefined || command.length === 0)
      throw new CliError("a pod and a command are needed: pctl exec POD -- COMMAND");
    const pod = ofFile ? await podOfFile(session, flags) : await podNamed(session, word, flags);
    refuseCompleted(pod, "exec into");
    const { core } = await session.client();
    const wish = await sessionWish(session, pod, flags);
    await pipe(session, await core.v1.pods(session.namespace).exec(nameOf(pod), { command, ...wish }), wish);
  },
};

export const attach: Command = {
  name: "attach",
  summary: "join what a container runs",
  arguments: "POD | TYPE/NAME",
  flags: SESSION_FLAGS,
  async run(session, args, flags) {
    const [word] = args;
    if (word === undefined) throw new CliError("a pod is needed: pctl attach POD");
    const pod = await podNamed(session, word, flags);
    refuseCompleted(pod, "attach");
    const { core } = await session.client();
    const wish = await sessionWish(session, pod, flags);
    tellOfPrompt(session, wish, flags);
    await pipe(session, await core.v1.pods(session.namespace).attach(nameOf(pod), wish), wish);
  },
};

async function podNamed(session: Session, word: string, flags: Flags): Promise<JsonObject> {
  const [pod] = await podsNamed(session, word, readPodTimeoutMs(flags, POD_TIMEOUT_SECONDS));
  return pod!;
}

async function podOfFile(session: Session, flags: Flags): Promise<JsonObject> {
  const [target, ...more] = await readTargets(session, [], flags);
  if (target === undefined || more.length > 0) throw new CliError("exactly one object must be in the file");
  const [pod] = await podsOf(session, target, readPodTimeoutMs(flags, POD_TIMEOUT_SECONDS));
  return pod!;
}

function refuseCompleted(pod: JsonObject, what: string): void {
  const phase = textAt(memberOf(pod, "status"), "phase");
  if (phase === "Succeeded" || phase === "Failed")
    throw new CliError(`cannot ${what} a container in a completed pod; current phase is ${phase}`);
}

interface SessionWish {
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly signal: AbortSignal;
}

async function sessionWish(session: Session, pod: JsonObject, flags: Flags): Promise<SessionWish> {
  const quiet = flags.switch("quiet");
  const container = flags.text("container") ?? (await defaultContainer(session, pod, { quiet }));
  return wishFor(session, container, flags);
}

/** A terminal is one only where somebody types. */
function wishFor(session: Session, container: string, flags: Flags): SessionWish {
  const { inputIsTerminal, interrupted, writeError } = session.terminal;
  const stdin = flags.switch("stdin");
  const asked = stdin && flags.switch("tty");
  if (asked && !inputIsTerminal && !flags.switch("quiet"))
    writeError("Unable to use a TTY - input is not a terminal or the right kind of file\n");
  return { container, stdin, tty: asked && inputIsTerminal, signal: interrupted };
}

/** What is typed into what runs already is kept in its log, and a prompt may have been written long ago. */
function tellOfPrompt(session: Session, { tty }: SessionWish, flags: Flags): void {
  if (!tty || flags.switch("quiet")) return;
  session.terminal.writeError(
    "All commands and output from this session will be recorded in container logs, including credentials and " +
      "sensitive information passed through the command prompt.\n" +
      "If you don't see a command prompt, try pressing enter.\n",
  );
}

/** Joins what a container runs as soon as it does: `--stdin`, `--tty` and `--quiet` of the flags count. */
export async function join(
  session: Session,
  name: string,
  container: string,
  flags: Flags,
  timeoutMs?: number,
): Promise<void> {
  const { core } = await session.client();
  const pods = core.v1.pods(session.namespace);
  const wish = wishFor(session, container, flags);
  const joined = async (): Promise<ContainerSession | undefined> => {
    if ((await untilStarted(session, name, container, timeoutMs)) === "ended") return undefined;
    try {
      return await pods.attach(name, wish);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if ((await untilStarted(session, name, container, timeoutMs)) === "running")
        session.terminal.writeError(
          `warning: couldn't attach to pod/${name}, falling back to streaming logs: ${errorText(error)}\n`,
        );
      return undefined;
    }
  };
  const running = await joined();
  if (running !== undefined) {
    tellOfPrompt(session, wish, flags);
    await pipe(session, running, wish);
    return;
  }
  // Who comes too late sees what there was.
  const log = pods.log(name, { container, follow: true, signal: wish.signal });
  for await (const piece of log) session.terminal.write(piece);
}

/** Both ways until the command ends; its exit code is ours. */
async function pipe(session: Session, running: ContainerSession, { stdin, tty }: SessionWish): Promise<void> {
  const { terminal } = session;
  const input = stdin ? terminal.openInput(tty) : undefined;
  const resize = (): void => {
    const size = input?.size();
    if (size !== undefined) running.resize(size.width, size.height);
  };
  if (tty) {
    resize();
    input?.onResize(resize);
  }
  const sending = input === undefined ? undefined : sendInput(running, input.pieces);
  sending?.catch(() => undefined);
  try {
    for await (const { from, data } of running.output()) {
      if (from === "stdout") terminal.write(data);
      else terminal.writeError(data);
    }
  } finally {
    input?.close();
  }
  const { code, message } = running.exit;
  if (code === 0) return;
  if (code === undefined) throw new CliError(message);
  terminal.writeError(`command terminated with exit code ${code}\n`);
  session.fail(code);
}

async function sendInput(running: ContainerSession, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    running.write(piece);
    await running.flushed();
  }
  running.endInput();
}
