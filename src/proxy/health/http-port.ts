// A plain HTTP port of the proxy: small answers to questions of load balancers, monitors and metrics collectors.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

/** What is asked besides the path. */
export interface HttpQuestion {
  readonly query: URLSearchParams;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type AnswerHttp = (path: string, question: HttpQuestion) => HttpAnswer | Promise<HttpAnswer>;

export interface HttpPort {
  readonly port: number;
  close(): Promise<void>;
}

/** Who is slow, or opens more than this, is cut off: nobody here has much to say. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 1_000;

/** `address` undefined: all of the machine. Fails with the system's error when the port cannot be had. */
export function serveHttp(
  { address, port }: { readonly address?: string | undefined; readonly port: number },
  answer: AnswerHttp,
): Promise<HttpPort> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void respond(request, response, answer);
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(address === undefined ? {} : { host: address }) }, () => {
      const bound = server.address();
      resolve({
        port: typeof bound === "object" && bound !== null ? bound.port : port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

/** Splits "10.0.0.1:80", "[::1]:80" or ":80"; undefined for other texts. */
export function parseHostPort(
  text: string,
): { readonly address: string | undefined; readonly port: number } | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return undefined;
  return { address: match[1] ?? (match[2] === "" ? undefined : match[2]), port };
}

export function textAnswer(status: number, body: string): HttpAnswer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body };
}

export function jsonAnswer(status: number, value: object, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  const own = { "content-type": "application/json", "x-content-type-options": "nosniff" };
  return { status, headers: { ...own, ...headers }, body: `${JSON.stringify(value)}\n` };
}

async function respond(
  { method, url = "/" }: IncomingMessage,
  response: ServerResponse,
  answer: AnswerHttp,
): Promise<void> {
  const isRead = method === "GET" || method === "HEAD";
  const [path = "/", query = ""] = url.split("?", 2);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const question = { query: new URLSearchParams(query), signal: gone.signal };
    const { status, headers, body } = isRead ? await answer(path, question) : textAnswer(405, "Method Not Allowed\n");
    response.writeHead(status, headers);
    if (typeof body === "string") response.end(body);
    else {
      for await (const piece of body) response.write(piece);
      response.end();
    }
  } catch {
    response.destroy();
  }
}
