// Tells requests that nobody can receive their answer any more: the client has gone, or the server stops.

import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import type { Endings } from "./endings.ts";
import { isGone } from "./node-response.ts";

/** One for all: each would trace the calls that led to it, which takes as long as all else that is to be done. */
const GONE = new DOMException("This operation was aborted", "AbortError");

export class GoneRequests {
  readonly #endings: Endings;
  readonly #open = new Set<AbortController>();
  isStopping = false;

  constructor(endings: Endings) {
    this.#endings = endings;
  }

  /** Aborts when nobody can receive this answer any more. */
  controllerOf(answer: ServerResponse | Http2ServerResponse | Duplex): AbortController {
    const controller = new AbortController();
    if (this.isStopping || isGone(answer)) controller.abort(GONE);
    else {
      this.#open.add(controller);
      answer.once("close", () => this.#end(controller));
    }
    return controller;
  }

  /** The server stops. */
  stop(): void {
    this.isStopping = true;
    for (const controller of this.#open) this.#end(controller);
  }

  #end(controller: AbortController): void {
    if (this.#open.delete(controller)) this.#endings.end(() => controller.abort(GONE));
  }
}
