// Steps in reading order. Each step says in types what it needs and what it adds: a step in the wrong place does not compile.

import type { Response } from "./message.ts";

export type Handler<In> = (request: In) => Promise<Response>;

/** Takes a request, may refuse it, hands on what it has made of it, may change the answer on its way back. */
export type Step<In, Out> = (request: In, next: Handler<Out>) => Promise<Response>;

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
