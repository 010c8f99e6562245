// Step: a seat for every request that is not long-running, or 429. Reads and writes have seats of their own.

import type { Answer, Handler, Step } from "../../http/pipeline.ts";
import { StatusError } from "../../meta/status-error.ts";
import { SYSTEM_MASTERS } from "../../meta/user.ts";
import { NoSeat, Seats } from "../flowcontrol/seats.ts";
import type { AuthenticatedRequest, Target } from "../request.ts";

export interface FlowLimits {
  /** Requests that read, at the same time; 0 for no limit. */
  readonly reads: number;
  /** Requests that write, at the same time; 0 for no limit. */
  readonly writes: number;
}

/** For every seat, so many requests may wait; longer lines only make everybody late. */
const WAITING_PER_SEAT = 10;
const MAX_WAIT_MS = 15_000;
const LONG_RUNNING: ReadonlySet<string> = new Set(["watch", "proxy"]);
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(["log", "exec", "attach", "portforward", "proxy"]);
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function limitFlow(limits: FlowLimits): Step<AuthenticatedRequest, AuthenticatedRequest> {
  const reads = seatsFor(limits.reads);
  const writes = seatsFor(limits.writes);
  return function limitFlow(request, next) {
    const seats = READS.has(request.method) ? reads : writes;
    // Administrators must be able to mend what keeps everybody else waiting.
    if (seats === undefined || isLongRunning(request.target) || request.user.groups.includes(SYSTEM_MASTERS))
      return next(request);
    const seat = seats.take(request.user.name);
    if (seat instanceof Promise) return seat.then((release) => seated(request, next, release), refuse);
    return seated(request, next, seat);
  };
}

/** Gives the seat back when the answer is there. */
function seated(request: AuthenticatedRequest, next: Handler<AuthenticatedRequest>, release: () => void): Answer {
  let answer: Answer | undefined;
  try {
    answer = next(request);
    return answer instanceof Promise ? answer.finally(release) : answer;
  } finally {
    if (!(answer instanceof Promise)) release();
  }
}

function seatsFor(seats: number): Seats | undefined {
  return seats > 0 ? new Seats({ seats, maxWaiting: seats * WAITING_PER_SEAT, maxWaitMs: MAX_WAIT_MS }) : undefined;
}

function isLongRunning(target: Target): boolean {
  if (target.type === "path") return false;
  return LONG_RUNNING.has(target.verb) || LONG_SUBRESOURCES.has(target.subresource);
}

function refuse(error: unknown): never {
  if (!(error instanceof NoSeat)) throw error;
  throw new StatusError(429, "TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 });
}
