// A transport that counts what it sends and how long the answers take, under the names that monitors of upstream's
// components ask for (rest_client_*).

import type { Clock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";
import type { ApiConnectRequest, ApiRequest, ApiResponse, ApiSocket, Transport } from "./transport.ts";

interface MeasuredTransportOptions {
  readonly metrics: ClientMetrics;
  readonly clock: Clock;
  /** Of the server, with its port. */
  readonly host: string;
}

export type ClientMetrics = ReturnType<typeof clientMetrics>;

/** Each name once a process, however many transports it has. */
export function clientMetrics(metrics: Metrics) {
  const stability = "ALPHA";
  const labels = ["host", "verb"];
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    metrics.histogram({ name: `rest_client_${name}`, help, labels, buckets, stability });
  return {
    requests: metrics.counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host.",
      labels: ["code", "host", "method"],
      stability,
    }),
    seconds: histogram(
      "request_duration_seconds",
      "Request latency in seconds. Broken down by verb, and host.",
      SECONDS,
    ),
    paceSeconds: histogram(
      "rate_limiter_duration_seconds",
      "Client side rate limiter latency in seconds. Broken down by verb, and host.",
      SECONDS,
    ),
    sentBytes: histogram("request_size_bytes", "Request size in bytes. Broken down by verb and host.", BYTES),
    receivedBytes: histogram("response_size_bytes", "Response size in bytes. Broken down by verb and host.", BYTES),
  };
}

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const BYTES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];
const NO_ANSWER = "<error>";

export class MeasuredTransport implements Transport {
  readonly #inner: Transport;
  readonly #options: MeasuredTransportOptions;

  constructor(inner: Transport, options: MeasuredTransportOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get sharesPieces(): boolean {
    return this.#inner.sharesPieces ?? false;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const { metrics, clock, host } = this.#options;
    const { method, body } = request;
    if (body !== undefined) metrics.sentBytes.with(host, method).observe(Buffer.byteLength(body));
    const startedMs = clock.monotonicMs();
    try {
      const response = await this.#inner.request(request);
      metrics.requests.with(String(response.status), host, method).inc();
      return this.#measured(response, method);
    } catch (error) {
      metrics.requests.with(NO_ANSWER, host, method).inc();
      throw error;
    } finally {
      metrics.seconds.with(host, method).observe((clock.monotonicMs() - startedMs) / 1000);
    }
  }

  async connect(request: ApiConnectRequest): Promise<ApiSocket> {
    return await this.#inner.connect(request);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** What comes in pieces has no size until it ends, and is not counted. */
  #measured(response: ApiResponse, method: string): ApiResponse {
    const { metrics, host } = this.#options;
    const { status, headers, warnings, attempts, findsDeadConnection } = response;
    return {
      ...{ status, headers, warnings },
      ...(attempts === undefined ? {} : { attempts }),
      ...(findsDeadConnection === undefined ? {} : { findsDeadConnection }),
      bytes: async () => {
        const bytes = await response.bytes();
        metrics.receivedBytes.with(host, method).observe(bytes.byteLength);
        return bytes;
      },
      stream: () => response.stream(),
    };
  }
}
