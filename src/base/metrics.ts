// Metrics in the Prometheus text format. Observing costs a few map look-ups; what is observed often keeps its series.
// Requirements: document 1, "Versioning" (lifetime of metrics).

import { Counter, Gauge, Histogram, type Metric, type MetricSpec } from "./metrics/metric.ts";
import { nextTurn } from "./next-turn.ts";

export type { Counter, CounterSeries, Gauge, GaugeSeries, Histogram, HistogramSeries } from "./metrics/metric.ts";

/** What can be asked for at /metrics. */
export interface Exposition {
  /** Piece by piece. */
  expose(): AsyncIterable<string>;
}

interface MetricsOptions {
  /** The release this server is, as "1.34": decides which deprecated metrics are hidden. */
  readonly release: string;
  /** Show hidden metrics all the same: --show-hidden-metrics-for-version was given. */
  readonly showHidden?: boolean;
}

/** A deprecated metric is hidden from this many releases on. */
const HIDDEN_AFTER_RELEASES = 3;
/** The size of a piece of the exposition; between two pieces other work gets its turn. */
const PIECE_CHARS = 64 * 1024;

export class Metrics implements Exposition {
  readonly #metrics = new Map<string, Metric>();
  readonly #options: MetricsOptions;
  readonly #included: Exposition[] = [];

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  counter(spec: MetricSpec): Counter {
    return this.#add(new Counter(spec));
  }

  gauge(spec: MetricSpec): Gauge {
    return this.#add(new Gauge(spec));
  }

  /** `buckets`: upper bounds, rising, without infinity. */
  histogram(spec: MetricSpec & { readonly buckets: readonly number[] }): Histogram {
    return this.#add(new Histogram(spec));
  }

  /** Shows also what another part of the process measures itself, behind everything else. Its names are others than these. */
  include(exposition: Exposition): void {
    this.#included.push(exposition);
  }

  /** Measures also how much is measured, under upstream's names. */
  countItself(): void {
    const stability = "BETA";
    const registered = this.counter({
      name: "registered_metrics_total",
      help: "Metrics that there are, by stability and the release that deprecated them.",
      labels: ["deprecated_version", "stability_level"],
      stability,
    });
    const hidden = this.counter({ name: "hidden_metrics_total", help: "Metrics that are not shown.", stability });
    this.counter({ name: "disabled_metrics_total", help: "Metrics that are switched off: none can be.", stability });
    const specs = (): MetricSpec[] => Array.from(this.#metrics.values(), ({ spec }) => spec);
    registered.onCollect(() => {
      registered.clear();
      for (const { deprecatedSince: release, stability } of specs()) {
        registered.with(release === undefined ? "" : `${release}.0`, stability).inc();
      }
    });
    let counted = 0;
    hidden.onCollect(() => {
      const now = specs().filter((spec) => this.#isHidden(spec)).length;
      hidden.with().inc(now - counted);
      counted = now;
    });
  }

  /** The exposition, piece by piece, in the order of names. */
  async *expose(): AsyncGenerator<string, void, undefined> {
    let piece = "";
    for (const metric of [...this.#metrics.values()].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1))) {
      if (this.#isHidden(metric.spec)) continue;
      piece += metric.header();
      for (const line of metric.lines()) {
        piece += line;
        if (piece.length < PIECE_CHARS) continue;
        yield piece;
        piece = "";
        await nextTurn();
      }
    }
    if (piece !== "") yield piece;
    for (const exposition of this.#included) yield* exposition.expose();
  }

  /** All of it, for who has to hand it on. */
  async text(): Promise<string> {
    let text = "";
    for await (const piece of this.expose()) text += piece;
    return text;
  }

  #add<M extends Metric>(metric: M): M {
    const { name } = metric.spec;
    if (this.#metrics.has(name)) throw new Error(`there are two metrics ${name}`);
    this.#metrics.set(name, metric);
    return metric;
  }

  #isHidden({ deprecatedSince }: MetricSpec): boolean {
    if (deprecatedSince === undefined || this.#options.showHidden === true) return false;
    return minorOf(this.#options.release) - minorOf(deprecatedSince) >= HIDDEN_AFTER_RELEASES;
  }
}

function minorOf(release: string): number {
  return Number(release.split(".")[1]);
}
