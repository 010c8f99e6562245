// The server's end of a WebSocket, RFC 6455: what the client sends is handed on as it arrives, and what it is sent waits for it.

import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import { pingAnswerer } from "./answer-pings.ts";
import { FrameReader, NO_STATUS, OPCODE } from "./frame-reader.ts";
import type { ReceivedRequest } from "./message.ts";

/** Bytes of a message from the client; `begins` with the first of them. */
type PieceReader = (bytes: Buffer, begins: boolean) => void;

/** What both ends put behind the client's key. */
const HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const VERSION = "13";
/** How long the client may take to close the connection once that was said. */
const CLOSE_TIMEOUT_MS = 30_000;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const FIN = 0x80;

/** Why a request cannot become a WebSocket; undefined when it can. */
export function handshakeProblem({ method, headers }: ReceivedRequest): string | undefined {
  if (method !== "GET") return "the method is not GET";
  if (!/^[A-Za-z0-9+/]{22}==$/.test(headers.first("sec-websocket-key") ?? "")) return "Sec-WebSocket-Key is no key";
  if (headers.first("sec-websocket-version") !== VERSION) return `Sec-WebSocket-Version is not ${VERSION}`;
  const protocols = headers.all("sec-websocket-protocol").join(",");
  return /^[\w!#$%&'*+.^`|~, \t-]*$/.test(protocols)
    ? undefined
    : "Sec-WebSocket-Protocol has other characters than names";
}

export class ServedWebSocket {
  readonly #socket: Duplex;
  readonly #closed = new AbortController();
  #onPiece: PieceReader = () => undefined;
  #isClosing = false;

  /** Takes over the connection of a request without `handshakeProblem`. `protocol`: what both ends are to speak. */
  constructor(request: ReceivedRequest, protocol: string | undefined) {
    const { socket, head } = request.upgrade!;
    this.#socket = socket;
    socket.write(switchingHead(request.headers.first("sec-websocket-key")!, protocol), "latin1");
    const reader = new FrameReader({
      piece: (bytes, begins) => this.#isClosing || this.#onPiece(bytes, begins),
      ping: pingAnswerer((ping, sent) => this.#send(OPCODE.pong, ping, sent)),
      close: (code) => this.close(code),
    });
    if (head.length > 0) socket.unshift(head);
    socket.on("data", (bytes: Buffer) => reader.read(bytes));
    socket.on("end", () => socket.end());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#closed.abort());
  }

  /** Aborts when nothing more can be sent or received. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Bytes that the connection has not taken yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  /** Without it, messages are read and forgotten. */
  onPiece(reader: PieceReader): void {
    this.#onPiece = reader;
  }

  /** A message; `sent` is told when the connection has taken it, or will not any more. */
  send(message: string | Uint8Array, { binary }: { readonly binary: boolean }, sent: () => void): void {
    this.#send(
      binary ? OPCODE.binary : OPCODE.text,
      typeof message === "string" ? Buffer.from(message) : message,
      sent,
    );
  }

  /** Holds the client back. */
  pause(): void {
    if (!this.#isClosing) this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /**
   * Says so after what was sent before, and ends this side of the connection: a client that only waits for its end need
   * not answer. All of it ends when the client has said so too, or after a time.
   */
  close(code: number): void {
    if (this.#isClosing) return;
    const payload = Buffer.alloc(code === NO_STATUS ? 0 : 2);
    if (payload.length > 0) payload.writeUInt16BE(code);
    this.#send(OPCODE.close, payload, () => undefined);
    this.#isClosing = true;
    this.#socket.end();
    const timer = setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS);
    this.#socket.once("close", () => clearTimeout(timer));
    // What the client says is still to be read, be it its end.
    this.#socket.resume();
  }

  /** `error`: told to those who listen for the failures of connections. */
  terminate(error?: Error): void {
    this.#socket.destroy(error);
  }

  #send(opcode: number, payload: Uint8Array, sent: () => void): void {
    if (this.#isClosing || this.#socket.writableEnded || this.#socket.destroyed) {
      sent();
      return;
    }
    this.#socket.cork();
    this.#socket.write(frameHead(opcode, payload.length));
    this.#socket.write(payload, () => sent());
    this.#socket.uncork();
  }
}

function switchingHead(key: string, protocol: string | undefined): string {
  const accept = createHash("sha1").update(`${key}${HANDSHAKE_GUID}`).digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function frameHead(opcode: number, length: number): Buffer {
  if (length < TWO_BYTES) return Buffer.of(FIN | opcode, length);
  const isShort = length < 2 ** 16;
  const head = Buffer.alloc(isShort ? 4 : 10);
  head[0] = FIN | opcode;
  head[1] = isShort ? TWO_BYTES : EIGHT_BYTES;
  if (isShort) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
