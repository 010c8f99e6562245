// HTTPS on one port, HTTP/1.1 and HTTP/2 by ALPN, with limits on headers, bodies and time, and a graceful end.

import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { ReceivedRequest } from "./message.ts";
import { readNodeRequest } from "./node-request.ts";
import { writeResponse } from "./node-response.ts";
import type { Handler } from "./pipeline.ts";

/** Upstream's limit on the header block. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** A client that takes longer for its header lines is cut off. */
const HEADERS_TIMEOUT_MS = 32_000;
const KEEP_ALIVE_TIMEOUT_MS = 180_000;
const MAX_CONCURRENT_STREAMS = 250;
const HTTP2_WINDOW_BYTES = 1024 * 1024;

export interface ListenerOptions {
  readonly bindAddress: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly tls: ListenerTls;
  readonly handler: Handler<ReceivedRequest>;
  /** Failures that have no request to answer: handshakes, broken frames. */
  readonly onConnectionError?: (error: Error) => void;
}

export interface ListenerTls {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** The authorities whose names are sent to clients in the certificate request; verification is the authenticator's. */
  readonly clientCaPem?: string;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  readonly ciphers?: string;
}

export interface Listener {
  readonly port: number;
  /** Serves new connections with other certificates. */
  setCertificates(tls: ListenerTls): void;
  /** Accepts nothing new, lets requests in flight end within graceMs, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

type NodeServer = Http2SecureServer & Pick<HttpServer, "keepAliveTimeout" | "headersTimeout" | "requestTimeout">;

export async function listen(options: ListenerOptions): Promise<Listener> {
  const server = createSecureServer({
    ...secureContext(options.tls),
    allowHTTP1: true,
    requestCert: true,
    // Unknown certificates are judged by the authenticator, which answers 401 with a reason instead of cutting the line.
    rejectUnauthorized: false,
    maxHeaderListPairs: 1_000,
    maxSessionMemory: 100,
    settings: {
      maxConcurrentStreams: MAX_CONCURRENT_STREAMS,
      initialWindowSize: HTTP2_WINDOW_BYTES,
      maxHeaderListSize: MAX_HEADER_BYTES,
    },
    maxHeaderSize: MAX_HEADER_BYTES,
  } as Parameters<typeof createSecureServer>[0]) as NodeServer;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  // Watches last longer than any limit on a whole request; bodies are bounded where they are read.
  server.requestTimeout = 0;

  const stopping = new AbortController();
  const sockets = new Set<Socket>();
  let inFlight = 0;
  let idle: (() => void) | undefined;

  const serve = async (
    request: ReceivedRequest,
    end: (response: Awaited<ReturnType<typeof options.handler>>) => Promise<void>,
  ) => {
    inFlight += 1;
    try {
      await end(await options.handler(request));
    } finally {
      inFlight -= 1;
      if (inFlight === 0) idle?.();
    }
  };

  server.on("request", (req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse) => {
    const request = readNodeRequest(req, res, stopping.signal);
    serve(request, (response) => writeResponse(req.method === "HEAD", res, response, request)).catch((error: Error) => {
      options.onConnectionError?.(error);
      res.destroy(error);
    });
  });
  server.on("upgrade", (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const request = readNodeRequest(req, socket, stopping.signal, { socket, head, raw: req });
    serve(request, async (response) => {
      if (response.hijacked) return;
      refuseUpgrade(socket, response.status);
    }).catch((error: Error) => {
      options.onConnectionError?.(error);
      socket.destroy();
    });
  });
  server.on("clientError", (error: Error, socket: Duplex) => {
    options.onConnectionError?.(error);
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  server.on("tlsClientError", (error: Error) => options.onConnectionError?.(error));
  server.on("sessionError", (error: Error) => options.onConnectionError?.(error));
  server.on("secureConnection", (socket: TLSSocket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", (error) => options.onConnectionError?.(error));
    socket.once("close", () => sockets.delete(socket));
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.bindAddress, port: options.port, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve();
    });
  });

  return {
    port: (server.address() as AddressInfo).port,
    setCertificates: (tls) => server.setSecureContext(secureContext(tls)),
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      stopping.abort();
      if (inFlight > 0) {
        await Promise.race([
          new Promise<void>((resolve) => {
            idle = resolve;
          }),
          new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref()),
        ]);
      }
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function secureContext(tls: ListenerTls): SecureContextOptions {
  return {
    cert: tls.certificatePem,
    key: tls.keyPem,
    minVersion: tls.minVersion ?? "TLSv1.2",
    // Without a list Node would load the system's authorities, which takes longer than everything else here.
    ca: tls.clientCaPem ?? [],
    ...(tls.ciphers === undefined ? {} : { ciphers: tls.ciphers }),
  };
}

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Upgrade refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
