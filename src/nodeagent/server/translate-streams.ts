// Standard input that ends, for runtimes whose WebSockets cannot say so: the caller speaks channels over a WebSocket with
// the agent, and the agent speaks SPDY with the runtime, where every channel is a stream that can be closed by itself.

import type { Duplex } from "node:stream";
import type { ReceivedRequest, Response } from "../../http/message.ts";
import type { ServedWebSocket } from "../../http/served-websocket.ts";
import { askToUpgrade, type Far, refusal } from "../../http/tunnel.ts";
import { endUnreadWithClient } from "../../http/unread-socket.ts";
import { acceptWebSocket } from "../../http/websocket.ts";
import { RUNTIME_PROTOCOLS } from "../../meta/names.ts";
import { SpdyConnection } from "./spdy-connection.ts";

export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The channels of a WebSocket, and what the runtime calls them. */
const CHANNELS = ["stdin", "stdout", "stderr", "error", "resize"] as const;
const STDIN = 0;
/** Closes the channel whose number follows. */
const CLOSE = 255;
const HIGH_WATER_BYTES = 256 * 1024;
const NORMAL = 1000;

interface Translation {
  readonly far: Far;
  readonly streams: WantedStreams;
  /** What the caller calls the protocol that it speaks. */
  readonly protocol: string;
}

/** Fails with what the network says. A refusal of the runtime is an answer. */
export async function translateStreams(request: ReceivedRequest, options: Translation): Promise<Response> {
  const { far, streams, protocol } = options;
  const version = { "x-stream-protocol-version": RUNTIME_PROTOCOLS.oldChannel };
  const answer = await askToUpgrade(request, {
    ...far,
    method: "POST",
    upgrade: "SPDY/3.1",
    headers: { ...far.headers, ...version },
  });
  if (answer.socket === undefined) return await refusal(answer.head);
  const { socket, first } = answer;
  const answered = acceptWebSocket(request, protocol, (caller) => new Session(caller, socket, first).start(streams));
  if (answered.hijacked !== true) socket.destroy();
  else endUnreadWithClient(request.upgrade!.socket);
  return answered;
}

class Session {
  readonly #caller: ServedWebSocket;
  readonly #runtime: SpdyConnection;
  /** The stream of each channel, and the channel of each stream. */
  readonly #streams = new Map<number, number>();
  readonly #channels = new Map<number, number>();
  /** Streams on which the runtime still has something to say. */
  readonly #open = new Set<number>();
  /** Of the message that the caller is sending. */
  #channel: number | undefined;
  /** The caller is held back until the runtime has caught up. */
  #isWaiting = false;

  constructor(caller: ServedWebSocket, socket: Duplex, first: Buffer) {
    this.#caller = caller;
    this.#runtime = new SpdyConnection(socket, first, {
      data: (stream, bytes) => this.#output(stream, bytes),
      end: (stream) => this.#ended(stream),
      close: () => caller.close(NORMAL),
    });
    caller.onPiece((piece, begins) => this.#received(piece, begins));
    caller.closed.addEventListener("abort", () => this.#runtime.close(), { once: true });
  }

  /** Has the runtime take all streams; what the caller says waits for that. */
  start(streams: WantedStreams): void {
    const isWanted = { ...streams, error: true, resize: streams.tty };
    this.#caller.pause();
    const taken = CHANNELS.flatMap((name, channel) => (isWanted[name] ? [this.#openChannel(channel, name)] : []));
    Promise.all(taken).then(
      () => this.#caller.resume(),
      () => this.#caller.terminate(),
    );
  }

  #openChannel(channel: number, name: (typeof CHANNELS)[number]): Promise<void> {
    const { stream, taken } = this.#runtime.open({ streamtype: name });
    this.#streams.set(channel, stream);
    this.#channels.set(stream, channel);
    if (name !== "stdin" && name !== "resize") this.#open.add(stream);
    return taken;
  }

  #output(stream: number, bytes: Buffer): boolean {
    const channel = this.#channels.get(stream);
    if (channel === undefined) return true;
    this.#caller.send(Buffer.concat([Uint8Array.of(channel), bytes]), { binary: true }, () => {
      if (this.#hasRoom()) this.#runtime.resume();
    });
    return this.#hasRoom();
  }

  /** The last stream that ends is the end of it all: how it went is among them. */
  #ended(stream: number): void {
    this.#open.delete(stream);
    if (this.#open.size === 0) this.#caller.close(NORMAL);
  }

  #hasRoom(): boolean {
    return this.#caller.queuedBytes < HIGH_WATER_BYTES;
  }

  /** The first byte of a message is its channel. */
  #received(piece: Buffer, begins: boolean): void {
    if (begins) this.#channel = piece[0];
    this.#input(begins ? piece.subarray(1) : piece);
  }

  #input(bytes: Buffer): void {
    if (this.#channel === undefined || bytes.length === 0) return;
    if (this.#channel === CLOSE) {
      this.#channel = undefined;
      if (bytes[0] === STDIN) this.#endInput();
      return;
    }
    const stream = this.#streams.get(this.#channel);
    if (stream === undefined || this.#runtime.write(stream, bytes) || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#caller.pause();
    this.#runtime.drained(() => {
      this.#isWaiting = false;
      this.#caller.resume();
    });
  }

  #endInput(): void {
    const stream = this.#streams.get(STDIN);
    this.#streams.delete(STDIN);
    if (stream !== undefined) this.#runtime.end(stream);
  }
}
