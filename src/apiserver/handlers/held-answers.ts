// Answers that are encoded as a whole (protobuf, YAML, CBOR, Tables of few rows) and wait for their clients. Where bytes at
// hand are sent, a client that reads nothing holds nothing; these it holds, so that all of them together are bounded.

import type { BodyWriter, StreamBody } from "../../http/message.ts";
import { StatusError } from "../../meta/status-error.ts";

/** While more than this waits for clients, further such requests are asked to come again. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** Smaller answers leave at once, into the buffers of their connections. */
const MIN_HELD_BYTES = 32 * 1024;

/** One for a process: memory is shared by all of its servers. */
export class HeldAnswers {
  #bytes = 0;

  get isAboveLimit(): boolean {
    return this.#bytes > MAX_HELD_BYTES;
  }

  /** To be asked before something is read and encoded that may be large. Fails with 429. */
  refuseAboveLimit(): void {
    if (!this.isAboveLimit) return;
    throw new StatusError(
      429,
      "TooManyRequests",
      "too many large answers wait for clients that do not read them: try again later, or ask for JSON",
      { retryAfterSeconds: 1 },
    );
  }

  /** The bytes as a body: counted from now until the client has taken them, or has gone. */
  bodyOf(bytes: Uint8Array): Uint8Array | StreamBody {
    return bytes.length < MIN_HELD_BYTES ? bytes : { stream: (writer) => this.send(bytes, writer), whole: () => bytes };
  }

  /** The same for an answer that is in pieces, none of them large. */
  bodyOfPieces(sizeBytes: number, pieces: () => Iterable<Uint8Array>): StreamBody {
    return { stream: (writer) => this.#hold(sizeBytes, () => sendPieces(pieces(), writer)) };
  }

  /** Sends a piece of a body that is made on its way. */
  send(bytes: Uint8Array, writer: BodyWriter): Promise<void> {
    return this.#hold(bytes.length, () => sendSlices(bytes, writer));
  }

  async #hold(sizeBytes: number, send: () => Promise<void>): Promise<void> {
    this.#bytes += sizeBytes;
    try {
      await send();
    } finally {
      this.#bytes -= sizeBytes;
    }
  }
}

async function sendSlices(bytes: Uint8Array, writer: BodyWriter): Promise<void> {
  for (let at = 0; at < bytes.length && !writer.signal.aborted; ) {
    const end = Math.min(bytes.length, at + writer.chunkBytes);
    if (!writer.write(bytes.subarray(at, end))) await writer.drained();
    at = end;
  }
}

async function sendPieces(pieces: Iterable<Uint8Array>, writer: BodyWriter): Promise<void> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < writer.chunkBytes) continue;
    if (!writer.write(Buffer.concat(waiting, size))) await writer.drained();
    if (writer.signal.aborted) return;
    waiting = [];
    size = 0;
  }
  if (size > 0) writer.write(Buffer.concat(waiting, size));
}
