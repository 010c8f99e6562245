// A request and an answer as values, the same for HTTP/1.1, HTTP/2 and the in-process transport. No API meaning.

import type { X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";

export interface HeaderList {
  /** The first value of a header; names are lower case. */
  first(name: string): string | undefined;
  /** Every value of a header, in order, one per header line. */
  all(name: string): readonly string[];
  /** Names (lower case) with a prefix, each once. */
  namesWithPrefix(prefix: string): readonly string[];
}

/** A client's certificate and what OpenSSL thinks of it. */
export interface ShownCertificate {
  /** The leaf first, then what came with it. */
  readonly chain: readonly X509Certificate[];
  /** OpenSSL's code for why it does not accept it; undefined when it does, by one of `authorities`. */
  readonly problem: string | undefined;
  readonly authorities: readonly X509Certificate[];
}

export interface ReceivedRequest {
  readonly method: string;
  /** The request target as sent: path and query. */
  readonly url: string;
  /** The path, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: HeaderList;
  readonly remoteAddress: string;
  /** The same object for every request of one connection: a key for what is learned once per connection. */
  readonly connection: object;
  /** Undefined when the client showed none. */
  readonly clientCertificate: ShownCertificate | undefined;
  /** Aborts when the client goes away, and what is meant to last when the server stops. */
  readonly signal: AbortSignal;
  readonly receivedAtMs: number;
  /**
   * When its answer must have left, on the monotonic clock of the listener: what has not is cut off. Infinite for what is
   * meant to last; then the client must only go on reading.
   */
  deadlineMs: number;
  /** Nobody waits any more for what is still done for this request: aborts the signal. */
  cancel(): void;
  /** By `cancel`, or because the client has gone. */
  readonly cancelled: boolean;
  /** The whole body. Fails with BodyTooLarge above the limit. */
  readBody(limitBytes: number): Promise<Uint8Array>;
  /** The raw connection of an upgrade request (WebSocket); undefined otherwise. */
  readonly upgrade?: Upgrade | undefined;
}

/** A connection that a handler may take over. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What came behind the request already. */
  readonly head: Uint8Array;
  readonly raw: unknown;
  /** Has somebody look after what is sent on the connection: a client that does not read is cut off. */
  watchOver?(answer: Sending): () => void;
}

/** Something on its way to a client. */
export interface Sending {
  readonly queuedBytes: number;
  /** Bytes handed over so far, or any other number that grows with them. */
  readonly progress: number;
  /** On the monotonic clock; see ReceivedRequest. */
  readonly deadlineMs: number;
  cut(): void;
}

export interface Response {
  readonly status: number;
  /** Names in lower case. A list sends one header line per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | StreamBody;
  /** A newline follows the bytes of the body, which are not copied for it. */
  readonly endsLine?: boolean;
  /** The connection was taken over (WebSocket): nothing is written. */
  readonly hijacked?: boolean;
}

/** A body that is written piece by piece, as fast as the client reads. */
export interface StreamBody {
  /** Writes until done. A rejection ends the response abruptly. */
  stream(writer: BodyWriter): Promise<void>;
  /** All of it in one buffer, not compressed, where that is known beforehand and not too large. */
  whole?(): Uint8Array | undefined;
}

export interface BodyWriter {
  /**
   * Queues a chunk. False when the client lags behind: wait for drained() before the next one. `onTaken` is told when
   * nobody looks at the memory of the chunk any more; where a reader keeps it, or has gone, that is never.
   */
  write(chunk: Uint8Array, onTaken?: () => void): boolean;
  /** Resolves when queued bytes have been handed over, or the client has gone. */
  drained(): Promise<void>;
  /** To be called when making the next chunk begins after a wait for something else, where somebody measures that. */
  goOn?(): void;
  /** Every chunk reaches the client as a message of its own: pieces must not be joined. */
  readonly framed?: boolean;
  /** Told how many messages the next chunk holds, where somebody counts them. */
  readonly onMessages?: (count: number) => void;
  /** Bytes queued and not yet taken by the connection. */
  readonly queuedBytes: number;
  /** A good size for the next chunk: less when many clients lag behind, never 0. */
  readonly chunkBytes: number;
  /** That of the request. */
  readonly signal: AbortSignal;
}

export function isStreamBody(body: Uint8Array | StreamBody): body is StreamBody {
  return "stream" in body;
}

/** The body exceeds the limit of the reader. */
export class BodyTooLarge extends Error {
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`limit is ${limitBytes}`);
    this.name = "BodyTooLarge";
    this.limitBytes = limitBytes;
  }
}

/** The client stopped in the middle of its body. */
export class BodyAborted extends Error {}
