// `pctl port-forward`: ports of a pod as local ones. The ports of a Service are those that it leads to.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { ForwardedPort, PodResource } from "../../client/index.ts";
import { hostPort } from "../../meta/host-port.ts";
import { CliError, type Command } from "../command.ts";
import { errorText } from "../error-text.ts";
import { splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import { podsNamed, podTimeoutFlag, readPodTimeoutMs } from "../pod-named.ts";
import { nameOf } from "../printing/object-text.ts";
import type { Session } from "../session.ts";
import { readTarget, targetPath } from "../targets.ts";

const POD_TIMEOUT_SECONDS = 60;
const LOCALHOST = "localhost";
/** How long a pod may be silent to somebody who has sent everything. */
const LAST_WORDS_MS = 60_000;

export const portForward: Command = {
  name: "port-forward",
  summary: "make ports of a pod local ones",
  arguments: "POD | TYPE/NAME [LOCAL:]REMOTE...",
  flags: [
    {
      name: "address",
      value: "address,...",
      summary: "where to listen (localhost: 127.0.0.1, and ::1 where there is one)",
    },
    podTimeoutFlag(POD_TIMEOUT_SECONDS),
  ],
  async run(session, args, flags) {
    const [word, ...texts] = args;
    if (word === undefined || texts.length === 0) throw new CliError("a pod and a port are needed: POD [LOCAL:]REMOTE");
    const [pod] = await podsNamed(session, word, readPodTimeoutMs(flags, POD_TIMEOUT_SECONDS));
    const name = nameOf(runningPod(pod!));
    const service = await serviceNamed(session, word);
    const ports = texts.map((text) => readPorts(text, service, pod!));
    const given = splitList(flags, "address");
    const addresses = given.length === 0 ? [LOCALHOST] : given;
    const client = await session.client();
    const pods = client.core.v1.pods(session.namespace);
    const forwarding = new Forwarding(session, pods, name);
    try {
      for (const pair of ports) for (const address of addresses) await forwarding.listen(address, pair);
      await forwarding.ended;
    } finally {
      forwarding.close();
    }
  },
};

/** Who asks for a pod that does not run learns it now, not with the first connection. Fails with CliError. */
function runningPod(pod: JsonObject): JsonObject {
  const phase = textAt(memberOf(pod, "status"), "phase");
  if (phase !== "Running")
    throw new CliError(`unable to forward port because pod is not running. Current status=${phase || "Unknown"}`);
  return pod;
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
  const noPorts = new CliError(`${JSON.stringify(text)} is not [LOCAL:]REMOTE`);
  if (match === null) throw noPorts;
  const [, own, word = ""] = match;
  const asked = service === undefined ? undefined : servicePort(service, word);
  const remote = asked === undefined ? podPort(pod, word) : remoteOf(service!, asked, pod);
  const local = own === undefined ? (asked === undefined ? remote : numberAt(asked, "port")) : Number(own);
  if (!(remote >= 1 && remote <= 65_535) || local > 65_535) throw noPorts;
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

/** Listens on local ports; every connection is one to the pod. */
class Forwarding {
  /** Until the user has had enough. Fails with CliError when there is no pod any more. */
  readonly ended: Promise<void>;
  readonly #session: Session;
  readonly #pods: PodResource;
  readonly #name: string;
  readonly #servers: Server[] = [];
  readonly #open = new Set<Socket>();
  #lost: (error: CliError) => void = () => undefined;

  constructor(session: Session, pods: PodResource, name: string) {
    this.#session = session;
    this.#pods = pods;
    this.#name = name;
    const { interrupted } = session.terminal;
    this.ended = new Promise((resolve, reject) => {
      this.#lost = reject;
      if (interrupted.aborted) resolve();
      interrupted.addEventListener("abort", () => resolve(), { once: true });
    });
    // It may come to an end while ports are still opened.
    this.ended.catch(() => undefined);
  }

  /** Fails with CliError. */
  async listen(address: string, ports: Ports): Promise<void> {
    if (address !== LOCALHOST) return void (await this.#listen(address, ports));
    const local = await this.#listen("127.0.0.1", ports);
    // Programs may take either for this machine; not every machine has both.
    await this.#listen("::1", { ...ports, local }).catch(() => undefined);
  }

  /** The port. */
  #listen(address: string, { local, remote }: Ports): Promise<number> {
    let bound = local;
    // Who has sent everything still waits for the answer.
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#open.add(socket.once("close", () => this.#open.delete(socket)));
      this.#session.terminal.write(`Handling connection for ${bound}\n`);
      this.#carry(remote, socket).catch((error: unknown) => {
        socket.destroy();
        this.#session.terminal.writeError(
          `error forwarding port ${remote} to pod ${this.#name}: ${errorText(error)}\n`,
        );
        if (isApiError(error, "NotFound")) this.#lost(new CliError("lost connection to pod"));
      });
    });
    return new Promise((resolve, reject) => {
      server.once("error", (error) => reject(new CliError(`unable to listen on port ${local}: ${error.message}`)));
      server.listen(local, address, () => {
        this.#servers.push(server);
        bound = (server.address() as AddressInfo).port;
        this.#session.terminal.write(`Forwarding from ${hostPort(address, bound)} -> ${remote}\n`);
        resolve(bound);
      });
    });
  }

  async #carry(port: number, socket: Socket): Promise<void> {
    socket.on("error", () => socket.destroy());
    const forwarded = await this.#pods.portForward(this.#name, port);
    socket.once("close", () => forwarded.close());
    const { clock } = this.#session;
    let lastMs = clock.monotonicMs();
    sendAll(socket, forwarded).then(
      () => {
        // The pod cannot be told that there is no more: one that has nothing to say would keep the connection for ever.
        const timer = clock.every(LAST_WORDS_MS, () => {
          if (clock.monotonicMs() - lastMs >= LAST_WORDS_MS) socket.destroy();
        });
        socket.once("close", () => timer.cancel());
      },
      () => socket.destroy(),
    );
    for await (const piece of forwarded.received()) {
      lastMs = clock.monotonicMs();
      if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
    }
    socket.end();
    // Nobody takes more.
    socket.resume();
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#open) socket.destroy();
  }
}

/** As fast as the pod takes it. */
async function sendAll(socket: Socket, forwarded: ForwardedPort): Promise<void> {
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    forwarded.send(piece as Buffer);
    await forwarded.flushed();
  }
}
