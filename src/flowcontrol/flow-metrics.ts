// What there is to count about flows, under upstream's names. Names of schemas and levels are what administrators write:
// so many pairs have series of their own, the rest share one.

import type { Counter, CounterSeries, Gauge, Histogram, HistogramSeries, Metrics } from "../base/metrics.ts";
import { fairFraction, type SeatDemand } from "./seat-limits.ts";
import type { SeatedLevel, SeatPool } from "./seat-pool.ts";

const MAX_PAIRS = 1_000;
const PAIR = ["flow_schema", "priority_level"];
const LEVEL = ["priority_level"];
const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000];
const SEATS = [1, 2, 4, 8, 16, 32, 64, 100];

export type SeatRefusal = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

interface FlowGaugeSource {
  readonly levels: Iterable<SeatedLevel>;
  readonly pool: SeatPool;
}

export class FlowMetrics {
  readonly definitions: Definitions | undefined;
  readonly #pairs = new Map<string, FlowSeries>();

  constructor(metrics: Metrics | undefined) {
    this.definitions = metrics === undefined ? undefined : define(metrics);
  }

  seriesOf(level: string, schema: string): FlowSeries {
    const key = `${level} ${schema}`;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    if (this.#pairs.size >= MAX_PAIRS && key !== " ") return this.seriesOf("", "");
    const series = new FlowSeries(this.definitions, level, schema);
    this.#pairs.set(key, series);
    return series;
  }

  /** Where the gauges look when somebody asks. */
  observe(source: () => FlowGaugeSource): void {
    const { definitions } = this;
    if (definitions === undefined) return;
    const ofLevels = (gauge: Gauge, value: (level: SeatedLevel, pool: SeatPool) => number) =>
      gauge.onCollect(() => {
        const { levels, pool } = source();
        gauge.clear();
        for (const level of levels) gauge.with(level.name).set(value(level, pool));
      });
    ofLevels(definitions.nominal, ({ limits }) => limits.nominal);
    ofLevels(definitions.lower, ({ limits }) => limits.lower);
    ofLevels(definitions.upper, ({ limits }) => limits.upper);
    ofLevels(definitions.current, currentLimit);
    definitions.fairFraction.onCollect(() => definitions.fairFraction.with().set(this.#fairFraction(source().levels)));
    const ofPairs = (gauge: Gauge, value: (series: FlowSeries) => number) =>
      gauge.onCollect(() => {
        for (const series of this.#pairs.values()) if (series.used) gauge.with(...series.pair).set(value(series));
      });
    ofPairs(definitions.executing, ({ executing }) => executing);
    ofPairs(definitions.executingSeats, ({ executing }) => executing);
    ofPairs(definitions.inQueue, ({ waiting }) => waiting);
    ofPairs(definitions.inQueueSeats, ({ waiting }) => waiting);
  }

  #fairFraction(levels: Iterable<SeatedLevel>): number {
    const waiting = new Map<string, number>();
    for (const { pair, waiting: more } of this.#pairs.values())
      waiting.set(pair[1], (waiting.get(pair[1]) ?? 0) + more);
    let seats = 0;
    const demands: SeatDemand[] = [];
    for (const { name, exempt, limits, executing } of levels) {
      seats += limits.nominal;
      if (!exempt) demands.push({ ...limits, wanted: executing + (waiting.get(name) ?? 0) });
    }
    return fairFraction(seats, demands);
  }
}

/** How many seats the level could have now. */
function currentLimit({ exempt, executing, limits }: SeatedLevel, pool: SeatPool): number {
  if (exempt) return Math.max(limits.lower, executing);
  return Math.min(limits.upper, Math.max(limits.lower, executing) + Math.max(0, pool.free()));
}

/** The series of one schema and level. */
export class FlowSeries {
  readonly pair: readonly [schema: string, level: string];
  executing = 0;
  waiting = 0;
  readonly #definitions: Definitions | undefined;
  #dispatched: CounterSeries | undefined;
  #seats: HistogramSeries | undefined;
  #executed: HistogramSeries | undefined;
  #watched: HistogramSeries | undefined;
  #waited: HistogramSeries | undefined;

  constructor(definitions: Definitions | undefined, level: string, schema: string) {
    this.#definitions = definitions;
    this.pair = [schema, level];
  }

  /** Series appear with the first request. */
  get used(): boolean {
    return this.#dispatched !== undefined || this.waiting > 0;
  }

  began(): void {
    this.executing += 1;
    if (this.#definitions === undefined) return;
    this.#dispatched ??= this.#definitions.dispatched.with(...this.pair);
    this.#dispatched.inc();
    this.#seats ??= this.#definitions.estimated.with(...this.pair);
    this.#seats.observe(1);
  }

  ended(seconds: number, isWatch: boolean): void {
    this.executing -= 1;
    if (this.#definitions === undefined) return;
    if (isWatch) {
      this.#watched ??= this.#definitions.execution.with(...this.pair, "watch");
      this.#watched.observe(seconds);
    } else {
      this.#executed ??= this.#definitions.execution.with(...this.pair, "regular");
      this.#executed.observe(seconds);
    }
  }

  waited(seconds: number): void {
    if (this.#definitions === undefined) return;
    this.#waited ??= this.#definitions.wait.with("true", ...this.pair);
    this.#waited.observe(seconds);
  }

  gaveUp(seconds: number): void {
    this.#definitions?.wait.with("false", ...this.pair).observe(seconds);
  }

  joined(length: number): void {
    this.#definitions?.length.with(...this.pair).observe(length);
  }

  refused(why: SeatRefusal): void {
    this.#definitions?.rejected.with(...this.pair, why).inc();
  }
}

interface Definitions {
  readonly dispatched: Counter;
  readonly rejected: Counter;
  readonly wait: Histogram;
  readonly execution: Histogram;
  readonly length: Histogram;
  readonly estimated: Histogram;
  readonly executing: Gauge;
  readonly executingSeats: Gauge;
  readonly inQueue: Gauge;
  readonly inQueueSeats: Gauge;
  readonly nominal: Gauge;
  readonly lower: Gauge;
  readonly upper: Gauge;
  readonly current: Gauge;
  readonly fairFraction: Gauge;
}

function define(metrics: Metrics): Definitions {
  const spec = (name: string, stability: "ALPHA" | "BETA", labels: readonly string[], help: string) => ({
    name: `apiserver_flowcontrol_${name}`,
    help,
    stability,
    labels,
  });
  const executing = "Requests that run (of watches: that begin), by schema and level.";
  return {
    dispatched: metrics.counter(spec("dispatched_requests_total", "BETA", PAIR, "Requests that were let through.")),
    rejected: metrics.counter(
      spec("rejected_requests_total", "BETA", [...PAIR, "reason"], "Requests that were sent away, by reason."),
    ),
    wait: metrics.histogram({
      ...spec("request_wait_duration_seconds", "BETA", ["execute", ...PAIR], "How long requests waited for a seat."),
      buckets: SECONDS,
    }),
    execution: metrics.histogram({
      ...spec("request_execution_seconds", "ALPHA", [...PAIR, "type"], "How long requests had a seat."),
      buckets: SECONDS,
    }),
    length: metrics.histogram({
      ...spec("request_queue_length_after_enqueue", "ALPHA", PAIR, "How long lines were with their newest request."),
      buckets: LENGTHS,
    }),
    estimated: metrics.histogram({
      ...spec("work_estimated_seats", "ALPHA", PAIR, "How many seats requests were thought to need."),
      buckets: SEATS,
    }),
    executing: metrics.gauge(spec("current_executing_requests", "BETA", PAIR, executing)),
    executingSeats: metrics.gauge(spec("current_executing_seats", "BETA", PAIR, `Seats in use. ${executing}`)),
    inQueue: metrics.gauge(spec("current_inqueue_requests", "BETA", PAIR, "Requests that wait for a seat.")),
    inQueueSeats: metrics.gauge(spec("current_inqueue_seats", "ALPHA", PAIR, "Seats that are waited for.")),
    nominal: metrics.gauge(spec("nominal_limit_seats", "BETA", LEVEL, "A level's part of the seats.")),
    lower: metrics.gauge(spec("lower_limit_seats", "ALPHA", LEVEL, "Seats that a level never lends.")),
    upper: metrics.gauge(spec("upper_limit_seats", "ALPHA", LEVEL, "Seats of a level with all it may borrow.")),
    current: metrics.gauge(spec("current_limit_seats", "ALPHA", LEVEL, "Seats that a level could have now.")),
    fairFraction: metrics.gauge(
      spec("seat_fair_frac", "ALPHA", [], "The part of the wanted seats that every level could have at once."),
    ),
  };
}
