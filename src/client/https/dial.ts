// Opens one connection to a server: TCP or a tunnel through a proxy, then TLS, with the protocol that both sides prefer.

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import type { Clock } from "../../base/clock.ts";
import { callErrorText } from "../call-error.ts";
import { hostTrust, type TlsServer, tlsOptions } from "../tls-target.ts";
import { TransportError } from "../transport.ts";
import { connectBySocks5 } from "./socks5.ts";

export type Protocol = "h2" | "http/1.1";

export interface DialOptions {
  readonly target: TlsServer;
  /** Without it there is no TLS. */
  readonly secureContext?: SecureContext;
  readonly proxy?: URL;
  /** Offered to the server, the preferred one first. */
  readonly protocols: readonly Protocol[];
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Dialed {
  readonly socket: Socket;
  readonly protocol: Protocol;
}

/** The system looks after silent connections from then on: dead ones are noticed about ten seconds later. */
const KEEP_ALIVE_DELAY_MS = 15_000;
const SOCKS_PORT = 1080;

/** Fails with TransportError("connect"), or with the signal's reason. */
export async function dial(options: DialOptions): Promise<Dialed> {
  const { target, secureContext, proxy, timeoutMs, clock } = options;
  const where = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  const deadline = clock.timeoutSignal(timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  try {
    const socket = await reach(target, proxy, where, signal);
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    if (secureContext === undefined) return { socket, protocol: "http/1.1" };
    const offered = { ...tlsOptions(target, secureContext), ALPNProtocols: [...options.protocols] };
    const secured = await once(connectTls({ ...offered, socket }), "secureConnect", signal);
    return { socket: secured, protocol: secured.alpnProtocol === "h2" ? "h2" : "http/1.1" };
  } catch (error) {
    options.signal.throwIfAborted();
    const why = deadline.aborted ? `no connection within ${timeoutMs / 1000} seconds` : callErrorText(error as Error);
    const through = proxy === undefined ? "" : ` through the proxy ${proxy.host}`;
    throw new TransportError("connect", `${where}${through}: ${why}`, { cause: error });
  }
}

async function reach(target: TlsServer, proxy: URL | undefined, where: string, signal: AbortSignal): Promise<Socket> {
  if (proxy === undefined) return directly(target, signal);
  if (!proxy.protocol.startsWith("socks5")) return tunnel(proxy, where, signal);
  const socket = await directly({ host: bareHost(proxy), port: Number(proxy.port || SOCKS_PORT) }, signal);
  try {
    await connectBySocks5(socket, proxy, target, signal);
    return socket;
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    throw error;
  }
}

function directly({ host, port }: Pick<TlsServer, "host" | "port">, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host, port });
  return once(socket, "connect", signal);
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

function once<T extends Socket>(socket: T, event: "connect" | "secureConnect", signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      settle();
      socket.on("error", () => undefined).destroy();
      reject(error);
    };
    const onClose = (): void => fail(new Error("the connection was closed"));
    const onAbort = (): void => fail(signal.reason);
    const onReady = (): void => {
      settle();
      resolve(socket);
    };
    const settle = (): void => {
      socket.off("error", fail).off("close", onClose).off(event, onReady);
      signal.removeEventListener("abort", onAbort);
    };
    socket.on("error", fail).on("close", onClose).on(event, onReady);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
  });
}

async function tunnel(proxy: URL, where: string, signal: AbortSignal): Promise<Socket> {
  const { protocol, username, password, port } = proxy;
  const secured = protocol === "https:";
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = {
    host: where,
    ...(username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(secret).toString("base64")}` }),
  };
  // By its own name: the header says whom it is asked for.
  const trust = secured && {
    secureContext: await hostTrust(),
    servername: isIP(bareHost(proxy)) === 0 ? bareHost(proxy) : "",
  };
  return new Promise((resolve, reject) => {
    const asked = (secured ? httpsRequest : httpRequest)({
      method: "CONNECT",
      host: bareHost(proxy),
      port: port || (secured ? 443 : 80),
      path: where,
      headers,
      agent: false,
      signal,
      ...trust,
    });
    asked.on("connect", (answer, socket: Socket) => {
      if (answer.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy refused: ${answer.statusCode} ${answer.statusMessage ?? ""}`.trimEnd()));
    });
    // A proxy that takes CONNECT for an ordinary request answers like this.
    asked.on("response", (answer) => {
      answer.destroy();
      reject(new Error(`the proxy refused: ${answer.statusCode}`));
    });
    asked.on("error", reject);
    asked.end();
  });
}
