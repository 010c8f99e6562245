// HTTPS on one port, HTTP/1.1 and HTTP/2 by ALPN, with limits on headers, bodies and time, and a graceful end.

import { constants, type X509Certificate } from "node:crypto";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  constants as http2Constants,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { type Clock, systemClock } from "../base/clock.ts";
import { hasParsedNodeAuthorities } from "../base/node-authorities.ts";
import { answerBrokenRequest, answerPlainRequest, isPlainRequest, problemAnswer } from "./broken-request.ts";
import { ClientCertificates } from "./client-certificates.ts";
import { Connections } from "./connections.ts";
import { dropBody } from "./drop-body.ts";
import { keepEarlyBytes } from "./early-bytes.ts";
import { endGently, isEnded } from "./end-gently.ts";
import { Endings } from "./endings.ts";
import { GatheredMessage } from "./gathered-message.ts";
import { GoneRequests } from "./gone-requests.ts";
import type { ReceivedRequest, Response, Sending } from "./message.ts";
import { NodeRequest, type RequestSource } from "./node-request.ts";
import { answerOnSocket, isGone, writeResponse } from "./node-response.ts";
import { OpenAnswers } from "./open-answers.ts";
import type { Handler } from "./pipeline.ts";
import { RequestBursts } from "./request-bursts.ts";
import { headProblem, MAX_HEADER_LINES } from "./request-target.ts";

/** Upstream's limit on the header block. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** HTTP/2 resets a stream with more lines than this; up to it the answer says what is wrong. */
const MAX_HTTP2_HEADER_LINES = 16 * MAX_HEADER_LINES;
/** A client that takes longer for its header lines is cut off. */
const HEADERS_TIMEOUT_MS = 32_000;
/** A client that takes longer to send a whole request is cut off. */
const REQUEST_TIMEOUT_MS = 300_000;
const SWEEP_INTERVAL_MS = 1_000;
const HANDSHAKE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 180_000;
/** How long a silent connection goes unasked whether the other side still lives. */
const TCP_KEEP_ALIVE_MS = 60_000;
const MAX_CONCURRENT_STREAMS = 250;
const HTTP2_WINDOW_BYTES = 1024 * 1024;
const HTTP2_SESSION_MEMORY_MB = 100;
/** Streams that a client may take back, as watches that it ends, at once and per second: Node would cut it off at 33. */
const STREAM_RESETS = { streamResetBurst: 10_000, streamResetRate: 1_000 };
/** Connections that wait to be accepted. */
const BACKLOG = 1024;

export interface ListenerOptions {
  readonly bindAddress: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Somebody else listens on that port: connections come through `accept` only. */
  readonly isHanded?: boolean;
  readonly tls: ListenerTls;
  /** Whose certificates of clients count; none are asked for without. */
  readonly clientAuthorities?: readonly X509Certificate[];
  readonly handler: Handler<ReceivedRequest>;
  /** Failures that have no request to answer: handshakes, broken frames. */
  readonly onConnectionError?: (error: Error) => void;
  /** Told of connections that ended before they were encrypted, in addition. */
  readonly onHandshakeError?: () => void;
  readonly clock?: Clock;
}

export interface ListenerTls {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  readonly ciphers?: string;
}

