// Messages on a stream: two bytes of length before each (RFC 1035, section 4.2.2).

import { MAX_MESSAGE_BYTES } from "./message.ts";

const LENGTH_BYTES = 2;

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(LENGTH_BYTES + message.length);
  frame.writeUInt16BE(message.length, 0);
  frame.set(message, LENGTH_BYTES);
  return frame;
}

/** Pieces of a byte each cost more than their bytes: so many are put together. */
const MAX_PIECES = 64;

/** Puts messages together from the pieces that a stream brings. Holds one message and one piece at most. */
export class FramedMessages {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** `maxBytes` of one message. */
  constructor(maxBytes: number = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** A message is announced that is longer than any should be: nothing more comes of this stream. */
  get isTooLong(): boolean {
    return (this.#wanted() ?? 0) > LENGTH_BYTES + this.#maxBytes;
  }

  /** The messages that `piece` completes. */
  take(piece: Buffer): Buffer[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const wanted = this.#wanted();
    const isWhole = wanted !== undefined && this.#length >= wanted;
    if (!isWhole && this.#pieces.length < MAX_PIECES) return [];
    let rest = Buffer.concat(this.#pieces);
    this.#pieces = [];
    const messages: Buffer[] = [];
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readUInt16BE(0);
      if (rest.length < end) break;
      messages.push(rest.subarray(LENGTH_BYTES, end));
      rest = rest.subarray(end);
    }
    this.#length = rest.length;
    if (rest.length > 0) this.#pieces.push(rest);
    return messages;
  }

  /** How long what begins here is; undefined while that is not known. */
  #wanted(): number | undefined {
    if (this.#length < LENGTH_BYTES) return undefined;
    const [first = Buffer.alloc(0), second] = this.#pieces;
    const low = first.length > 1 ? first[1] : second?.[0];
    return LENGTH_BYTES + first[0]! * 256 + (low ?? 0);
  }
}
