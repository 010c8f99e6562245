// A plain HTTPS/1.1 load client on raw keep-alive sockets, so that the client is not the limit.

import { readFileSync } from "node:fs";
import { connect, type TLSSocket } from "node:tls";

export interface Load {
  /** This machine, unless said otherwise. */
  readonly host?: string;
  readonly port: number;
  readonly token: string;
  readonly connections: number;
  readonly durationMs: number;
  /** The request of a connection's next turn; the connection waits for it. */
  next(connection: number, turn: number): LoadRequest | Promise<LoadRequest>;
}

export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly failures: number;
  /** Of each answer. */
  readonly timesMs: readonly number[];
}

export async function load({ host, port, token, connections, durationMs, next }: Load): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port, host)));
  const endAt = Date.now() + durationMs;
  const timesMs: number[] = [];
  let failures = 0;
  const startedAt = process.hrtime.bigint();
  await Promise.all(
    sockets.map(async (socket, connection) => {
      for (let turn = 0; Date.now() < endAt; turn += 1) {
        const request = await next(connection, turn);
        const sentMs = performance.now();
        const { status } = await exchange(socket, requestOf(request, token));
        timesMs.push(performance.now() - sentMs);
        if (status >= 300) failures += 1;
      }
    }),
  );
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  for (const socket of sockets) socket.destroy();
  return { perSecond: timesMs.length / seconds, failures, timesMs };
}

export function requestText(method: string, path: string, token: string, body = ""): string {
  return requestOf({ method, path, body }, token);
}

export function requestOf(request: LoadRequest, token: string, accept = "application/json"): string {
  const { method, path, body = "", contentType = "application/json" } = request;
  return (
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: ${accept}\r\n` +
    `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

export function openSocket(port: number, host = "127.0.0.1"): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] }, () =>
      resolve(socket.setNoDelay(true)),
    );
    socket.once("error", reject);
  });
}

export interface Exchange {
  readonly status: number;
  readonly bodyBytes: number;
  /** Of the body, where it was asked for: a list says there how to go on. */
  readonly start: string;
}

const START_BYTES = 1_024;

/** Sends a request and reads the whole answer, with a length or in chunks. */
export function exchange(socket: TLSSocket, request: string, wantsStart = false): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let head = "";
    let status = 0;
    let expected = -1;
    let received = 0;
    let tail = "";
    let start = "";
    const finish = () => {
      socket.off("data", onData);
      socket.off("close", onClose);
      resolve({ status, bodyBytes: received, start });
    };
    const onClose = () => reject(new Error("the server closed the connection"));
    const onData = (chunk: Buffer) => {
      let body = chunk;
      if (status === 0) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        status = Number(head.slice(9, 12));
        expected = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? -1);
        body = Buffer.from(head.slice(end + 4), "latin1");
      }
      if (wantsStart && start.length < START_BYTES) start += body.toString("latin1", 0, START_BYTES);
      received += body.length;
      if (expected >= 0) {
        if (received >= expected) finish();
        return;
      }
      tail = (tail + body.subarray(-7).toString("latin1")).slice(-7);
      if (tail.endsWith("0\r\n\r\n")) finish();
    };
    socket.on("data", onData);
    socket.once("close", onClose);
    socket.write(request);
  });
}

/** Milliseconds of processor time that a process has used, all its threads together. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
