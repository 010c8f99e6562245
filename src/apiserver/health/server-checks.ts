// The checks of the server itself: that it answers, that it can log, that its store answers, that it has started.

import { ALL_ENDPOINTS, type HealthChecks } from "./health-checks.ts";

/** More unwritten log than this means that nobody takes it. */
const MAX_UNWRITTEN_LOG_BYTES = 16 * 1024 * 1024;

/** Undefined when the store answers. */
export type StoreProblem = () => Promise<string | undefined>;

export function addServerChecks(health: HealthChecks, storeProblem: StoreProblem): void {
  // That this answer arrives is the check.
  health.add({ name: "ping", endpoints: ALL_ENDPOINTS, check: () => undefined });
  health.add({ name: "log", endpoints: ALL_ENDPOINTS, check: logProblem });
  health.add({ name: "etcd", endpoints: ALL_ENDPOINTS, check: storeProblem });
  health.add({ name: "etcd-readiness", endpoints: ["readyz"], check: storeProblem });
}

function logProblem(): string | undefined {
  const { stderr } = process;
  if (stderr.destroyed || stderr.errored !== null) return "the log cannot be written";
  return stderr.writableLength > MAX_UNWRITTEN_LOG_BYTES ? "logging blocked" : undefined;
}
