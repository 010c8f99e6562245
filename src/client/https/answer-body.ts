// The body of an answer: un-gzipped, read once, whole with a limit or in pieces.

import { pipeline, type Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import { TransportError } from "../transport.ts";
import type { IncomingAnswer } from "./exchange.ts";

interface BodyOptions {
  readonly maxBytes: number;
  /** Ends the reading; its reason is what readers get. */
  readonly signal: AbortSignal;
  /** The body is read in pieces from now on: it may last. */
  readonly onStream: () => void;
}

export class AnswerBody {
  readonly #answer: IncomingAnswer;
  readonly #options: BodyOptions;
  readonly #decoded: Readable;
  #read = false;

  constructor(answer: IncomingAnswer, options: BodyOptions) {
    this.#answer = answer;
    this.#options = options;
    this.#decoded = decode(answer);
    // Also failures that happen while nobody reads.
    this.#decoded.on("error", () => undefined);
  }

  async bytes(): Promise<Uint8Array> {
    this.#begin();
    const { maxBytes } = this.#options;
    const pieces: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const piece of this.#pieces()) {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) {
        throw new TransportError("too-large", `the answer is larger than ${maxBytes} bytes`);
      }
      pieces.push(piece);
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, sizeBytes);
  }

  stream(): AsyncIterable<Uint8Array> {
    this.#begin();
    this.#options.onStream();
    return this.#pieces();
  }

  /** Reads to the end without keeping anything, so that the connection can be used again. */
  discard(): void {
    this.#begin();
    this.#decoded.resume();
  }

  #begin(): void {
    if (this.#read) throw new Error("the body of an answer is read once");
    this.#read = true;
  }

  async *#pieces(): AsyncGenerator<Uint8Array> {
    const { signal } = this.#options;
    try {
      for await (const piece of this.#decoded as AsyncIterable<Buffer>) yield piece;
      signal.throwIfAborted();
      if (!this.#answer.whole()) throw new Error("it was cut off");
    } catch (error) {
      signal.throwIfAborted();
      const broken = ((error as NodeJS.ErrnoException).code ?? "").startsWith("Z_");
      throw new TransportError(
        broken ? "protocol" : "lost",
        `${broken ? "the answer's compression is broken" : LOST}: ${(error as Error).message}`,
        { cause: error },
      );
    } finally {
      // A reader that ends early gives the connection back. To reset what has ended anyway costs more than a frame: servers
      // count resets, and end connections with too many.
      if (!this.#answer.body.readableEnded) this.#answer.body.destroy();
    }
  }
}

const LOST = "the connection ended before the answer did";

function decode({ headers, body }: IncomingAnswer): Readable {
  if (headers.get("content-encoding") !== "gzip") return body;
  headers.delete("content-encoding");
  headers.delete("content-length");
  // What has come of a stream is handed on at once.
  const gunzip = createGunzip({ flush: constants.Z_SYNC_FLUSH });
  pipeline(body, gunzip, () => undefined);
  return gunzip;
}
