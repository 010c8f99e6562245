// A listener on a free loopback port with a certificate of its own, and clients of both protocols, for tests.

import { type ClientHttp2Session, connect } from "node:http2";
import https from "node:https";
import tls from "node:tls";
import { type Listener, type ListenerOptions, listen } from "./listener.ts";
import type { ReceivedRequest, Response } from "./message.ts";
import { issueCertificate, type KeyedCertificate } from "./pki/issue-certificate.ts";

const HOUR_MS = 3_600_000;

export interface TestListener extends Listener {
  readonly certificate: KeyedCertificate;
  readonly errors: Error[];
}

let shared: Promise<KeyedCertificate> | undefined;

/** Self-signed and good for an hour; made once for all tests. */
export function testCertificate(): Promise<KeyedCertificate> {
  const nowMs = Date.now();
  shared ??= issueCertificate({
    use: "server",
    subject: { commonName: "test" },
    names: ["localhost", "127.0.0.1"],
    notBeforeMs: nowMs - HOUR_MS,
    notAfterMs: nowMs + HOUR_MS,
  });
  return shared;
}

export async function startListener(
  handler: (request: ReceivedRequest) => Response | Promise<Response>,
  more: Partial<Omit<ListenerOptions, "handler">> = {},
): Promise<TestListener> {
  const certificate = await testCertificate();
  const errors: Error[] = [];
  const listener = await listen({
    bindAddress: "127.0.0.1",
    port: 0,
    tls: certificate,
    handler: async (request) => handler(request),
    onConnectionError: (error) => errors.push(error),
    ...more,
  });
  return { ...listener, certificate, errors };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export type Ask = (
  path: string,
  options?: { method?: string; body?: Uint8Array; headers?: Record<string, string | string[]> },
) => Promise<Answer>;

/** Requests over HTTP/1.1, each on a connection of its own unless an agent is given. */
export function http1(port: number, agent?: https.Agent): Ask {
  return (path, { method = "GET", body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const request = https.request({
        port,
        host: "127.0.0.1",
        path,
        method,
        headers,
        rejectUnauthorized: false,
        ...(agent ? { agent } : {}),
      });
      request.on("error", reject);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      request.end(body);
    });
}

/** Requests over one HTTP/2 connection. */
export function http2(session: ClientHttp2Session): Ask {
  return (path, { method = "GET", body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const stream = session.request(
        { ...headers, ":path": path, ":method": method },
        { endStream: body === undefined },
      );
      let answer: Omit<Answer, "text"> = { status: 0, headers: {} };
      const chunks: Buffer[] = [];
      stream.on("response", (head) => {
        answer = { status: head[":status"] ?? 0, headers: head as Answer["headers"] };
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("close", () => {
        if (stream.aborted || answer.status === 0) reject(new Error("the answer was cut off"));
        else resolve({ ...answer, text: Buffer.concat(chunks).toString() });
      });
      if (body !== undefined) stream.end(body);
    });
}

export function connectHttp2(port: number): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
    maxSendHeaderBlockLength: 1024 * 1024,
  });
  session.on("error", () => undefined);
  return session;
}

/** Sends raw bytes as HTTP/1.1 and gives back everything that comes until the server closes. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect(
      { port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] },
      () => socket.write(text),
    );
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}
