// A transport that writes only while its owner leads.

import type { ApiConnectRequest, ApiRequest, ApiResponse, ApiSocket, Transport } from "../transport.ts";

export class LeadershipLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LeadershipLost";
  }
}

export class FencedTransport implements Transport {
  readonly sharesPieces: boolean;
  readonly #inner: Transport;
  readonly #mayWrite: () => boolean;
  readonly #term: AbortSignal;

  /** `mayWrite` looks at a clock, because a process that was halted finds its timers late. */
  constructor(inner: Transport, mayWrite: () => boolean, term: AbortSignal) {
    this.#inner = inner;
    this.#mayWrite = mayWrite;
    this.#term = term;
    this.sharesPieces = inner.sharesPieces ?? false;
  }

  request(request: ApiRequest): Promise<ApiResponse> {
    if (READS.has(request.method)) return this.#inner.request(request);
    if (!this.#mayWrite()) return Promise.reject(new LeadershipLost("only the leader writes, and this was one once"));
    // What is under way when the term ends is not waited for, nor sent again.
    const signal = request.signal === undefined ? this.#term : AbortSignal.any([request.signal, this.#term]);
    return this.#inner.request({ ...request, signal });
  }

  connect(request: ApiConnectRequest): Promise<ApiSocket> {
    if (!this.#mayWrite()) return Promise.reject(new LeadershipLost("only the leader reaches into containers"));
    return this.#inner.connect(request);
  }

  /** The connections belong to the client that lives longer than the term. */
  async close(): Promise<void> {}
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
