// Memory for the pieces of a long answer. A piece that has left lends its memory to a later one: a list of 20 MB is sent
// from a few pieces, where fresh memory for each would have the collector walk the whole heap once for every such list.

import type { BodyWriter } from "../../http/message.ts";

export class LentMemory {
  readonly #writer: BodyWriter;
  #free: Buffer[] = [];

  constructor(writer: BodyWriter) {
    this.#writer = writer;
  }

  /** A piece of at least so many bytes, with anything in it. */
  take(sizeBytes: number): Buffer {
    // The wanted size follows the number of clients that lag behind: what does not fit any more is let go.
    const buffer = this.#free.pop();
    return buffer !== undefined && buffer.length >= sizeBytes && buffer.length <= 2 * sizeBytes
      ? buffer
      : Buffer.allocUnsafeSlow(sizeBytes);
  }

  /** Sends the first bytes of a piece that was taken. The piece must not be touched afterwards. */
  write(piece: Buffer, sizeBytes: number): boolean {
    // A client that does not read must not hold room that is not filled.
    if (sizeBytes * 2 < piece.length) {
      this.#free.push(piece);
      return this.#writer.write(Buffer.from(piece.subarray(0, sizeBytes)));
    }
    return this.#writer.write(piece.subarray(0, sizeBytes), () => this.#free.push(piece));
  }
}
