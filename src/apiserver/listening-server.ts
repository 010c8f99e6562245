// The API server behind a port.

import type { Socket } from "node:net";
import { type ListenerTls, listen } from "../http/listener.ts";
import { type ApiServer, type ApiServerDeps, buildApiServer } from "./server.ts";

const DRAIN_MS = 10_000;

interface ListenOptions {
  readonly bindAddress: string;
  readonly port: number;
  readonly tls: ListenerTls;
  /** Somebody else listens on that port and hands the connections over. */
  readonly isHanded?: boolean;
  /** What must be done before /readyz answers 200, once the port is known. */
  readonly beforeReady?: (port: number) => Promise<void>;
}

export interface RunningServer extends ApiServer {
  readonly port: number;
  readonly url: string;
  /** Serves new connections with other certificates. */
  setCertificates(tls: ListenerTls): void;
  /** Serves a connection that was accepted elsewhere. */
  accept(socket: Socket): void;
}

/** Builds, listens, and resolves when the server is ready. */
export async function startApiServer(deps: ApiServerDeps, options: ListenOptions): Promise<RunningServer> {
  const server = buildApiServer(deps);
  const waiting = { name: "poststarthook/start", endpoints: ["readyz"], check: () => "not finished" } as const;
  const handshakeErrors = deps.metrics
    ?.counter({
      name: "apiserver_tls_handshake_errors_total",
      help: "Connections that ended before they were encrypted.",
      stability: "ALPHA",
    })
    .with();
  const finish = server.health.add(waiting);
  const listener = await listen({
    ...options,
    clientAuthorities: server.clientAuthorities.certificates,
    handler: server.handler,
    onHandshakeError: () => handshakeErrors?.inc(),
    onConnectionError: (error) => deps.log.debug({ err: error }, "a connection failed"),
  });
  server.clientAuthorities.onChange = () => listener.setClientAuthorities(server.clientAuthorities.certificates);
  await server.start(listener.port);
  await options.beforeReady?.(listener.port);
  finish();
  const host = options.bindAddress.includes(":") ? `[${options.bindAddress}]` : options.bindAddress;
  return {
    ...server,
    port: listener.port,
    url: `https://${host}:${listener.port}`,
    setCertificates: (tls) => listener.setCertificates(tls),
    accept: (socket) => listener.accept(socket),
    async close() {
      await listener.close(DRAIN_MS);
      await server.close();
    },
  };
}
