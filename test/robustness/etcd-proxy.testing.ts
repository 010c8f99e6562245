// A TCP proxy before an etcd server that loses requests or answers on command.

import { createServer, type Server, Socket } from "node:net";

export interface FaultProxy {
  readonly endpoint: string;
  /** From now on requests do not reach the server. The promise resolves with the first that was lost. */
  swallowRequests(): Promise<void>;
  /** From now on answers do not reach the client. */
  swallowAnswers(): void;
  /** Breaks every connection and lets all through again on new ones. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let losesRequests = false;
  let lostOne: () => void = () => undefined;
  let losesAnswers = false;
  const server = createServer((client) => {
    const upstream = new Socket();
    upstream.connect(Number(port), hostname);
    client.on("data", (chunk) => {
      if (losesRequests) lostOne();
      else upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!losesAnswers) client.write(chunk);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await listen(server);
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    swallowRequests: () => {
      losesRequests = true;
      return new Promise((resolve) => {
        lostOne = resolve;
      });
    },
    swallowAnswers: () => {
      losesAnswers = true;
    },
    cut: () => {
      losesRequests = false;
      losesAnswers = false;
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve());
  });
}
