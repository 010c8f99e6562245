// Step: an answer in time, or 504. A request may ask for less time than the server gives (`?timeout=5s`); what is meant to
// last has all the time it wants.

import type { Clock } from "../../base/clock.ts";
import { dropBody } from "../../http/drop-body.ts";
import type { Response } from "../../http/message.ts";
import type { Answer, Step } from "../../http/pipeline.ts";
import { parseDuration } from "../../meta/duration.ts";
import { badRequest, lateRequest } from "../../meta/status-error.ts";
import { isLongRunning, type TargetedRequest } from "../../registry/request.ts";

/** `maxMs`: --request-timeout. */
export function limitTime(
  clock: Pick<Clock, "monotonicMs" | "setTimer">,
  maxMs: number,
): Step<TargetedRequest, TargetedRequest> {
  return function limitTime(request, next) {
    if (isLongRunning(request.target)) {
      request.deadlineMs = Number.POSITIVE_INFINITY;
      return next(request);
    }
    const timeoutMs = allowedMs(request, maxMs);
    request.deadlineMs = clock.monotonicMs() + timeoutMs;
    const answer: Answer = next(request);
    if (!(answer instanceof Promise)) return answer;
    return new Promise<Response>((resolve, reject) => {
      let isLate = false;
      const timer = clock.setTimer(timeoutMs, () => {
        isLate = true;
        request.cancel();
        request.notes.terminated = true;
        reject(lateRequest());
      });
      answer.then(
        (response) => {
          timer.cancel();
          resolve(response);
          // The client has been told something else, and so has whoever would hear of a failure.
          if (isLate) void dropBody(response)?.catch(() => undefined);
        },
        (error: unknown) => {
          timer.cancel();
          reject(error);
        },
      );
    });
  };
}

const NANOS_PER_MS = 1e6;

/** As upstream: no time at all, or less than that, is no wish, and more than the server gives is not to be had. */
function allowedMs({ url, query }: TargetedRequest, maxMs: number): number {
  // Hardly anybody asks: the query is not read for it.
  const wish = url.includes("timeout=") ? query.get("timeout") : null;
  if (wish === null || wish === "") return maxMs;
  const nanos = parseDuration(wish);
  if (typeof nanos === "string") throw badRequest(`invalid timeout specified in the request URL - ${nanos}`);
  const ms = Number(nanos) / NANOS_PER_MS;
  return ms > 0 && ms < maxMs ? ms : maxMs;
}
