// What the proxy answers at its own ports: whether it is well, and what it measures.

import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { HealthMetrics } from "../../meta/health-metrics.ts";
import type { ProxyMetrics } from "../proxy-metrics.ts";
import { type HttpAnswer, jsonAnswer, textAnswer } from "./http-port.ts";
import type { ProxyHealth } from "./proxy-health.ts";

interface AnswerParts {
  readonly health: ProxyHealth;
  readonly measured: ProxyMetrics;
  readonly clock: Clock;
}

/** /healthz: whether load balancers should send traffic here. /livez: whether the proxy works. */
export function healthAnswer({ health, measured, clock }: AnswerParts, path: string): HttpAnswer {
  if (path !== "/healthz" && path !== "/livez") return textAnswer(404, "404 page not found\n");
  const asked = path === "/healthz" ? "healthz" : "livez";
  const isWell = health.isHealthy && (asked === "livez" || health.isEligible);
  const status = isWell ? 200 : 503;
  measured.asked(asked, status);
  const times = { lastUpdated: timeText(health.lastUpdatedMs), currentTime: timeText(clock.nowMs()) };
  return jsonAnswer(status, asked === "healthz" ? { ...times, nodeEligible: health.isEligible } : times);
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface MetricsParts {
  readonly metrics: Metrics;
  readonly outcomes: HealthMetrics;
  /** The configuration, under its name. */
  readonly shown: object;
}

export function metricsAnswer({ metrics, outcomes, shown }: MetricsParts, path: string): HttpAnswer {
  switch (path) {
    case "/metrics":
      return exposed(metrics);
    case "/metrics/slis":
      return exposed(outcomes.metrics);
    case "/healthz":
      outcomes.onResult("ping", "healthz", true);
      return textAnswer(200, "ok");
    case "/configz":
      return jsonAnswer(200, shown);
    case "/proxyMode":
      return textAnswer(200, "nftables");
    default:
      return textAnswer(404, "404 page not found\n");
  }
}

function exposed(metrics: Metrics): HttpAnswer {
  return { status: 200, headers: { "content-type": METRICS_TYPE }, body: metrics.expose() };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
