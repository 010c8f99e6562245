// Requests to the agent's own endpoints, counted and timed.

import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { ReceivedRequest } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LABELS = ["method", "path", "server_type", "long_running"];

export function measureRequests(metrics: Metrics, clock: Clock): Step<ReceivedRequest, ReceivedRequest> {
  const spec = { labels: LABELS, stability: "ALPHA" } as const;
  const total = metrics.counter({
    ...spec,
    name: "kubelet_http_requests_total",
    help: "Number of the http requests received since the server started",
  });
  const inFlight = metrics.gauge({
    ...spec,
    name: "kubelet_http_inflight_requests",
    help: "Number of the inflight http requests",
  });
  const duration = metrics.histogram({
    ...spec,
    name: "kubelet_http_requests_duration_seconds",
    help: "Duration in seconds to serve http requests",
    buckets: SECONDS,
  });
  return async function measureRequests(request, next) {
    const path = pathLabel(request.path);
    const labels = [methodLabel(request.method), path, "readwrite", String(LONG_RUNNING.has(path))];
    const startedMs = clock.monotonicMs();
    total.with(...labels).inc();
    inFlight.with(...labels).add(1);
    try {
      return await next(request);
    } finally {
      inFlight.with(...labels).add(-1);
      duration.with(...labels).observe((clock.monotonicMs() - startedMs) / 1000);
    }
  };
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const methodLabel = (method: string): string => (KNOWN_METHODS.has(method) ? method : "other");

const KNOWN_PATHS: ReadonlySet<string> = new Set([
  ...["attach", "checkpoint", "configz", "containerLogs", "debug", "exec", "healthz", "logs", "metrics", "pods"],
  ...["portForward", "run", "runningpods", "stats"],
]);
const LONG_RUNNING: ReadonlySet<string> = new Set(["attach", "debug", "exec", "portForward"]);

/** Callers choose paths: a series for each would be theirs to make. */
function pathLabel(path: string): string {
  const first = path.split("/", 2)[1] ?? "";
  return KNOWN_PATHS.has(first) ? first : "other";
}
