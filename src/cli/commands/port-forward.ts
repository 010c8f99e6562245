// `pctl port-forward`: ports of a pod as local ones. The ports of a Service are those that it leads to.

import { createServer, type Socket } from "node:net";
import type { JsonObject } from "../../base/json.ts";
import type { PodResource } from "../../client/index.ts";
import { CliError, type Command } from "../command.ts";
import { splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import { podNamed } from "../pod-named.ts";
import type { Session } from "../session.ts";
import { readTarget, targetPath } from "../targets.ts";

export const portForward: Command = {
  name: "port-forward",
  summary: "make ports of a pod local ones",
  arguments: "POD | TYPE/NAME [LOCAL:]REMOTE...",
  flags: [{ name: "address", value: "address,...", summary: "where to listen (127.0.0.1)" }],
  async run(session, args, flags) {
    const [word, ...texts] = args;
    if (word === undefined || texts.length === 0) throw new CliError("a pod and a port are needed: POD [LOCAL:]REMOTE");
    const name = await podNamed(session, word);
    const pod = await readRunning(session, name);
    const service = await serviceNamed(session, word);
    const ports = texts.map((text) => readPorts(text, service, pod));
    const given = splitList(flags, "address").map((address) => (address === "localhost" ? "127.0.0.1" : address));
    const addresses = given.length === 0 ? ["127.0.0.1"] : given;
    const client = await session.client();
    const pods = client.core.v1.pods(session.namespace);
    const closers: (() => void)[] = [];
    try {
      for (const pair of ports)
        for (const address of addresses) closers.push(await forward(session, pods, name, address, pair));
      await untilInterrupted(session.terminal.interrupted);
    } finally {
      for (const close of closers) close();
    }
  },
};

/** Who asks for a pod that is not there learns it now, not with the first connection. Fails with ApiError or CliError. */
async function readRunning(session: Session, name: string): Promise<JsonObject> {
  const target = await readTarget(session, ["pods", name]);
  const pod = await session.sendForJson({ method: "GET", path: targetPath(target) });
  const phase = textAt(memberOf(pod, "status"), "phase");
  if (phase !== "Running")
    throw new CliError(`unable to forward port because pod is not running. Current status=${phase || "Unknown"}`);
  return pod as JsonObject;
}

/** Undefined when something else is named. */
async function serviceNamed(session: Session, word: string): Promise<JsonObject | undefined> {
  if (!word.includes("/")) return undefined;
  const target = await readTarget(session, [word]);
  if (target.resource.kind !== "Service") return undefined;
  return (await session.sendForJson({ method: "GET", path: targetPath(target) })) as JsonObject;
}

interface Ports {
  readonly local: number;
  /** Of the pod. */
  readonly remote: number;
}

/** Ports are numbers, or names that the Service or the pod gives them. Fails with CliError. */
function readPorts(text: string, service: JsonObject | undefined, pod: JsonObject): Ports {
  const match = /^(?:(\d{0,5}):)?([a-z0-9-]{1,15})$/.exec(text);
  const word = match?.[2] ?? "";
  const asked = service === undefined ? undefined : servicePort(service, word);
  const remote = asked === undefined ? podPort(pod, word) : remoteOf(service!, asked, pod);
  const local = match?.[1] === undefined ? (asked === undefined ? remote : numberAt(asked, "port")) : Number(match[1]);
  if (match === null || !(remote >= 1 && remote <= 65_535) || local > 65_535)
    throw new CliError(`${JSON.stringify(text)} is not [LOCAL:]REMOTE`);
  return { local, remote };
}

function servicePort(service: JsonObject, word: string): JsonObject {
  const ports = itemsAt(memberOf(service, "spec"), "ports");
  const found = ports.find((port) => String(numberAt(port, "port")) === word || textAt(port, "name") === word);
  if (found === undefined)
    throw new CliError(
      `Service ${JSON.stringify(textAt(memberOf(service, "metadata"), "name"))} does not have a service port ${word}`,
    );
  return found;
}

/** Without an address of its own a Service leads nowhere: its port is the pod's. */
function remoteOf(service: JsonObject, port: JsonObject, pod: JsonObject): number {
  if (textAt(memberOf(service, "spec"), "clusterIP") === "None") return numberAt(port, "port");
  const target = port["targetPort"] ?? numberAt(port, "port");
  return podPort(pod, String(target));
}

function podPort(pod: JsonObject, word: string): number {
  if (/^\d+$/.test(word)) return Number(word);
  const ports = itemsAt(memberOf(pod, "spec"), "containers").flatMap((container) => itemsAt(container, "ports"));
  const found = ports.find((port) => textAt(port, "name") === word);
  if (found === undefined) throw new CliError(`no container of the pod has a port ${JSON.stringify(word)}`);
  return numberAt(found, "containerPort");
}

function untilInterrupted(interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) resolve();
    interrupted.addEventListener("abort", () => resolve(), { once: true });
  });
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
  let bound = local;
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    session.terminal.write(`Handling connection for ${bound}\n`);
    carry(pods, name, remote, socket).catch((error: unknown) => {
      socket.destroy();
      session.terminal.writeError(`${(error as Error).message}\n`);
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CliError(`unable to listen on port ${local}: ${error.message}`)));
    server.listen(local, address, () => {
      const own = server.address();
      if (typeof own === "object" && own !== null) bound = own.port;
      const shown = address.includes(":") ? `[${address}]` : address;
      session.terminal.write(`Forwarding from ${shown}:${bound} -> ${remote}\n`);
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
