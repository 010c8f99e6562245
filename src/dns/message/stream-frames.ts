// Messages on a stream: two bytes of length before each (RFC 1035, section 4.2.2).

import { MAX_MESSAGE_BYTES } from "./message.ts";

const LENGTH_BYTES = 2;

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(LENGTH_BYTES + message.length);
  frame.writeUInt16BE(message.length, 0);
  frame.set(message, LENGTH_BYTES);
  return frame;
}

/** Puts messages together from the pieces that a stream brings. Holds one message and one piece at most. */
export class FramedMessages {
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** The messages that `piece` completes. */
  take(piece: Buffer): Buffer[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const wanted = this.#wanted();
    // Pieces of a byte each are put together once, not once for each.
    if (wanted === undefined || this.#length < wanted) return [];
    let rest = Buffer.concat(this.#pieces.splice(0));
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
    return LENGTH_BYTES + Math.min(MAX_MESSAGE_BYTES, first[0]! * 256 + (low ?? 0));
  }
}
