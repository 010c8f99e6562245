// Health put together: the endpoints with their checks, the hooks of the start, and the metrics of both.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { HealthMetrics } from "../../meta/health-metrics.ts";
import type { Names } from "../../meta/names.ts";
import { ALL_ENDPOINTS, HealthChecks } from "./health-checks.ts";
import { addServerChecks, type StoreProblem } from "./server-checks.ts";
import { StartHooks, type StartOptions, serverStartHooks } from "./start-hooks.ts";

interface HealthParts extends StartOptions {
  readonly names: Names;
  readonly outcomes: HealthMetrics;
  readonly storeProblem: StoreProblem;
  readonly log: Log;
  readonly livezGraceMs: number;
  readonly clock: Clock;
}

export function buildHealth(parts: HealthParts) {
  const { names, outcomes, storeProblem, log, livezGraceMs, clock } = parts;
  const health = new HealthChecks(names, {
    livezGraceMs,
    clock,
    // Whoever asks during the start hears that it goes on: nobody need read about it.
    onFailure: (check, why) =>
      log[hooks.problem() === undefined ? "warn" : "debug"]({ check, why }, "a health check failed"),
    onResult: outcomes.onResult,
  });
  addServerChecks(health, storeProblem);
  const hooks = new StartHooks(health);
  health.add({ name: "informer-sync", endpoints: ["readyz"], check: () => hooks.problem() });
  const starting = serverStartHooks(hooks, names, parts);
  health.add({
    name: "autoregister-completion",
    endpoints: ALL_ENDPOINTS,
    check: () => hooks.problem("kube-apiserver-autoregistration"),
  });
  return { health, starting };
}
