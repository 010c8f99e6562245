// The tracing that the configuration asks for (`tracing`): none unless it says how much of the work is to be followed.

import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { RELEASE } from "../../meta/version.ts";
import { SpanExporter } from "./span-exporter.ts";
import { NO_TRACER, SamplingTracer, type Tracer } from "./tracer.ts";

/** Where collectors listen on a machine, unless they are told otherwise. */
const COLLECTOR = "localhost:4317";

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left. */
  stop(): Promise<void>;
}

interface TracingOptions {
  readonly settings: { readonly endpoint?: string | undefined; readonly samplingRatePerMillion?: number | undefined };
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly nodeName: string;
}

export function startTracing({ settings, clock, random, log, nodeName }: TracingOptions): Tracing {
  const { endpoint = COLLECTOR, samplingRatePerMillion: ratePerMillion = 0 } = settings;
  if (ratePerMillion === 0) return { tracer: NO_TRACER, stop: async () => undefined };
  const exporter = new SpanExporter({
    endpoint,
    clock,
    resource: { "service.name": "kubelet", "service.instance.id": randomUUID(), "host.name": nodeName },
    version: RELEASE,
    onError: (error) => log.warn({ err: error, endpoint }, "spans were lost: the collector does not take them"),
  });
  const tracer = new SamplingTracer({ clock, random, ratePerMillion, onSpan: (span) => exporter.add(span) });
  return { tracer, stop: () => exporter.close() };
}
