// Step: a seat for every request that is not meant to last, now or when its turn comes, or 429. A watch needs one to begin.

import type { Response } from "../http/message.ts";
import type { Answer, Handler, Step } from "../http/pipeline.ts";
import type { UserInfo } from "../meta/user.ts";
import { type AuthenticatedRequest, isLongRunning, type Target } from "../registry/request.ts";
import type { SeatRefusal } from "./flow-metrics.ts";
import type { Flow, Seat } from "./priority-level.ts";

interface FlowClassifier {
  classify(user: UserInfo, target: Target): Flow;
}

export function limitFlow(control: FlowClassifier): Step<AuthenticatedRequest, AuthenticatedRequest> {
  return function limitFlow(request, next) {
    const { target } = request;
    const isWatch = target.verb === "watch" && target.type === "resource";
    if (!isWatch && isLongRunning(target)) return next(request);
    const flow = control.classify(request.user, target);
    request.notes.flow = flow.mark;
    const seat = flow.level.take(flow, request);
    if (seat instanceof Promise)
      return seat.then((late) => {
        request.goOn();
        return seated(late, isWatch, request, next);
      });
    return seated(seat, isWatch, request, next);
  };
}

/** Gives the seat back when the answer is there. */
function seated(
  seat: Seat | SeatRefusal,
  isWatch: boolean,
  request: AuthenticatedRequest,
  next: Handler<AuthenticatedRequest>,
): Answer {
  if (typeof seat === "string") return tooManyRequests(request);
  let answer: Answer | undefined;
  try {
    answer = next(request);
  } finally {
    if (!(answer instanceof Promise)) leave(seat, isWatch);
  }
  if (!(answer instanceof Promise)) return answer;
  // Every write passes here: "finally" would take three turns of the microtasks for this one.
  return answer.then(
    (response) => {
      leave(seat, isWatch);
      return response;
    },
    (error: unknown) => {
      leave(seat, isWatch);
      throw error;
    },
  );
}

function leave(seat: Seat, isWatch: boolean): void {
  const { flow, sinceMs } = seat;
  flow.series.ended((performance.now() - sinceMs) / 1000, isWatch);
  flow.level.leave(seat);
}

const BODY = Buffer.from("Too many requests, please try again later.\n");

/** As upstream: plain text, whatever the client asked for. */
export function tooManyRequests({ notes }: Pick<AuthenticatedRequest, "notes">): Response {
  notes.terminated = true;
  return {
    status: 429,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "retry-after": "1",
    },
    body: BODY,
  };
}
