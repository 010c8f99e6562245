// Tells requests that nobody can receive their answer any more: the client has gone. And those that are meant to last that the
// server stops: all others come to their end.

import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import type { Endings } from "./endings.ts";
import { isGone } from "./node-response.ts";

/** One for all: each would trace the calls that led to it, which takes as long as all else that is to be done. */
const GONE = new DOMException("This operation was aborted", "AbortError");

export class GoneRequests {
  readonly #endings: Endings;
  /** With whether each is meant to last, as far as that is known. */
  readonly #open = new Map<AbortController, () => boolean>();
  isStopping = false;

  constructor(endings: Endings) {
    this.#endings = endings;
  }

  /** Aborts when nobody can receive this answer any more, or the server stops and the request would last. */
  controllerOf(answer: ServerResponse | Http2ServerResponse | Duplex, lasts: () => boolean): AbortController {
    const controller = new AbortController();
    if (isGone(answer) || (this.isStopping && lasts())) controller.abort(GONE);
    else {
      this.#open.set(controller, lasts);
      answer.once("close", () => this.#end(controller));
    }
    return controller;
  }

  /** The server stops. */
  stop(): void {
    this.isStopping = true;
    for (const [controller, lasts] of this.#open) if (lasts()) this.#end(controller);
  }

  #end(controller: AbortController): void {
    if (this.#open.delete(controller)) this.#endings.end(() => controller.abort(GONE));
  }
}
