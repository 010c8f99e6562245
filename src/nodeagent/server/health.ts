// GET /healthz and its parts, on the agent's own port and on the plain one for the machine itself (`healthzPort`).

import type { Response } from "../../http/message.ts";
import type { HealthMetrics } from "../../meta/health-metrics.ts";
import { textAnswer } from "./answers.ts";
import { PlainPort } from "./plain-port.ts";

/** By name: why a part of the agent is not well, undefined when it is. */
export type HealthChecks = Readonly<Record<string, () => string | undefined>>;

/** The same checks, whose outcomes are kept for /metrics/slis. */
export function measuredChecks(checks: HealthChecks, onResult: HealthMetrics["onResult"]): HealthChecks {
  const measured = Object.entries(checks).map(([name, check]) => [
    name,
    () => {
      const problem = check();
      onResult(name, "healthz", problem === undefined);
      return problem;
    },
  ]);
  return Object.fromEntries(measured);
}

/** `path` is /healthz, or one check below it. */
export function healthAnswer(checks: HealthChecks, path: string): Response {
  const name = path.replace(/^\/healthz\/?/, "");
  if (name !== "" && !Object.hasOwn(checks, name)) return textAnswer(404, "404 page not found\n");
  const asked = name === "" ? Object.keys(checks) : [name];
  const lines: string[] = [];
  let isWell = true;
  for (const each of asked) {
    const problem = checks[each]?.();
    isWell &&= problem === undefined;
    lines.push(problem === undefined ? `[+]${each} ok` : `[-]${each} failed: ${problem}`);
  }
  return isWell ? textAnswer(200, "ok") : textAnswer(500, `${lines.join("\n")}\nhealthz check failed\n`);
}

/** Why the agent is not well; undefined when it is. */
export function firstProblem(checks: HealthChecks): string | undefined {
  for (const [name, check] of Object.entries(checks)) {
    const problem = check();
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
}

/** Plain HTTP, without access control, for the machine itself. */
export function listenHealth({
  checks,
  ...at
}: {
  readonly address: string;
  readonly port: number;
  readonly checks: HealthChecks;
}): Promise<PlainPort> {
  return PlainPort.listen(at, (request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const isHealth = path === "/healthz" || path.startsWith("/healthz/");
    const { status, body } = isHealth ? healthAnswer(checks, path) : textAnswer(404, "404 page not found\n");
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
    response.end(body);
  });
}
