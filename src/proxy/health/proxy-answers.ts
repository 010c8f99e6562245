// What the proxy answers at its own ports: whether it is well, and what it measures.

import type { Clock } from "../../base/clock.ts";
import { DEFAULT_PROFILE_SECONDS, MAX_PROFILE_SECONDS, takeCpuProfile } from "../../base/cpu-profile.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { HealthMetrics } from "../../meta/health-metrics.ts";
import type { ProxyMetrics } from "../proxy-metrics.ts";
import { type AnswerHttp, type HttpAnswer, type HttpQuestion, jsonAnswer, textAnswer } from "./http-port.ts";
import type { ProxyHealth } from "./proxy-health.ts";

interface AnswerParts {
  readonly health: ProxyHealth;
  readonly measured: ProxyMetrics;
  readonly clock: Clock;
}

/** /healthz: whether load balancers should send traffic here. /livez: whether the proxy works. */
export function healthAnswer({ health, measured, clock }: AnswerParts, path: string): HttpAnswer {
  if (path !== "/healthz" && path !== "/livez") return NOT_FOUND;
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
  /** Set where profiles are served. */
  readonly profiling: Clock | undefined;
}

export function metricsAnswer(parts: MetricsParts, path: string, question: HttpQuestion): ReturnType<AnswerHttp> {
  const { metrics, outcomes, shown, profiling } = parts;
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
    case "/debug/pprof/profile":
      return profiling === undefined ? NOT_FOUND : profileAnswer(profiling, question);
    default:
      return NOT_FOUND;
  }
}

/** A profile of processor time, in V8's format. */
async function profileAnswer(clock: Clock, { query, signal }: HttpQuestion): Promise<HttpAnswer> {
  const seconds = Number(query.get("seconds") ?? DEFAULT_PROFILE_SECONDS);
  if (!(seconds > 0 && seconds <= MAX_PROFILE_SECONDS))
    return textAnswer(400, `seconds must be between 0 and ${MAX_PROFILE_SECONDS}\n`);
  const made = await takeCpuProfile(clock, seconds, signal);
  if (made === undefined) return textAnswer(429, "a profile is being made: try again when it is done\n");
  return { status: 200, headers: { "content-type": "application/json" }, body: made };
}

const NOT_FOUND = textAnswer(404, "404 page not found\n");

function exposed(metrics: Metrics): HttpAnswer {
  return { status: 200, headers: { "content-type": METRICS_TYPE }, body: metrics.expose() };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
