// What leaves by a port: all messages of one turn together, and their bytes in one buffer, which is handed over. A message of
// its own for each would cost more than what it says.

import type { MessagePort } from "node:worker_threads";
import { afterThisTurn } from "../../base/next-turn.ts";
import type { Batch } from "./port-messages.ts";

export class Outbox<Message> {
  readonly #port: MessagePort;
  #messages: Message[] = [];
  #pieces: Uint8Array[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** The bytes are copied before they leave: others may hold them too. */
  add(message: Message, piece?: Uint8Array): void {
    if (this.#messages.length === 0) afterThisTurn(() => this.#post());
    this.#messages.push(message);
    if (piece !== undefined) this.#pieces.push(piece);
  }

  #post(): void {
    const bytes = joined(this.#pieces);
    const batch: Batch<Message> = { messages: this.#messages, bytes };
    this.#messages = [];
    this.#pieces = [];
    this.#port.postMessage(batch, [bytes.buffer]);
  }
}

/** In a buffer that nobody else has a part of. */
function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
