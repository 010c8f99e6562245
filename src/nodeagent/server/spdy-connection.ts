// SPDY/3.1 as container runtimes serve streams with it: the calling end, and of the protocol what such streams need.
// Every frame begins with eight bytes:
//
//   80 03 00 01 | flags | length (3)     control: version 3, type 1 (SYN_STREAM)
//   00 00 00 05 | 01    | 00 00 00       data of stream 5: flag 1 ends the stream, no bytes
//
// Windows are not kept: no runtime does, and a connection that is not read holds its sender back by itself.

import type { Duplex } from "node:stream";
import { constants, deflateRawSync } from "node:zlib";

interface SpdyEvents {
  /** Returns false when no more shall be read before `resume`. */
  readonly data: (stream: number, bytes: Buffer) => boolean;
  /** The other side sends nothing more on it. */
  readonly end: (stream: number) => void;
  /** No frame comes any more. */
  readonly close: () => void;
}

interface OpenStream {
  readonly stream: number;
  /** Fails when the other side refuses it, or has gone. */
  readonly taken: Promise<void>;
}

const HEAD_BYTES = 8;
const CONTROL = 0x8003;
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const FIN = 1;
/** Control frames are small; one that is not ends the connection. */
const MAX_CONTROL_BYTES = 64 * 1024;
const MAX_DATA_BYTES = 0xff_ffff;
/** What a stream of the format zlib begins with. */
const ZLIB_HEAD = Buffer.from([0x78, 0x9c]);

export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #events: SpdyEvents;
  readonly #opening = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  #lastStream = -1;
  #isClosed = false;
  /** Bytes of a frame that is not whole yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** The data frame of which some bytes are still to come. */
  #frame: { readonly stream: number; readonly isLast: boolean; leftBytes: number } | undefined;

  /** `first` came together with the answer that made the connection one. */
  constructor(socket: Duplex, first: Buffer, events: SpdyEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#closed());
    this.#read(first);
  }

  /** What is sent before the other side has taken the stream is dropped there. */
  open(headers: Readonly<Record<string, string>>): OpenStream {
    const stream = this.#lastStream + 2;
    const head = Buffer.alloc(10);
    head.writeUInt32BE(stream, 0);
    const taken = new Promise<void>((resolve, reject) => this.#opening.set(stream, { resolve, reject }));
    this.#control(SYN_STREAM, Buffer.concat([head, this.#headerBlock(headers)]));
    this.#lastStream = stream;
    if (this.#isClosed) this.#closed();
    return { stream, taken };
  }

  /** False when the other side is slower than that: `drained` tells when it has caught up. */
  write(stream: number, bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; at += MAX_DATA_BYTES)
      this.#data(stream, 0, bytes.subarray(at, at + MAX_DATA_BYTES));
    return !this.#socket.writableNeedDrain;
  }

  drained(then: () => void): void {
    this.#socket.once("drain", then);
  }

  /** Nothing more is sent on the stream. */
  end(stream: number): void {
    this.#data(stream, FIN, new Uint8Array(0));
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #closed(): void {
    for (const { reject } of this.#opening.values()) reject(new Error("the connection has ended"));
    this.#opening.clear();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events.close();
  }

  /**
   * Blocks of a connection are one compressed text. Each of these refers to nothing before it, not to the dictionary of the
   * protocol either: shorter frames are not worth the memory of a compressor.
   */
  #headerBlock(headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(entries.length);
    const words = entries.flat().map((word) => {
      const text = Buffer.from(word, "latin1");
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      return Buffer.concat([length, text]);
    });
    const block = deflateRawSync(Buffer.concat([count, ...words]), { finishFlush: constants.Z_SYNC_FLUSH });
    return this.#lastStream < 0 ? Buffer.concat([ZLIB_HEAD, block]) : block;
  }

  #control(type: number, body: Buffer): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt16BE(CONTROL, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt32BE(body.length, 4);
    this.#socket.write(Buffer.concat([head, body]));
  }

  #data(stream: number, flags: number, bytes: Uint8Array): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(stream, 0);
    head.writeUInt32BE(flags * 2 ** 24 + bytes.length, 4);
    this.#socket.write(Buffer.concat([head, bytes]));
  }

  #read(bytes: Buffer): void {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (rest.length > 0) {
      const taken = this.#frame === undefined ? this.#takeHead(rest) : this.#takeData(rest);
      if (taken === 0) break;
      rest = rest.subarray(taken);
    }
    this.#rest = rest;
  }

  /** How many bytes it has taken: none while a head, or a control frame, is not whole. */
  #takeHead(bytes: Buffer): number {
    if (bytes.length < HEAD_BYTES) return 0;
    const flags = bytes.readUInt8(4);
    const length = bytes.readUIntBE(5, 3);
    const stream = bytes.readUInt32BE(0);
    if (stream < 2 ** 31) {
      this.#frame = { stream, isLast: (flags & FIN) !== 0, leftBytes: length };
      this.#endFrame();
      return HEAD_BYTES;
    }
    if (length > MAX_CONTROL_BYTES) {
      this.#socket.destroy();
      return 0;
    }
    if (bytes.length < HEAD_BYTES + length) return 0;
    this.#takeControl(bytes.readUInt16BE(2), flags, bytes.subarray(HEAD_BYTES, HEAD_BYTES + length));
    return HEAD_BYTES + length;
  }

  #takeData(bytes: Buffer): number {
    const frame = this.#frame!;
    const part = bytes.subarray(0, frame.leftBytes);
    frame.leftBytes -= part.length;
    if (!this.#events.data(frame.stream, part)) this.#socket.pause();
    this.#endFrame();
    return part.length;
  }

  #endFrame(): void {
    if (this.#frame?.leftBytes !== 0) return;
    const { stream, isLast } = this.#frame;
    this.#frame = undefined;
    if (isLast) this.#events.end(stream);
  }

  /** What is not known is passed over: settings, windows, the announcement of the end. */
  #takeControl(type: number, flags: number, body: Buffer): void {
    // Answers must not pile up for one who does not read them.
    if (type === PING && !this.#socket.writableNeedDrain) this.#control(PING, body);
    if ((type !== SYN_REPLY && type !== RST_STREAM) || body.length < 4) return;
    const stream = body.readUInt32BE(0) & 0x7fff_ffff;
    const opening = this.#opening.get(stream);
    this.#opening.delete(stream);
    if (type === SYN_REPLY) opening?.resolve();
    else opening?.reject(new Error("the stream was refused"));
    if (type === RST_STREAM || (flags & FIN) !== 0) this.#events.end(stream);
  }
}
