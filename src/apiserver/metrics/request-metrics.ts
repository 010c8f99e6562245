// Requests by resource, verb and code. The series of a kind of request are looked up once and then kept, so that counting
// one costs a few map look-ups.

import type {
  Counter,
  CounterSeries,
  Gauge,
  GaugeSeries,
  Histogram,
  HistogramSeries,
  Metrics,
} from "../../base/metrics.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ResourceTarget, Target } from "../../registry/request.ts";
import {
  DURATION_LABELS,
  durationValues,
  PLAIN_LABELS,
  plainValues,
  type RequestLabels,
  scopeLabel,
  totalValues,
  verbLabel,
} from "./request-labels.ts";

const COMPONENT = "apiserver";
/** Kinds of requests whose series are kept. More than the resources of a large installation have. */
const MAX_KEPT = 20_000;

/** The series of one kind of request: one resource, verb and scope. */
export class RequestSeries {
  readonly labels: RequestLabels;
  readonly longRunning: boolean;
  readonly #metrics: RequestMetrics;
  readonly #codes = new Map<number, CounterSeries>();
  #duration: HistogramSeries | undefined;
  #sli: HistogramSeries | undefined;
  #size: HistogramSeries | undefined;
  #held: HistogramSeries | undefined;
  #open: GaugeSeries | undefined;
  #events: CounterSeries | undefined;
  #received: HistogramSeries | undefined;

  constructor(metrics: RequestMetrics, labels: RequestLabels) {
    this.#metrics = metrics;
    this.labels = labels;
    this.longRunning = labels.verb === "WATCH" || labels.verb === "CONNECT";
  }

  finished(code: number, seconds: number, sizeBytes: number, dryRun: boolean): void {
    const { labels } = this;
    if (dryRun) {
      this.#metrics.total.with(...totalValues(labels, code, "All")).inc();
      this.#metrics.duration.with(...durationValues(labels, "All")).observe(seconds);
      return;
    }
    let counter = this.#codes.get(code);
    if (counter === undefined) {
      counter = this.#metrics.total.with(...totalValues(labels, code, ""));
      this.#codes.set(code, counter);
    }
    counter.inc();
    this.#duration ??= this.#metrics.duration.with(...durationValues(labels, ""));
    this.#duration.observe(seconds);
    if (!this.longRunning) {
      this.#sli ??= this.#metrics.sli.with(...plainValues(labels));
      this.#sli.observe(seconds);
    }
    if (labels.verb === "GET" || labels.verb === "LIST") {
      this.#size ??= this.#metrics.size.with(...plainValues(labels));
      this.#size.observe(sizeBytes);
    }
  }

  /** The longest that it kept everybody else waiting at a time. */
  held(seconds: number): void {
    const { group, resource, verb } = this.labels;
    this.#held ??= this.#metrics.held.with(group, resource, verb);
    this.#held.observe(seconds);
  }

  /** The server ended it to protect itself. */
  terminated(code: number): void {
    const { verb, group, version, resource, subresource, scope } = this.labels;
    const place = [group, resource, scope, subresource, verb, version];
    this.#metrics.terminations.with(String(code), COMPONENT, ...place).inc();
  }

  opened(): void {
    this.#open ??= this.#metrics.open.with(...plainValues(this.labels));
    this.#open.add(1);
  }

  closed(): void {
    this.#open?.add(-1);
  }

  /** A watch has sent so many events. */
  sent(count: number): void {
    const { group, resource, version } = this.labels;
    this.#events ??= this.#metrics.watchEvents.with(group, resource, version);
    this.#events.inc(count);
  }

  /** Its body had so many bytes. */
  received(sizeBytes: number): void {
    const { group, resource, verb } = this.labels;
    this.#received ??= this.#metrics.bodySize.with(group, resource, WRITE_VERBS.get(verb) ?? verb.toLowerCase());
    this.#received.observe(sizeBytes);
  }
}

const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Verbs of authorization, which the sizes of bodies are counted by. */
const WRITE_VERBS: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["PUT", "update"],
  ["APPLY", "patch"],
]);
/** Up to 3 MB. */
const BODY_SIZE_BUCKETS = Array.from({ length: 31 }, (_, index) => 50_000 + index * 100_000);

export class RequestMetrics {
  readonly total: Counter;
  readonly duration: Histogram;
  readonly sli: Histogram;
  readonly size: Histogram;
  readonly held: Histogram;
  readonly terminations: Counter;
  readonly open: Gauge;
  readonly watchEvents: Counter;
  readonly bodySize: Histogram;
  readonly #inFlight: { readonly mutating: GaugeSeries; readonly readOnly: GaugeSeries };
  readonly #deprecated: Gauge;
  readonly #catalog: Catalog;
  /** By resource, group, version, sub-resource, verb, scope: user text chooses the way, so only what is served is kept. */
  readonly #kept: Level = new Map();
  #keptCount = 0;

