// The transport inside one process: a request is a call of the server's handler, without sockets, bytes as they are.

import { afterThisTurn } from "../base/next-turn.ts";
import { dropBody } from "../http/drop-body.ts";
import { inProcessRequest } from "../http/in-process.ts";
import type { InProcessUpgrades } from "../http/in-process-upgrades.ts";
import {
  type BodyWriter,
  isStreamBody,
  type ReceivedRequest,
  type Response,
  type StreamBody,
} from "../http/message.ts";
import type { Handler } from "../http/pipeline.ts";
import {
  type ApiConnectRequest,
  type ApiRequest,
  type ApiResponse,
  type ApiSocket,
  type Transport,
  TransportError,
} from "./transport.ts";
import { warningTexts } from "./warning-texts.ts";

export interface InProcessTransportOptions {
  readonly handler: Handler<ReceivedRequest>;
  /** Sent with every request: credentials, the user agent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** By which the server knows the caller (see authn/in-process-users); none: as the headers say. */
  readonly connection?: object;
}

/** A stream of which so many bytes wait to be read makes its writer wait. */
const HIGH_WATER_BYTES = 256 * 1024;
/** Nobody looks it up: connections are made here. */
const HERE = new URL("http://localhost");

export class InProcessTransport implements Transport {
  readonly sharesPieces = true;
  readonly #handler: Handler<ReceivedRequest>;
  readonly #headers: Readonly<Record<string, string>>;
  /** What most requests have, without a body and with one. */
  readonly #usual: Readonly<Record<string, string>>;
  readonly #usualWithBody: Readonly<Record<string, string>>;
  readonly #connection: object;
  /** Requests under way. */
  readonly #live = new Set<Call>();
  #upgrades: InProcessUpgrades | undefined;
  #closed: TransportError | undefined;

