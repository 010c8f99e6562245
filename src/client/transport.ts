// How a client reaches a server: one request and its answer as values, the same over a socket and inside one process.
// Everything above (typed resources, informers, the command line) knows only this.

import type { Duplex, Readable } from "node:stream";

/** One request. Credentials, impersonation and the user agent are the transport's own: they never stand here. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  /** Absolute, with its query: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Accept is JSON when not given, and so is Content-Type where there is a body. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body?: Uint8Array | string | undefined;
  /** Ends the request at any time, its stream included. What waits then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Until the head of the answer; a stream may last longer. */
  readonly timeoutMs?: number | undefined;
  /** Asked just before every sending, after all waiting: throws when it must not be sent any more. */
  readonly beforeSending?: (() => void) | undefined;
  /** May be sent again after a lost connection; when not given: true for GET and HEAD only. */
  readonly idempotent?: boolean | undefined;
}

/** The head of an answer. Its body is read once, whole or in pieces; one that is not read holds its connection. */
export interface ApiResponse {
  readonly status: number;
  /** Lower case; repeated ones joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  /** The texts of Warning: 299 headers. */
  readonly warnings: readonly string[];
  /** How often the request was sent until this answer came; once when not given. */
  readonly attempts?: number | undefined;
  /** Whether the loss of its connection is found below within 30 seconds, so that nobody above need mistrust its silence. */
  readonly findsDeadConnection?: boolean | undefined;
  /** The whole body, already un-gzipped, bounded by the transport's maxBodyBytes: fails with TransportError above it. */
  bytes(): Promise<Uint8Array>;
  /** Pieces as they come, already un-gzipped. Ending early releases the connection. Fails with TransportError. */
  stream(): AsyncIterable<Uint8Array>;
}

export interface Transport {
  /** Whether watches that see the same event get it as the very same piece, alone: then it need be read only once. */
  readonly sharesPieces?: boolean | undefined;
  /** Any status is an answer. Fails with TransportError, or with the reason of the request's signal. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** WebSocket upgrade for exec, attach, port-forward. Fails with ApiError when the server refuses, else TransportError. */
  connect(request: ApiConnectRequest): Promise<ApiSocket>;
  /** Ends what is under way and lets go of every connection. */
  close(): Promise<void>;
}

export interface ApiConnectRequest {
  readonly path: string;
  /** In the order of preference. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** A request for another protocol on its connection, passed on for somebody else. */
export interface UpgradeRequest {
  readonly method: string;
  /** Absolute, with its query. */
  readonly path: string;
  /** With Connection and Upgrade; without credentials and host, which are the transport's own. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly signal?: AbortSignal;
}

/** The answer, and the connection behind it: of one that refuses, what follows is its body. */
export interface UpgradeAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turns, as they came. */
  readonly rawHeaders: readonly string[];
  readonly stream: Duplex | Readable;
  readonly upgraded: boolean;
}

export interface ApiSocket {
  /** The one that the server chose. */
  readonly protocol: string;
  send(data: Uint8Array): void;
  /** When everything that was sent so far has left this process, or never will: who sends much waits for it. */
  flushed(): Promise<void>;
  /** Until the server closes. Fails with TransportError when the connection is lost instead. */
  messages(): AsyncIterable<Uint8Array>;
  close(code?: number): void;
}

/** Why there was no answer, or not all of it. */
export type TransportFailure =
  /** No connection: unknown host, refused, a certificate that is not trusted, a proxy that refuses. */
  | "connect"
  /** The connection ended before the answer did. */
  | "lost"
  /** No head of an answer in time. */
  | "timeout"
  /** The answer is longer than this client reads. */
  | "too-large"
  /** The answer is not HTTP, or its compression is broken. */
  | "protocol"
  /** Credentials could not be had: a token file, a credential plug-in. */
  | "credentials"
  /** More requests are waiting than this client keeps. */
  | "busy"
  /** The transport was closed. */
  | "closed";

export class TransportError extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TransportError";
    this.failure = failure;
  }
}
