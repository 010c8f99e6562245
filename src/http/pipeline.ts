// Steps in reading order. Each step says in types what it needs and what it adds: a step in the wrong place does not compile.

import type { Response } from "./message.ts";

/** At once where nothing must be waited for: most reads are answered in the turn of the event loop they arrive in. */
export type Answer = Response | Promise<Response>;

/** Refuses by throwing, or by a rejection. */
export type Handler<In> = (request: In) => Answer;

/** Takes a request, may refuse it, hands on what it has made of it, may change the answer on its way back. */
export type Step<In, Out> = (request: In, next: Handler<Out>) => Answer;

export class Pipeline<Start, In> {
  readonly #wrap: (inner: Handler<In>) => Handler<Start>;

  private constructor(wrap: (inner: Handler<In>) => Handler<Start>) {
    this.#wrap = wrap;
  }

  static start<Start>(): Pipeline<Start, Start> {
    return new Pipeline((inner) => inner);
  }

  use<Out>(step: Step<In, Out>): Pipeline<Start, Out> {
    const wrap = this.#wrap;
    return new Pipeline<Start, Out>((inner) => wrap((request) => step(request, inner)));
  }

  handle(handler: Handler<In>): Handler<Start> {
    return this.#wrap(handler);
  }
}
