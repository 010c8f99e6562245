// Step: so many reads and so many writes at a time, or 429. For --enable-priority-and-fairness=false.

import type { Answer, Step } from "../http/pipeline.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { type AuthenticatedRequest, isLongRunning } from "../registry/request.ts";
import { tooManyRequests } from "./limit-flow.ts";
import { InFlight, type InFlightLimits } from "./max-in-flight.ts";

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

export function limitFlowPlain(limits: InFlightLimits): Step<AuthenticatedRequest, AuthenticatedRequest> {
  const reads = new InFlight(limits.reads);
  const writes = new InFlight(limits.writes);
  return function limitFlowPlain(request, next) {
    if (isLongRunning(request.target)) return next(request);
    const running = READS.has(request.target.verb) ? reads : writes;
    if (running.full) {
      // Administrators must be able to mend what keeps everybody else out.
      return request.user.groups.includes(SYSTEM_MASTERS) ? next(request) : tooManyRequests(request);
    }
    running.enter();
    let answer: Answer | undefined;
    try {
      answer = next(request);
      return answer instanceof Promise ? answer.finally(() => running.leave()) : answer;
    } finally {
      if (!(answer instanceof Promise)) running.leave();
    }
  };
}