  constructor({ handler, headers = {}, connection = {} }: InProcessTransportOptions) {
    this.#handler = handler;
    this.#headers = headers;
    this.#usual = { accept: "application/json", ...headers };
    this.#usualWithBody = { accept: "application/json", "content-type": "application/json", ...headers };
    this.#connection = connection;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const { method, path, headers, body } = request;
    const usual = body === undefined ? this.#usual : this.#usualWithBody;
    const call = this.#begin(request.signal);
    try {
      const received = inProcessRequest({
        method,
        url: path,
        headers: headers === undefined ? usual : { ...usual, ...headers },
        body,
        controller: call,
        connection: this.#connection,
      });
      request.beforeSending?.();
      const response = await call.until(() => this.#handler(received));
      if (response.body === undefined || !isStreamBody(response.body)) call.release();
      return answerOf(response, call);
    } catch (error) {
      call.release();
      throw error;
    }
  }

  async connect({ path, protocols, signal }: ApiConnectRequest): Promise<ApiSocket> {
    const call = this.#begin(signal);
    try {
      // Few need them, and everybody would wait for them at the start.
      const [{ InProcessUpgrades }, { openWebSocket }] = await Promise.all([
        import("../http/in-process-upgrades.ts"),
        import("./https/web-socket.ts"),
      ]);
      this.#upgrades ??= new InProcessUpgrades(this.#handler, this.#connection);
      const dialled = this.#upgrades.dial();
      return await openWebSocket({
        server: HERE,
        path,
        protocols,
        headers: this.#headers,
        dial: () => Promise.resolve(dialled),
        signal: call.signal,
        onClose: () => call.release(),
      });
    } catch (error) {
      call.release();
      throw call.signal.aborted ? call.signal.reason : error;
    }
  }

  async close(): Promise<void> {
    this.#closed ??= new TransportError("closed", "the transport was closed");
    for (const call of this.#live) call.end(this.#closed);
    this.#live.clear();
  }

  /** Fails when the transport is closed, or the caller has given up before it began. */
  #begin(signal: AbortSignal | undefined): Call {
    if (this.#closed !== undefined) throw this.#closed;
    signal?.throwIfAborted();
    const call = new Call(signal, () => this.#live.delete(call));
    this.#live.add(call);
    return call;
  }
}

/** One request under way: it ends early when its caller gives up, or when the transport is closed. */
class Call {
  readonly #outer: AbortSignal | undefined;
  readonly #onRelease: () => void;
  readonly #follow = (): void => this.end(this.#outer?.reason);
  #refuse: (reason: unknown) => void = () => undefined;
  #controller: AbortController | undefined;
  #ended: { readonly reason: unknown } | undefined;

  constructor(outer: AbortSignal | undefined, onRelease: () => void) {
    this.#outer = outer;
    this.#onRelease = onRelease;
    outer?.addEventListener("abort", this.#follow, { once: true });
  }

  /** What the server sees of its end. Few requests need it: made when asked for. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended.reason);
    }
    return this.#controller.signal;
  }

  /** What the work comes to; rejects at once when the call ends before. */
  until(work: () => Response | Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      Promise.resolve(work()).then((response) => {
        resolve(response);
        // The caller was told that the call has ended.
        if (this.#ended !== undefined) void dropBody(response)?.catch(() => undefined);
      }, reject);
    });
  }

  /** Tells the server, and whoever waits for it. */
  end(reason: unknown): void {
    this.abort(reason);
    this.#refuse(reason);
  }

  /** Tells the server. */
  abort(reason?: unknown): void {
    this.#ended ??= { reason };
    this.#controller?.abort(reason);
  }

  /** Nobody is listened to any more. */
  release(): void {
    this.#onRelease();
    this.#outer?.removeEventListener("abort", this.#follow);
  }
}

function answerOf({ status, headers, body }: Response, call: Call): ApiResponse {
  return {
    status,
    headers: joinedLines(headers),
    warnings: warningTexts(headers["warning"]),
    findsDeadConnection: true,
    stream: () => piecesOf(body, call),
    async bytes() {
      if (body === undefined || !isStreamBody(body)) return body ?? new Uint8Array();
      const pieces: Uint8Array[] = [];
      for await (const piece of piecesOf(body, call)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  };
}

/** One generator for all answers: what another one for each gives is slow to make, and to every reader something new. */
async function* piecesOf(body: Response["body"], call: Call): AsyncGenerator<Uint8Array, void, void> {
  if (body === undefined || !isStreamBody(body)) {
    if (body !== undefined && body.length > 0) yield body;
    return;
  }
  try {
    yield* new Pipe(body, call.signal).pieces();
  } finally {
    call.release();
    call.abort(new TransportError("lost", "the reader has gone"));
  }
}

function joinedLines(headers: Response["headers"]): Map<string, string> {
  const joined = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const value = headers[name]!;
    joined.set(name, typeof value === "string" ? value : value.join(", "));
  }
  return joined;
}

/** Between a writer that pushes and a reader that pulls. */
class Pipe implements BodyWriter {
  readonly chunkBytes = 128 * 1024;
  /** Events stay apart: each reaches all watches as the very same bytes. */
  readonly framed = true;
  readonly signal: AbortSignal;
  readonly #body: StreamBody;
  #queue: Uint8Array[] = [];
  queuedBytes = 0;
  #over = false;
  #failure: unknown;
  #wakeReader: () => void = () => undefined;
  /** Wakes the writer, where it waits. */
  #writer: (() => void) | undefined;

  constructor(body: StreamBody, signal: AbortSignal) {
    this.#body = body;
    this.signal = signal;
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    const wake = () => {
      this.#wakeReader();
      this.#writer?.();
    };
    this.signal.addEventListener("abort", wake, { once: true });
    this.#body.stream(this).then(
      () => this.#end(undefined),
      (error: unknown) => this.#end(new TransportError("lost", "the stream broke off", { cause: error })),
    );
    try {
      for (;;) {
        this.signal.throwIfAborted();
        const pieces = this.#queue;
        this.#queue = [];
        this.queuedBytes = 0;
        // Else all of a long answer would be made, piece by piece, before anybody else has a turn.
        if (this.#writer !== undefined) afterThisTurn(this.#writer);
        this.#writer = undefined;
        for (const piece of pieces) yield piece;
        if (this.#queue.length > 0) continue;
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#over) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
          if (this.#queue.length > 0 || this.#over || this.signal.aborted) resolve();
        });
      }
    } finally {
      this.signal.removeEventListener("abort", wake);
    }
  }

  write(chunk: Uint8Array): boolean {
    this.#queue.push(chunk);
    this.queuedBytes += chunk.length;
    this.#wakeReader();
    return this.queuedBytes < HIGH_WATER_BYTES;
  }

  drained(): Promise<void> {
    if (this.queuedBytes < HIGH_WATER_BYTES || this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#writer = resolve;
    });
  }

  #end(failure: unknown): void {
    this.#failure = failure;
    this.#over = true;
    this.#wakeReader();
  }
}