  constructor(metrics: Metrics, catalog: Catalog) {
    this.#catalog = catalog;
    this.total = metrics.counter({
      name: "apiserver_request_total",
      help: "Requests, by verb, resource, scope, HTTP code and whether nothing was stored.",
      stability: "STABLE",
      labels: ["code", ...DURATION_LABELS],
    });
    this.duration = metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "How long requests took.",
      stability: "STABLE",
      labels: DURATION_LABELS,
      buckets: DURATION_BUCKETS,
    });
    this.sli = metrics.histogram({
      name: "apiserver_request_sli_duration_seconds",
      help: "How long requests took that are not meant to last.",
      stability: "ALPHA",
      labels: PLAIN_LABELS,
      buckets: DURATION_BUCKETS.slice(2),
    });
    this.size = metrics.histogram({
      name: "apiserver_response_sizes",
      help: "Sizes of the answers to reads, in bytes.",
      stability: "STABLE",
      labels: PLAIN_LABELS,
      buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    });
    this.held = metrics.histogram({
      name: "apiserver_request_loop_hold_seconds",
      help: "How long requests held the event loop at a time, the longest of each.",
      stability: "ALPHA",
      labels: ["group", "resource", "verb"],
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    });
    this.terminations = metrics.counter({
      name: "apiserver_request_terminations_total",
      help: "Requests that the server ended to protect itself: there was no seat for them, or they took too long.",
      stability: "ALPHA",
      labels: ["code", "component", "group", "resource", "scope", "subresource", "verb", "version"],
    });
    this.open = metrics.gauge({
      name: "apiserver_longrunning_requests",
      help: "Open requests that are meant to last.",
      stability: "STABLE",
      labels: PLAIN_LABELS,
    });
    this.watchEvents = metrics.counter({
      name: "apiserver_watch_events_total",
      help: "Events sent to watches, by resource.",
      stability: "ALPHA",
      labels: ["group", "resource", "version"],
    });
    this.bodySize = metrics.histogram({
      name: "apiserver_request_body_size_bytes",
      help: "Sizes of the bodies of writes, in bytes.",
      stability: "ALPHA",
      labels: ["group", "resource", "verb"],
      buckets: BODY_SIZE_BUCKETS,
    });
    const inFlight = metrics.gauge({
      name: "apiserver_current_inflight_requests",
      help: "Requests that are worked on now, without those that are meant to last.",
      stability: "STABLE",
      labels: ["request_kind"],
    });
    this.#inFlight = { mutating: inFlight.with("mutating"), readOnly: inFlight.with("readOnly") };
    this.#deprecated = metrics.gauge({
      name: "apiserver_requested_deprecated_apis",
      help: "Deprecated APIs that were requested, with the release that removes them.",
      stability: "STABLE",
      labels: ["group", "removed_release", "resource", "subresource", "version"],
    });
  }

  /** The gauge of requests being worked on, for a method. */
  inFlight(method: string): GaugeSeries {
    return method === "GET" || method === "HEAD" ? this.#inFlight.readOnly : this.#inFlight.mutating;
  }

  /** Undefined for what is not served: there is nothing to count under. */
  of(target: Target, method: string, isApply: boolean): RequestSeries | undefined {
    if (target.type === "path") return this.#ofPath(target.path, method);
    const verb = verbLabel(target, method, isApply);
    const scope = scopeLabel(target);
    const { resource, group, version, subresource } = target;
    const known = findResource(target, verb, scope, this.#kept);
    if (known !== undefined) return known;
    const served = this.#catalog.find(group, version, resource);
    if (served === undefined) return undefined;
    if (subresource !== "" && served.kind.subresources?.[subresource] === undefined) return undefined;
    const { deprecated } = served.kind;
    if (deprecated !== undefined) {
      this.#deprecated.with(group, deprecated.removedRelease ?? "", resource, subresource, version).set(1);
    }
    const series = new RequestSeries(this, {
      group,
      version,
      resource,
      subresource,
      verb,
      scope,
      component: COMPONENT,
    });
    this.#keep(series, resource, group, version, subresource, verb, scope);
    return series;
  }

  #ofPath(path: string, method: string): RequestSeries | undefined {
    const slash = path.indexOf("/", 1);
    const first = slash < 0 ? path : path.slice(0, slash);
    if (!COUNTED_PATHS.has(first) || !KNOWN_METHODS.has(method)) return undefined;
    const known = this.#kept.get(first) as Level | undefined;
    const kept = known?.get(method) as RequestSeries | undefined;
    if (kept !== undefined) return kept;
    const series = new RequestSeries(this, {
      group: "",
      version: "",
      resource: "",
      subresource: first,
      verb: method,
      scope: "",
      component: "",
    });
    this.#keep(series, first, method);
    return series;
  }

  #keep(series: RequestSeries, ...way: readonly string[]): void {
    if (this.#keptCount >= MAX_KEPT) return;
    this.#keptCount += 1;
    let level = this.#kept;
    for (const word of way.slice(0, -1)) {
      let next = level.get(word);
      if (!(next instanceof Map)) {
        next = new Map();
        level.set(word, next);
      }
      level = next;
    }
    level.set(way.at(-1)!, series);
  }
}

type Level = Map<string, Level | RequestSeries>;

// Written out: a loop over the words would need a list of them for every request.
function findResource(
  { resource, group, version, subresource }: ResourceTarget,
  verb: string,
  scope: string,
  root: Level,
): RequestSeries | undefined {
  const byGroup = root.get(resource) as Level | undefined;
  const byVersion = byGroup?.get(group) as Level | undefined;
  const byPart = byVersion?.get(version) as Level | undefined;
  const byVerb = byPart?.get(subresource) as Level | undefined;
  const byScope = byVerb?.get(verb) as Level | undefined;
  return byScope?.get(scope) as RequestSeries | undefined;
}

const COUNTED_PATHS: ReadonlySet<string> = new Set([
  "/healthz",
  "/livez",
  "/readyz",
  "/version",
  "/metrics",
  "/openapi",
]);
const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
