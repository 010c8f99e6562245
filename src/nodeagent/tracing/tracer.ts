// What is done within what, and how long it takes: a span for each piece of work, below the span of the work around it.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { attributesOf, type Span } from "./otlp-messages.ts";

interface SpanOptions {
  readonly kind?: "SPAN_KIND_INTERNAL" | "SPAN_KIND_CLIENT";
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Follows work. Fails with what the work fails with. */
export interface Tracer {
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>;
  /** By which another process puts its spans below this one's (W3C trace context). */
  headers(): Readonly<Record<string, string>>;
}

const NO_HEADERS = {};

export const NO_TRACER: Tracer = {
  span: (_name, _options, work) => work(),
  headers: () => NO_HEADERS,
};

/** Where work stands; undefined for work that is not followed. */
type Place = { readonly traceId: Buffer; readonly spanId: Buffer } | undefined;

interface SamplingTracerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Of so many pieces of work in a million that stand below no other. */
  readonly ratePerMillion: number;
  readonly onSpan: (span: Span) => void;
}

export class SamplingTracer implements Tracer {
  readonly #options: SamplingTracerOptions;
  readonly #places = new AsyncLocalStorage<{ readonly place: Place }>();

  constructor(options: SamplingTracerOptions) {
    this.#options = options;
  }

  async span<T>(name: string, { kind = "SPAN_KIND_INTERNAL", attributes = {} }: SpanOptions, work: () => Promise<T>) {
    const { clock, random, ratePerMillion, onSpan } = this.#options;
    const above = this.#places.getStore();
    const isFollowed = above === undefined ? random() * 1e6 < ratePerMillion : above.place !== undefined;
    if (!isFollowed) return await this.#places.run({ place: undefined }, work);
    const place = { traceId: above?.place?.traceId ?? randomBytes(16), spanId: randomBytes(8) };
    const [startMs, startedMs] = [clock.nowMs(), clock.monotonicMs()];
    const end = (error?: unknown) =>
      onSpan({
        ...place,
        ...(above?.place === undefined ? {} : { parentSpanId: above.place.spanId }),
        name,
        kind,
        startTimeUnixNano: Math.round(startMs * 1e6),
        endTimeUnixNano: Math.round((startMs + clock.monotonicMs() - startedMs) * 1e6),
        attributes: attributesOf(attributes),
        ...(error === undefined ? {} : { status: { code: "STATUS_CODE_ERROR", message: String(error) } }),
      });
    try {
      const result = await this.#places.run({ place }, work);
      end();
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  headers(): Readonly<Record<string, string>> {
    const place = this.#places.getStore()?.place;
    if (place === undefined) return NO_HEADERS;
    return { traceparent: `00-${place.traceId.toString("hex")}-${place.spanId.toString("hex")}-01` };
  }
}
