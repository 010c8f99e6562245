// The transport of a client in a thread of its own: requests go through a port to the thread that has the server, which
// answers them as serve-port.ts says.

import type { MessagePort } from "node:worker_threads";
import { Outbox } from "./port/outbox.ts";
import { type Batch, type ClientMessage, type ServerMessage, WINDOW_BYTES } from "./port/port-messages.ts";
import {
  type ApiConnectRequest,
  type ApiRequest,
  type ApiResponse,
  type ApiSocket,
  type Transport,
  TransportError,
} from "./transport.ts";

export class PortTransport implements Transport {
  readonly #port: MessagePort;
  readonly #outbox: Outbox<ClientMessage>;
  /** Requests whose answer has not come to its end. */
  readonly #calls = new Map<number, Call>();
  #nextId = 1;
  #closed: TransportError | undefined;

  /** The port is this transport's own from now on. */
  constructor(port: MessagePort) {
    this.#port = port;
    this.#outbox = new Outbox(port);
    port.on("message", (batch: Batch<ServerMessage>) => this.#receive(batch));
    port.on("close", () => this.#end());
  }

  async request({ signal, ...request }: ApiRequest): Promise<ApiResponse> {
    if (this.#closed !== undefined) throw this.#closed;
    signal?.throwIfAborted();
    const id = this.#nextId;
    this.#nextId += 1;
    this.#outbox.add({ type: "request", id, request: withOwnBytes(request) });
    const call = new Call({
      signal,
      onTaken: (sizeBytes) => this.#outbox.add({ type: "taken", id, sizeBytes }),
      onCancel: () => {
        this.#calls.delete(id);
        this.#outbox.add({ type: "cancel", id });
      },
    });
    this.#calls.set(id, call);
    return await call.answered;
  }

  /** Nobody who works in a thread of its own reaches into containers. */
  async connect(_request: ApiConnectRequest): Promise<ApiSocket> {
    throw new TransportError("connect", "WebSockets do not go through a port between threads");
  }

  async close(): Promise<void> {
    this.#end();
    this.#port.close();
  }

  #end(): void {
    this.#closed ??= new TransportError("closed", "the transport was closed");
    for (const call of this.#calls.values()) call.end(this.#closed);
    this.#calls.clear();
  }

  #receive({ messages, bytes }: Batch<ServerMessage>): void {
    let at = 0;
    for (const message of messages) {
      const call = this.#calls.get(message.id);
      switch (message.type) {
        case "head":
          call?.answer(message);
          break;
        case "piece":
          call?.push(bytes.subarray(at, at + message.sizeBytes));
          at += message.sizeBytes;
          break;
        case "end":
          this.#calls.delete(message.id);
          call?.end();
          break;
        case "failure":
          this.#calls.delete(message.id);
          call?.end(new TransportError(message.failure, message.message));
          break;
      }
    }
  }
}

/** Of a view of bytes, everything that it is a view of would go along. */
function withOwnBytes(request: Omit<ApiRequest, "signal">): Omit<ApiRequest, "signal"> {
  return request.body instanceof Uint8Array ? { ...request, body: Uint8Array.from(request.body) } : request;
}

interface CallParts {
  readonly signal: AbortSignal | undefined;
  onTaken(sizeBytes: number): void;
  /** Its reader has gone before the end. */
  onCancel(): void;
}

/** One request, until its answer has been read. */
class Call {
  readonly answered: Promise<ApiResponse>;
  readonly #parts: CallParts;
  readonly #abort = (): void => this.#cancel(this.#parts.signal?.reason);
  #resolve: (response: ApiResponse) => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;
  #pieces: Uint8Array[] = [];
  /** Set when nothing more comes; with a reason where that is too early. */
  #over: { readonly failure: unknown } | undefined;
  #wakeReader: () => void = () => undefined;
  /** Read, and the other end has not been told. */
  #takenBytes = 0;

  constructor(parts: CallParts) {
    this.#parts = parts;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    parts.signal?.addEventListener("abort", this.#abort, { once: true });
  }

  answer({ status, headers, warnings }: ServerMessage & { readonly type: "head" }): void {
    const stream = () => this.#stream();
    const bytes = async (): Promise<Uint8Array> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of stream()) pieces.push(piece);
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    };
    this.#resolve({ status, headers, warnings, findsDeadConnection: true, bytes, stream });
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wakeReader();
  }

  /** Nothing more comes. What has come can still be read. */
  end(failure?: unknown): void {
    if (this.#over !== undefined) return;
    this.#over = { failure };
    this.#parts.signal?.removeEventListener("abort", this.#abort);
    if (failure !== undefined) this.#reject(failure);
    this.#wakeReader();
  }

  #cancel(reason: unknown): void {
    if (this.#over !== undefined) return;
    this.#pieces = [];
    this.end(reason);
    this.#parts.onCancel();
  }

  async *#stream(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const pieces = this.#pieces;
        this.#pieces = [];
        for (const piece of pieces) {
          yield piece;
          this.#took(piece.length);
        }
        if (this.#pieces.length > 0) continue;
        if (this.#over?.failure !== undefined) throw this.#over.failure;
        if (this.#over !== undefined) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
    } finally {
      this.#cancel(new TransportError("lost", "the reader has gone"));
    }
  }

  #took(sizeBytes: number): void {
    this.#takenBytes += sizeBytes;
    if (this.#over !== undefined || this.#takenBytes < WINDOW_BYTES / 2) return;
    this.#parts.onTaken(this.#takenBytes);
    this.#takenBytes = 0;
  }
}
