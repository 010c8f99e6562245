// A transport that answers as a test says, request by request.

import { type ApiRequest, type ApiResponse, type ApiSocket, type Transport, TransportError } from "./transport.ts";

/** A body that the test writes piece by piece. */
export class ScriptedBody {
  #pieces: Uint8Array[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => undefined;

  write(text: string): this {
    this.#pieces.push(Buffer.from(text));
    this.#wake();
    return this;
  }

  event(type: string, object: object): this {
    return this.write(`${JSON.stringify({ type, object })}\n`);
  }

  end(error?: unknown): this {
    this.#end = error === undefined ? {} : { error };
    this.#wake();
    return this;
  }

  async *read(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, void> {
    const onAbort = () => this.#wake();
    signal?.addEventListener("abort", onAbort);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const piece = this.#pieces.shift();
        if (piece !== undefined) yield piece;
        else if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error;
          return;
        } else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

export type ScriptedAnswer = ScriptedBody | { readonly status?: number; readonly json: unknown } | Error;

export class ScriptedTransport implements Transport {
  readonly requests: ApiRequest[] = [];
  readonly #answers: ScriptedAnswer[];

  constructor(answers: readonly ScriptedAnswer[]) {
    this.#answers = [...answers];
  }

  /** Path and query of a request, decoded for readers. */
  asked(index: number): { path: string; query: Record<string, string> } {
    const url = new URL(this.requests[index]!.path, "https://server");
    return { path: url.pathname, query: Object.fromEntries(url.searchParams) };
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    this.requests.push(request);
    const answer = this.#answers.shift() ?? new TransportError("connect", "the script is at its end");
    if (answer instanceof Error) throw answer;
    const body = answer instanceof ScriptedBody ? answer : new ScriptedBody().write(JSON.stringify(answer.json)).end();
    const stream = () => body.read(request.signal);
    return {
      status: answer instanceof ScriptedBody ? 200 : (answer.status ?? 200),
      headers: new Map(),
      warnings: [],
      stream,
      async bytes() {
        const pieces: Uint8Array[] = [];
        for await (const piece of stream()) pieces.push(piece);
        return Buffer.concat(pieces);
      },
    };
  }

  connect(): Promise<ApiSocket> {
    return Promise.reject(new TransportError("protocol", "no sockets here"));
  }

  async close(): Promise<void> {}
}

export function failure(code: number, reason: string, details: object = {}): { status: number; json: object } {
  const json = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: reason,
    reason,
    code,
    details,
  };
  return { status: code, json };
}
