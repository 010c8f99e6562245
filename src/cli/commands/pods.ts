// `pctl exec` and `attach`: what runs in pods.

import type { ContainerSession, PodResource } from "../../client/index.ts";
import { chooseContainer } from "../choose-container.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { podNamed } from "../pod-named.ts";
import type { Session } from "../session.ts";
import { untilStarted } from "../start-of-container.ts";

const CONTAINER: Flag = {
  name: "container",
  short: "c",
  value: "name",
  summary: "the container; the first when not given",
};

const SESSION_FLAGS: readonly Flag[] = [
  CONTAINER,
  { name: "stdin", short: "i", summary: "pass standard input on" },
  { name: "tty", short: "t", summary: "in a terminal" },
];

export const exec: Command = {
  name: "exec",
  summary: "run a command in a container",
  arguments: "POD | TYPE/NAME -- COMMAND [ARGUMENT...]",
  flags: SESSION_FLAGS,
  async run(session, args, flags) {
    const [word, ...command] = args;
    if (word === undefined || command.length === 0)
      throw new CliError("a pod and a command are needed: pctl exec POD -- COMMAND");
    const { core } = await session.client();
    const pods = core.v1.pods(session.namespace);
    const name = await podNamed(session, word);
    const options = { command, ...(await sessionOptions(session, pods, name, flags)) };
    await pipe(session, await pods.exec(name, options), flags);
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
    const { core } = await session.client();
    const pods = core.v1.pods(session.namespace);
    const name = await podNamed(session, word);
    await pipe(session, await pods.attach(name, await sessionOptions(session, pods, name, flags)), flags);
  },
};

async function sessionOptions(session: Session, pods: PodResource, name: string, flags: Flags) {
  return {
    container: await chooseContainer(session, pods, name, flags.text("container")),
    stdin: flags.switch("stdin"),
    tty: flags.switch("tty"),
    signal: session.terminal.interrupted,
  };
}

/** Joins what a container runs as soon as it does: `--stdin` and `--tty` of the flags count. */
export async function join(session: Session, name: string, container: string, flags: Flags): Promise<void> {
  const { core } = await session.client();
  if ((await untilStarted(session, name, container)) === "ended") {
    // Who comes too late sees what there was.
    for await (const piece of core.v1.pods(session.namespace).log(name, { container })) session.terminal.write(piece);
    return;
  }
  const [stdin, tty] = [flags.switch("stdin"), flags.switch("tty")];
  const options = { container, stdin, tty, signal: session.terminal.interrupted };
  await pipe(session, await core.v1.pods(session.namespace).attach(name, options), flags);
}

/** Both ways until the command ends; its exit code is ours. */
async function pipe(session: Session, running: ContainerSession, flags: Flags): Promise<void> {
  const { terminal } = session;
  const input = flags.switch("stdin") ? terminal.openInput(flags.switch("tty")) : undefined;
  const size = input?.size();
  if (size !== undefined && flags.switch("tty")) running.resize(size.width, size.height);
  const sending = input === undefined ? undefined : sendInput(running, input.pieces);
  sending?.catch(() => undefined);
  for await (const { from, data } of running.output()) {
    if (from === "stdout") terminal.write(data);
    else terminal.writeError(data);
  }
  input?.close();
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
