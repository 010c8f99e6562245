// `pctl port-forward`: ports of a pod as local ones.

import { createServer, type Socket } from "node:net";
import type { PodResource } from "../../client/index.ts";
import { CliError, type Command } from "../command.ts";
import { podNamed } from "../pod-named.ts";
import type { Session } from "../session.ts";

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
