// The lines of a watch: cuts pieces of a stream at newlines, and holds at most the beginning of one line.

const NEWLINE = 0x0a;

/** A single event longer than this is no event: servers refuse objects long before. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export class EventLines {
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  /** The lines that this piece, which nobody changes any more, completes, one after the other as they are asked for. Empty ones are left out. */
  *push(piece: Uint8Array): Generator<Uint8Array, void, void> {
    let start = 0;
    for (;;) {
      const end = piece.indexOf(NEWLINE, start);
      if (end < 0) break;
      const line = this.#complete(piece.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < piece.length) this.#hold(piece.subarray(start));
  }

  #complete(tail: Uint8Array): Uint8Array {
    if (this.#held.length === 0) return tail;
    const line = Buffer.concat([...this.#held, tail]);
    this.#held = [];
    this.#heldBytes = 0;
    return line;
  }

  #hold(part: Uint8Array): void {
    this.#heldBytes += part.length;
    if (this.#heldBytes > MAX_LINE_BYTES) throw new Error(`an event of a watch is longer than ${MAX_LINE_BYTES} bytes`);
    this.#held.push(part);
  }
}
