// A request of HTTP/1.1 whose body is gathered as it arrives. Bodies are read whole or not at all: the life of a stream,
// which Node leads through half a dozen events and ticks for every request, with a body or without, would be for nobody.

import { IncomingMessage } from "node:http";

/** Who waits for a body, piece by piece. */
export interface BodyReader {
  chunk(chunk: Buffer): void;
  end(): void;
  /** The rest will not come. */
  fail(why: string): void;
}

/** So much may arrive before somebody reads; then the connection waits. */
const MAX_EARLY_BYTES = 64 * 1024;

/** Node's parser hands it what it reads with `push`, null at the end. */
export class GatheredMessage extends IncomingMessage {
  #early: Buffer[] | undefined;
  #earlyBytes = 0;
  #isWhole = false;
  #reader: BodyReader | undefined;

  /** Hands over what has come and what will. */
  readWith(reader: BodyReader): void {
    this.#reader = reader;
    for (const chunk of this.#early ?? []) reader.chunk(chunk);
    this.#early = undefined;
    if (this.#isWhole) reader.end();
    else if (this.destroyed) reader.fail("the client went away");
    // The connection may have been told to wait.
    else this._read(0);
  }

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#isWhole = true;
      // By this Node knows that nothing is left to be taken off the connection.
      this._read(0);
      this.#reader?.end();
      return false;
    }
    if (this.#reader !== undefined) {
      this.#reader.chunk(chunk);
      return true;
    }
    this.#early ??= [];
    this.#early.push(chunk);
    this.#earlyBytes += chunk.length;
    return this.#earlyBytes < MAX_EARLY_BYTES;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isWhole) this.#reader?.fail(error?.message ?? "the client went away");
    super._destroy(error, done);
  }

  static {
    // By this Node knows that it need not keep the request, and that its client has not gone in the middle of it.
    const readableEnded = {
      get(this: GatheredMessage): boolean {
        return this.#isWhole;
      },
    };
    Object.defineProperty(GatheredMessage.prototype, "readableEnded", readableEnded);
  }
}