export interface Listener {
  readonly port: number;
  /** Serves a connection that was accepted elsewhere, of which nothing has been read. */
  accept(socket: Socket): void;
  /** Serves new connections with other certificates. */
  setCertificates(tls: ListenerTls): void;
  /** Judges new connections by other authorities; open ones end with what they are doing. */
  setClientAuthorities(authorities: readonly X509Certificate[]): void;
  /** Accepts nothing new, lets requests in flight end within graceMs, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

type NodeServer = Http2SecureServer &
  Pick<HttpServer, "keepAliveTimeout" | "headersTimeout" | "requestTimeout" | "maxHeadersCount"> & {
    maxHeaderSize?: number;
    requireHostHeader?: boolean;
  };

export async function listen(options: ListenerOptions): Promise<Listener> {
  const { clock = systemClock } = options;
  let { tls } = options;
  const certificates = new ClientCertificates(options.clientAuthorities ?? [], clock);
  const server = createSecureServer({
    ...secureContext(tls, certificates),
    allowHTTP1: true,
    Http1IncomingMessage: GatheredMessage,
    requestCert: true,
    // Certificates that OpenSSL does not accept are answered with 401 and a reason instead of cutting the line.
    rejectUnauthorized: false,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    maxHeaderListPairs: MAX_HTTP2_HEADER_LINES,
    // Newer versions of node can be told to hand on values with blanks at their ends, which they drop in silence otherwise.
    ...{ strictFieldWhitespaceValidation: false },
    maxSessionMemory: HTTP2_SESSION_MEMORY_MB,
    // Node 20 cannot be told.
    ...STREAM_RESETS,
    settings: {
      maxConcurrentStreams: MAX_CONCURRENT_STREAMS,
      initialWindowSize: HTTP2_WINDOW_BYTES,
      maxHeaderListSize: MAX_HEADER_BYTES,
    },
  }) as NodeServer;
  if (certificates.trustedPem.length > 0) hasParsedNodeAuthorities();
  server.maxHeaderSize = MAX_HEADER_BYTES;
  // Node drops what is above its limit without a word: one line more than ours is enough to see that there are too many.
  server.maxHeadersCount = MAX_HEADER_LINES + 1;
  // Newer versions of Node would refuse such a request without a word why.
  server.requireHostHeader = false;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;

  const report = (error: Error) => options.onConnectionError?.(error);
  const connections = new Connections();
  const answers = new OpenAnswers();
  const sweeping = clock.every(SWEEP_INTERVAL_MS, () => {
    const nowMs = clock.monotonicMs();
    answers.sweep(nowMs);
    connections.endIdleSessions(nowMs - KEEP_ALIVE_TIMEOUT_MS);
  });

  certificates.watch(server);
  const watchOver = (open: Sending) => answers.add(open);
  const endings = new Endings();
  const gone = new GoneRequests(endings);
  const source: RequestSource = { gone, certificates, clock, watchOver };
  const refusalOf = (req: IncomingMessage | Http2ServerRequest): Response | undefined => {
    const problem = headProblem(req);
    return problem === undefined ? undefined : problemAnswer(problem);
  };
  const serve = (req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse): void => {
    const request = new NodeRequest(req, res, source);
    const parts = { request, answers, clock };
    const failed = (error: unknown): void => {
      report(error as Error);
      res.destroy(error as Error);
    };
    const send = (response: Response) => {
      // A connection that stays open after this answer would hold up the end.
      const isLast = gone.isStopping || connections.isRetired(request.connection);
      if (isLast && "shouldKeepAlive" in res) res.shouldKeepAlive = false;
      return writeResponse(res, response, parts);
    };
    try {
      const answer = refusalOf(req) ?? options.handler(request);
      const sent = answer instanceof Promise ? answer.then(send) : send(answer);
      if (sent !== undefined) connections.track(sent.catch(failed));
    } catch (error) {
      failed(error);
    }
  };
  const bursts = new RequestBursts();
  server.on("request", (req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse) => {
    if ("stream" in req) serve(req, res);
    else if (isEnded(req.socket)) return;
    else if (bursts.mayBegin()) serve(req, res);
    else if (!bursts.wait(req.socket, () => isGone(res) || serve(req, res))) req.socket.destroy();
  });
  // What Node makes a request of when a stream comes, it makes of those that wait when it is their turn.
  const [begin] = server.listeners("stream") as [(...stream: [ServerHttp2Stream, ...head: unknown[]]) => void];
  server.removeListener("stream", begin);
  server.on("stream", (stream: ServerHttp2Stream, ...head: unknown[]) => {
    const { session } = stream;
    if (session === undefined) return;
    if (bursts.mayBegin()) {
      begin(stream, ...head);
      return;
    }
    // Of one that is taken back meanwhile nobody else hears why.
    stream.on("error", () => undefined);
    if (!bursts.wait(session, () => stream.destroyed || begin(stream, ...head)))
      session.destroy(undefined, http2Constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
  const serveUpgrade = (req: IncomingMessage, socket: Socket, head: Buffer): void => {
    if (isEnded(socket)) return void socket.destroy();
    const upgrade = { socket, head, raw: req, watchOver };
    const request = new NodeRequest(req, socket, source, upgrade);
    const serve = async (): Promise<void> => {
      const response = refusalOf(req) ?? (await options.handler(request));
      if (response.hijacked === true) return;
      if (socket.destroyed) await dropBody(response);
      else await writeResponse(answerOnSocket(req, socket), response, { request, answers, clock });
    };
    connections.track(
      serve().catch((error: Error) => {
        report(error);
        socket.destroy();
      }),
    );
  };
  server.on("upgrade", (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (bursts.mayBegin()) serveUpgrade(req, socket, head);
    else if (!bursts.wait(socket, () => serveUpgrade(req, socket, head))) socket.destroy();
  });
  server.on("clientError", (error: Error, socket: Socket) => {
    if (keepEarlyBytes(error, socket)) return;
    report(error);
    if (!isEnded(socket) && answerBrokenRequest(error, socket)) endGently(socket, answers, clock.monotonicMs());
  });
  server.on("tlsClientError", (error: Error, tls: TLSSocket) => {
    options.onHandshakeError?.();
    report(error);
    const below = isPlainRequest(error) ? certificates.withoutHandshake(tls) : undefined;
    if (below !== undefined) answerPlainRequest(below);
  });
  server.on("sessionError", report);
  server.on("secureConnection", (socket: TLSSocket) => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    socket.on("error", report);
    // Those of HTTP/2 have their session by now, which knows how much ends with them.
    if (socket.alpnProtocol !== "h2") endings.pace(socket, () => 1);
    connections.addSocket(socket);
  });
  server.on("session", (session: ServerHttp2Session) => {
    // All streams of a connection share this window: the default would slow every large body down.
    session.setLocalWindowSize(HTTP2_WINDOW_BYTES);
    const use = connections.addSession(session, clock);
    endings.pace(session.socket, () => 1 + use.streams);
  });

  if (options.isHanded === true) {
    // Node begins to look after slow requests when a server listens.
    server.emit("listening");
  } else {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: options.bindAddress, port: options.port, backlog: BACKLOG }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  }

  return {
    port: (server.address() as AddressInfo | null)?.port ?? options.port,
    accept: (socket) => void server.emit("connection", socket),
    setCertificates(next) {
      tls = next;
      server.setSecureContext(secureContext(tls, certificates));
    },
    setClientAuthorities(authorities) {
      certificates.authorities = authorities;
      server.setSecureContext(secureContext(tls, certificates));
      connections.retire();
    },
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      gone.stop();
      await connections.drain(graceMs);
      await closed;
      sweeping.cancel();
    },
  };
}

function secureContext(tls: ListenerTls, certificates: ClientCertificates): SecureContextOptions {
  return {
    cert: tls.certificatePem,
    key: tls.keyPem,
    minVersion: tls.minVersion ?? "TLSv1.2",
    ca: certificates.trustedPem,
    // A resumed session would be believed by the verdict of its first handshake, and bring a part of the chain only.
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(tls.ciphers === undefined ? {} : { ciphers: tls.ciphers }),
  };
}
