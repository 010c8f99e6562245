// Counters, gauges and histograms with labels, and their lines.

import { SeriesTree } from "./series-tree.ts";

type Stability = "ALPHA" | "BETA" | "STABLE" | "INTERNAL";

export interface MetricSpec {
  readonly name: string;
  readonly help: string;
  readonly stability: Stability;
  readonly labels?: readonly string[];
  /** The release, as "1.31", that deprecated the metric. */
  readonly deprecatedSince?: string;
}

export interface CounterSeries {
  inc(by?: number): void;
}

export interface GaugeSeries {
  set(value: number): void;
  add(by: number): void;
}

export interface HistogramSeries {
  observe(value: number): void;
}

export abstract class Metric<Series = unknown> {
  readonly spec: MetricSpec;
  protected readonly series: SeriesTree<Series>;
  readonly #type: string;

  constructor(spec: MetricSpec, type: string, create: () => Series) {
    this.spec = spec;
    this.series = new SeriesTree(spec.labels ?? [], create);
    this.#type = type;
  }

  /** The series of these label values, in the order of the labels. Keep it where it is used often. */
  with(...values: readonly string[]): Series {
    return this.series.at(values);
  }

  /** For metrics that are told anew at each exposition: what is gone has no series. */
  clear(): void {
    this.series.clear();
  }

  header(): string {
    const { name, help, stability, deprecatedSince } = this.spec;
    const deprecated = deprecatedSince === undefined ? "" : `(Deprecated from ${deprecatedSince}) `;
    return `# HELP ${name} [${stability}] ${deprecated}${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${this.#type}\n`;
  }

  abstract lines(): Iterable<string>;
}

class NumberSeries implements CounterSeries, GaugeSeries {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }

  add(by: number): void {
    this.value += by;
  }

  set(value: number): void {
    this.value = value;
  }
}

abstract class NumberMetric extends Metric<NumberSeries> {
  #collect: (() => void) | undefined;

  /** Called before each exposition, for values that are cheaper to ask for than to keep. */
  onCollect(collect: () => void): void {
    this.#collect = collect;
  }

  *lines(): Iterable<string> {
    this.#collect?.();
    for (const [labels, series] of this.series.entries()) {
      yield `${this.spec.name}${braces(labels)} ${text(series.value)}\n`;
    }
  }
}

export class Counter extends NumberMetric {
  constructor(spec: MetricSpec) {
    super(spec, "counter", () => new NumberSeries());
  }
}

export class Gauge extends NumberMetric {
  constructor(spec: MetricSpec) {
    super(spec, "gauge", () => new NumberSeries());
  }
}

class BucketSeries implements HistogramSeries {
  readonly bounds: Float64Array;
  /** Observations by bucket, not summed up; the last one is beyond every bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: Float64Array) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (bounds[middle]! < value) low = middle + 1;
      else high = middle;
    }
    this.counts[low]! += 1;
    this.sum += value;
  }
}

export class Histogram extends Metric<BucketSeries> {
  constructor(spec: MetricSpec & { readonly buckets: readonly number[] }) {
    const bounds = Float64Array.from(spec.buckets);
    super(spec, "histogram", () => new BucketSeries(bounds));
  }

  *lines(): Iterable<string> {
    const { name } = this.spec;
    for (const [labels, series] of this.series.entries()) {
      const before = labels === "" ? "" : `${labels},`;
      let total = 0;
      for (let index = 0; index < series.counts.length; index += 1) {
        total += series.counts[index]!;
        const bound = series.bounds[index];
        yield `${name}_bucket{${before}le="${bound === undefined ? "+Inf" : text(bound)}"} ${total}\n`;
      }
      yield `${name}_sum${braces(labels)} ${text(series.sum)}\n${name}_count${braces(labels)} ${total}\n`;
    }
  }
}

const braces = (labels: string): string => (labels === "" ? "" : `{${labels}}`);

function text(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
