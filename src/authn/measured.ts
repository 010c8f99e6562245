// An authenticator whose attempts are counted.

import type { AttemptResult, AuthenticationMetrics } from "./authentication-metrics.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";

const RESULT: Readonly<Record<Authentication["result"], AttemptResult>> = {
  user: "success",
  none: "failure",
  refused: "error",
};

export function measured(inner: Authenticator, metrics: AuthenticationMetrics | undefined): Authenticator {
  if (metrics === undefined) return inner;
  return {
    authenticate(request) {
      const startedMs = performance.now();
      const answer = inner.authenticate(request);
      if (answer instanceof Promise) return answer.then((outcome) => counted(metrics, outcome, startedMs));
      return counted(metrics, answer, startedMs);
    },
  };
}

function counted(metrics: AuthenticationMetrics, outcome: Authentication, startedMs: number): Authentication {
  const user = outcome.result === "user" ? outcome.user.name : undefined;
  metrics.attempted(RESULT[outcome.result], user, (performance.now() - startedMs) / 1000);
  return outcome;
}
