// `pctl logs`, `exec` and `attach`: what runs in pods.

import type { ContainerSession, PodResource } from "../../client/index.ts";
import { chooseContainer } from "../choose-container.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { podNamed, podNames } from "../pod-named.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { untilStarted } from "../start-of-container.ts";

const CONTAINER: Flag = {
  name: "container",
  short: "c",
  value: "name",
  summary: "the container; the first when not given",
};

export const logs: Command = {
  name: "logs",
  summary: "show what containers have written",
  arguments: "POD | TYPE/NAME [CONTAINER]",
  flags: [
    CONTAINER,
    { name: "follow", short: "f", summary: "go on with what comes" },
    { name: "previous", short: "p", summary: "of the run before this one" },
    { name: "timestamps", summary: "with the time of every line" },
    { name: "tail", value: "lines", summary: "the last lines only; -1 for all" },
    { name: "since", value: "duration", summary: "not older than that" },
    { name: "since-time", value: "time", summary: "not older than that time" },
    { name: "limit-bytes", value: "bytes", summary: "so many bytes at most" },
    { name: "all-containers", summary: "of all containers of the pod" },
    { name: "prefix", summary: "every line with its pod and container" },
    { name: "selector", short: "l", value: "selector", summary: "of all pods with these labels" },
  ],
  async run(session, args, flags) {
    const client = await session.client();
    const pods = client.core.v1.pods(session.namespace);
    const [first, container] = args;
    const names = first === undefined ? await podsWith(session, flags) : [await podNamed(session, first)];
    if (names.length === 0) throw new CliError("no pod has these labels");
    const sources: LogSource[] = [];
    for (const name of names) {
      for (const each of await containersOf(session, pods, name, flags, container))
        sources.push({ name, container: each });
    }
    const prefixed = flags.switch("prefix");
    const show = (source: LogSource) => showLog(session, pods, source, flags, prefixed);
    if (flags.switch("follow")) await Promise.all(sources.map(show));
    else for (const source of sources) await show(source);
  },
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

interface LogSource {
  readonly name: string;
  readonly container: string;
}

async function showLog(
  session: Session,
  pods: PodResource,
  { name, container }: LogSource,
  flags: Flags,
  prefixed: boolean,
): Promise<void> {
  const tail = flags.number("tail");
  const sinceMs = readDurationMs(flags, "since");
  const sinceTime = flags.text("since-time");
  const limitBytes = flags.number("limit-bytes");
  const prefix = prefixed ? `[pod/${name}/${container}] ` : "";
  let atStart = true;
  const pieces = pods.log(name, {
    container,
    follow: flags.switch("follow"),
    previous: flags.switch("previous"),
    timestamps: flags.switch("timestamps"),
    ...(tail === undefined || tail < 0 ? {} : { tailLines: tail }),
    ...(sinceMs === undefined ? {} : { sinceSeconds: Math.ceil(sinceMs / 1000) }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    signal: session.terminal.interrupted,
  });
  for await (const piece of pieces) {
    if (prefix === "") {
      session.terminal.write(piece);
      continue;
    }
    const text = Buffer.from(piece).toString("utf8");
    const lines = text.split("\n");
    session.terminal.write(
      lines
        .map((line, index) =>
          (line === "" && index === lines.length - 1) || (index === 0 && !atStart) ? line : prefix + line,
        )
        .join("\n"),
    );
    atStart = text.endsWith("\n");
  }
}

async function containersOf(
  session: Session,
  pods: PodResource,
  name: string,
  flags: Flags,
  word: string | undefined,
): Promise<string[]> {
  const asked = flags.text("container") ?? word;
  if (asked !== undefined) return [asked];
  if (!flags.switch("all-containers")) return [await chooseContainer(session, pods, name, undefined)];
  const { spec } = await pods.get(name);
  const own = (spec?.containers ?? []).map((container) => container.name);
  return [...(spec?.initContainers ?? []).map((container) => container.name), ...own];
}

async function podsWith(session: Session, flags: Flags): Promise<string[]> {
  const labelSelector = flags.text("selector");
  if (labelSelector === undefined) throw new CliError("a pod, or a selector of pods, is needed");
  return podNames(session, labelSelector);
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
