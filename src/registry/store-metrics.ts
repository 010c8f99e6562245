// What the store is asked and what lists read, by resource, under upstream's names: there the store is always etcd.

import { ALPHA } from "../base/metric-words.ts";
import type { Counter, CounterSeries, Histogram, HistogramSeries, Metrics } from "../base/metrics.ts";
import type { ListReading, StoreObserver, StoreOperation } from "./observed-engine.ts";

const RESOURCE = ["group", "resource"];
const OPERATION = ["operation", ...RESOURCE];
const SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** Custom resources come and go: so many have series of their own, the rest share one. */
const MAX_RESOURCES = 2_000;

export class StoreMetrics {
  readonly #definitions: Definitions;
  readonly #observers = new Map<string, StoreObserver>();

  constructor(metrics: Metrics) {
    this.#definitions = define(metrics);
  }

  of(group: string, resource: string): StoreObserver {
    const key = `${group}/${resource}`;
    const known = this.#observers.get(key);
    if (known !== undefined) return known;
    if (this.#observers.size >= MAX_RESOURCES && resource !== "") return this.of("", "");
    const made = new ResourceObserver(this.#definitions, group, resource);
    this.#observers.set(key, made);
    return made;
  }
}

interface Asked {
  readonly seconds: HistogramSeries;
  readonly count: CounterSeries;
}

class ResourceObserver implements StoreObserver {
  readonly #definitions: Definitions;
  readonly #resource: readonly [group: string, resource: string];
  readonly #asked = new Map<StoreOperation, Asked>();

  constructor(definitions: Definitions, group: string, resource: string) {
    this.#definitions = definitions;
    this.#resource = [group, resource];
  }

  asked(operation: StoreOperation, seconds: number, failed: boolean): void {
    const { count, seconds: series } = this.#asked.get(operation) ?? this.#begin(operation);
    count.inc();
    series.observe(seconds);
    if (failed) this.#definitions.errors.with(operation, ...this.#resource).inc();
  }

  listed({ index, fetched, returned }: ListReading): void {
    const { cache, store } = this.#definitions;
    const resource = this.#resource;
    if (index === undefined) {
      store.lists.with(...resource).inc();
      store.fetched.with(...resource).inc(fetched);
      store.evaluated.with(...resource).inc(fetched);
      store.returned.with(...resource).inc(returned);
    } else {
      cache.lists.with(...resource, index).inc();
      cache.fetched.with(...resource, index).inc(fetched);
      cache.returned.with(...resource).inc(returned);
    }
  }

  #begin(operation: StoreOperation): Asked {
    const labels = [operation, ...this.#resource];
    const made = {
      seconds: this.#definitions.seconds.with(...labels),
      count: this.#definitions.requests.with(...labels),
    };
    this.#asked.set(operation, made);
    return made;
  }
}

interface ListCounters {
  readonly lists: Counter;
  readonly fetched: Counter;
  readonly returned: Counter;
}

interface Definitions {
  readonly seconds: Histogram;
  readonly requests: Counter;
  readonly errors: Counter;
  readonly cache: ListCounters;
  readonly store: ListCounters & { readonly evaluated: Counter };
}

function define(metrics: Metrics): Definitions {
  const counter = (name: string, labels: readonly string[], help: string): Counter =>
    metrics.counter({ name, help, labels, ...ALPHA });
  const indexed = [...RESOURCE, "index"];
  return {
    seconds: metrics.histogram({
      name: "etcd_request_duration_seconds",
      help: "How long the store took, whichever it is, by operation and resource.",
      labels: OPERATION,
      buckets: SECONDS,
      ...ALPHA,
    }),
    requests: counter("etcd_requests_total", OPERATION, "What the store was asked, by operation and resource."),
    errors: counter("etcd_request_errors_total", OPERATION, "What the store failed at, by operation and resource."),
    cache: {
      lists: counter("apiserver_cache_list_total", indexed, "Lists that the watch cache served, by its index."),
      fetched: counter("apiserver_cache_list_fetched_objects_total", indexed, "Objects of it that were looked at."),
      returned: counter("apiserver_cache_list_returned_objects_total", RESOURCE, "Objects of it that were listed."),
    },
    store: {
      lists: counter("apiserver_storage_list_total", RESOURCE, "Lists that the store served."),
      fetched: counter("apiserver_storage_list_fetched_objects_total", RESOURCE, "Objects read of it for lists."),
      evaluated: counter("apiserver_storage_list_evaluated_objects_total", RESOURCE, "Those that were looked at."),
      returned: counter("apiserver_storage_list_returned_objects_total", RESOURCE, "Those that were listed."),
    },
  };
}
