// Spans on their way to a collector: in batches, and never in the way of the agent. What a collector that is silent or slow
// has no room for is lost.

import type { Clock, Timer } from "../../base/clock.ts";
import { GrpcChannel } from "../grpc/channel.ts";
import { attributesOf, exportSpans, type Span } from "./otlp-messages.ts";

const EXPORT_MS = 5_000;
const TIMEOUT_MS = 10_000;
const MAX_WAITING_SPANS = 2_048;
const MAX_BATCH_SPANS = 512;

interface SpanExporterOptions {
  /** As gRPC names places: `localhost:4317`, `unix:/run/collector.sock`. */
  readonly endpoint: string;
  readonly clock: Clock;
  /** Of the process that the spans are of. */
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #channel: GrpcChannel;
  readonly #timer: Timer;
  #waiting: Span[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: SpanExporterOptions) {
    const { endpoint, clock } = options;
    this.#options = options;
    this.#channel = new GrpcChannel({ address: endpoint, timeoutMs: TIMEOUT_MS, clock });
    this.#timer = clock.every(EXPORT_MS, () => void this.#flush());
  }

  add(span: Span): void {
    if (this.#waiting.length >= MAX_WAITING_SPANS) return;
    this.#waiting.push(span);
    if (this.#waiting.length >= MAX_BATCH_SPANS) void this.#flush();
  }

  /** What waits is sent once more. */
  async close(): Promise<void> {
    this.#timer.cancel();
    await this.#flush();
    this.#channel.close();
  }

  #flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #send(): Promise<void> {
    const { resource, version, onError } = this.#options;
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, MAX_BATCH_SPANS);
      const scopeSpans = [{ scope: { name: "plinth/nodeagent", version }, spans }];
      const batch = { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] };
      try {
        await this.#channel.call(exportSpans, batch);
      } catch (error) {
        onError(error);
        return;
      }
    }
  }
}
