// `pctl logs`, `exec`, `attach` and `port-forward`: what runs in pods.

import { createServer, type Socket } from "node:net";
import type { Json } from "../../base/json.ts";
import { apiVersionOf } from "../../client/discovery.ts";
import type { ContainerSession, PodResource } from "../../client/index.ts";
import { chooseContainer } from "../choose-container.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { podLabelsOf } from "../pod-labels.ts";
import { nameOf } from "../printing/object-text.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { readTarget, type Target, targetPath } from "../targets.ts";

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

export const portForward: Command = {
  name: "port-forward",
  summary: "make ports of a pod local ones",
  arguments: "POD | TYPE/NAME [LOCAL:]REMOTE...",
  flags: [{ name: "address", value: "address", summary: "where to listen (127.0.0.1)" }],
  async run(session, args, flags) {
    const [word, ...ports] = args;
    if (word === undefined || ports.length === 0) throw new CliError("a pod and a port are needed: POD [LOCAL:]REMOTE");
    const client = await session.client();
    const pods = client.core.v1.pods(session.namespace);
    const name = await podNamed(session, word);
    const address = flags.text("address") ?? "127.0.0.1";
    const closers = await Promise.all(ports.map((text) => forward(session, pods, name, address, readPorts(text))));
    const { interrupted } = session.terminal;
    await new Promise<void>((resolve) => {
      if (interrupted.aborted) resolve();
      interrupted.addEventListener("abort", () => resolve(), { once: true });
    });
    for (const close of closers) close();
  },
};

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

async function podNames(session: Session, labelSelector: string): Promise<string[]> {
  const resource = await session.resource("pods");
  const names: string[] = [];
  const options = { resource, namespace: session.namespace, labelSelector, pageSize: DEFAULT_PAGE_SIZE };
  for await (const page of listPages(session, options))
    for (const item of itemsOf(page, resource, apiVersionOf(resource))) names.push(nameOf(item));
  return names;
}

/** A pod by its name, or the first pod of a workload or a Service: `deployment/web`. */
async function podNamed(session: Session, word: string): Promise<string> {
  if (!word.includes("/")) return word;
  const target = await readTarget(session, [word]);
  if (target.resource.kind === "Pod") return target.name;
  const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
  const [name] = await podNames(session, selectorOf(object, target));
  if (name === undefined) throw new CliError(`${word} has no pods`);
  return name;
}

function selectorOf(object: Json, { resource, name }: Target): string {
  const terms = Object.entries(podLabelsOf(object));
  if (terms.length === 0) throw new CliError(`${resource.kind} ${JSON.stringify(name)} selects no pods`);
  return terms.map(([key, value]) => `${key}=${value}`).join(",");
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

interface Ports {
  readonly local: number;
  readonly remote: number;
}

function readPorts(text: string): Ports {
  const match = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(text);
  const remote = Number(match?.[2]);
  const local = match?.[1] === undefined ? remote : Number(match[1]);
  if (match === null || remote < 1 || remote > 65_535 || local > 65_535)
    throw new CliError(`${JSON.stringify(text)} is not [LOCAL:]REMOTE`);
  return { local, remote };
}

/** Listens; every connection is one to the pod. Returns what ends it. */
function forward(
  session: Session,
  pods: PodResource,
  name: string,
  address: string,
  { local, remote }: Ports,
): Promise<() => void> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    session.terminal.write(`Handling connection for ${remote}\n`);
    carry(pods, name, remote, socket).catch((error: unknown) => {
      socket.destroy();
      session.terminal.writeError(`${(error as Error).message}\n`);
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CliError(`unable to listen on port ${local}: ${error.message}`)));
    server.listen(local, address, () => {
      const bound = server.address();
      const port = typeof bound === "object" && bound !== null ? bound.port : local;
      session.terminal.write(`Forwarding from ${address}:${port} -> ${remote}\n`);
      resolve(() => {
        server.close();
        for (const socket of open) socket.destroy();
      });
    });
  });
}

async function carry(pods: PodResource, name: string, port: number, socket: Socket): Promise<void> {
  const forwarded = await pods.portForward(name, port);
  socket.on("data", (data) => forwarded.send(data));
  socket.once("close", () => forwarded.close());
  socket.on("error", () => socket.destroy());
  for await (const piece of forwarded.received()) socket.write(piece);
  socket.end();
}
