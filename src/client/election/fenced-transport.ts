// A transport that writes only while its owner leads.

import type { ApiConnectRequest, ApiRequest, ApiResponse, ApiSocket, Transport } from "../transport.ts";

export class LeadershipLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LeadershipLost";
  }
}

/** The time in which a process leads. */
export interface Leadership {
  /** Aborted at its end. */
  readonly signal: AbortSignal;
  /** Looks at a clock, because a process that was halted finds its timers late. */
  mayWrite(): boolean;
}

export class FencedTransport implements Transport {
  readonly sharesPieces: boolean;
  readonly #inner: Transport;
  readonly #leadership: () => Leadership | undefined;

  /** `leadership`: undefined while another process leads. */
  constructor(inner: Transport, leadership: () => Leadership | undefined) {
    this.#inner = inner;
    this.#leadership = leadership;
    this.sharesPieces = inner.sharesPieces ?? false;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    if (READS.has(request.method)) return this.#inner.request(request);
    const leadership = this.#mustLead("only the leader writes");
    const term = leadership.signal;
    return this.#inner.request({
      ...request,
      // What is under way when the term ends is not waited for, nor sent again.
      signal: request.signal === undefined ? term : AbortSignal.any([request.signal, term]),
      // It may wait for its turn or for a connection, and the process be halted meanwhile.
      beforeSending() {
        request.beforeSending?.();
        if (!leadership.mayWrite()) throw new LeadershipLost("only the leader writes");
      },
    });
  }

  async connect(request: ApiConnectRequest): Promise<ApiSocket> {
    this.#mustLead("only the leader reaches into containers");
    return this.#inner.connect(request);
  }

  /** The connections belong to the client that lives longer than the term. */
  async close(): Promise<void> {}

  #mustLead(why: string): Leadership {
    const leadership = this.#leadership();
    if (leadership?.mayWrite() !== true) throw new LeadershipLost(why);
    return leadership;
  }
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
