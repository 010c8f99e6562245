// A transport that sends no more requests a second than it may, and some at once after a quiet time: who is paced cannot
// take the server from others.

import type { Clock } from "../base/clock.ts";
import type { ApiConnectRequest, ApiRequest, ApiResponse, ApiSocket, Transport } from "./transport.ts";

interface Pace {
  readonly clock: Clock;
  /** Not above 0: as many as one likes. */
  readonly perSecond: number;
  readonly burst: number;
  /** Told of every request, how long it had to wait. */
  readonly onWait?: (seconds: number, method: string) => void;
}

export class PacedTransport implements Transport {
  readonly #inner: Transport;
  readonly #pace: Pace;
  /** When the last request that was let through would have been sent at an even pace. */
  #evenMs = Number.NEGATIVE_INFINITY;

  constructor(inner: Transport, pace: Pace) {
    this.#inner = inner;
    this.#pace = pace;
  }

  get sharesPieces(): boolean {
    return this.#inner.sharesPieces ?? false;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const { clock, onWait } = this.#pace;
    const askedMs = clock.monotonicMs();
    await this.#turn(request.signal);
    onWait?.((clock.monotonicMs() - askedMs) / 1000, request.method);
    return await this.#inner.request(request);
  }

  async connect(request: ApiConnectRequest): Promise<ApiSocket> {
    await this.#turn(request.signal);
    return await this.#inner.connect(request);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const { clock, perSecond, burst } = this.#pace;
    if (perSecond <= 0) return;
    const everyMs = 1_000 / perSecond;
    const nowMs = clock.monotonicMs();
    this.#evenMs = Math.max(this.#evenMs + everyMs, nowMs);
    const waitMs = this.#evenMs - Math.max(burst - 1, 0) * everyMs - nowMs;
    if (waitMs > 0) await clock.sleep(waitMs, signal);
  }
}
