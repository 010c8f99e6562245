// Step: counts and times every request, answers of all codes. Requirements: document 1, "Other HTTP behaviour".

import type { Log } from "../../base/log.ts";
import { type LoopHold, LoopWatch } from "../../base/loop-hold.ts";
import type { BodyWriter, Response, StreamBody } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";
import { whenClosed } from "../../http/when-closed.ts";
import type { TargetedRequest } from "../../registry/request.ts";
import type { RequestMetrics, RequestSeries } from "../metrics/request-metrics.ts";

const APPLY = "application/apply-patch+";

/** A request that holds the event loop for longer at a time, so that everybody else waits, is logged. */
const MAX_HOLD_MS = 20;
const MAX_SHOWN_PATH = 256;
/** Of requests of one verb and resource, one in such a time: on a busy machine every request is late. */
const MIN_LOG_INTERVAL_MS = 10_000;

export function measure(
  metrics: RequestMetrics,
  log: Log,
  nowMs: () => number = () => performance.now(),
): Step<TargetedRequest, TargetedRequest> {
  const loop = new LoopWatch(nowMs);
  const logged = new WeakMap<RequestSeries, LoggedHold>();
  const noteHold = (request: TargetedRequest, series: RequestSeries, heldMs: number, sizeBytes: number): void => {
    const atMs = nowMs();
    const last = logged.get(series);
    if (last !== undefined && atMs - last.atMs < MIN_LOG_INTERVAL_MS) {
      last.unsaid += 1;
      return;
    }
    logged.set(series, { atMs, unsaid: 0 });
    logHold(log, request, series, { heldMs: Math.round(heldMs), sizeBytes, notLogged: last?.unsaid ?? 0 });
  };
  return function measure(request, next) {
    const { method, target } = request;
    const isApply = method === "PATCH" && request.headers.first("content-type")?.startsWith(APPLY) === true;
    const series = metrics.of(target, method, isApply);
    if (series === undefined) return next(request);
    const beganMs = nowMs();
    const inFlight = series.longRunning ? undefined : metrics.inFlight(method);
    inFlight?.add(1);
    const finished = (status: number, sizeBytes: number): void => {
      const tookMs = nowMs() - beganMs;
      const { hold, bodyBytes } = request.notes;
      if (bodyBytes !== undefined) series.received(bodyBytes);
      // Without a wait it has held the loop from its start to its end.
      const heldMs = hold === undefined ? tookMs : loop.longestMs(hold);
      const dryRun = method !== "GET" && request.query.has("dryRun");
      series.finished(status, tookMs / 1000, sizeBytes, dryRun);
      series.held(heldMs / 1000);
      if (request.notes.terminated) series.terminated(status);
      if (heldMs > MAX_HOLD_MS) noteHold(request, series, heldMs, sizeBytes);
    };
    const answered = (response: Response): Response => {
      inFlight?.add(-1);
      const { body, status, endsLine } = response;
      if (response.hijacked === true && series.longRunning) {
        request.notes.hold ??= loop.begin(beganMs);
        // It is open as long as the client's end of it.
        series.opened();
        whenClosed(request.upgrade!.socket, () => {
          series.closed();
          finished(status, 0);
        });
        return response;
      }
      if (body === undefined || body instanceof Uint8Array) {
        finished(status, (body?.length ?? 0) + (endsLine ? 1 : 0));
        return response;
      }
      request.notes.hold ??= loop.begin(beganMs);
      const { hold } = request.notes;
      return { ...response, body: measured(body, series, hold, (sizeBytes) => finished(status, sizeBytes)) };
    };
    // The next step turns every failure into an answer.
    const answer = next(request);
    if (!(answer instanceof Promise)) return answered(answer);
    request.notes.hold = loop.begin(beganMs);
    return answer.then(answered);
  };
}

/** The last line about requests of one kind, and how many came since without one. */
interface LoggedHold {
  readonly atMs: number;
  unsaid: number;
}

function logHold(
  log: Log,
  request: TargetedRequest,
  { labels: { verb, group, resource, subresource } }: RequestSeries,
  held: { readonly heldMs: number; readonly sizeBytes: number; readonly notLogged: number },
): void {
  const path = request.path.slice(0, MAX_SHOWN_PATH);
  const user = request.notes.sender?.name.slice(0, MAX_SHOWN_PATH);
  log.info(
    { verb, group, resource, subresource, path, user, auditId: request.auditId, ...held },
    "a request held the event loop for long",
  );
}

/** The same body; a stream is over when its last byte is handed over. */
function measured(
  body: StreamBody,
  series: RequestSeries,
  hold: LoopHold,
  finished: (sizeBytes: number) => void,
): StreamBody {
  return {
    async stream(writer) {
      let sizeBytes = 0;
      const counting: BodyWriter = {
        signal: writer.signal,
        async drained() {
          await writer.drained();
          hold.goOn();
        },
        goOn: () => hold.goOn(),
        get queuedBytes() {
          return writer.queuedBytes;
        },
        get chunkBytes() {
          return writer.chunkBytes;
        },
        ...(writer.framed === undefined ? {} : { framed: writer.framed }),
        ...(series.longRunning ? { onMessages: (count: number) => series.sent(count) } : {}),
        write(chunk, onTaken) {
          sizeBytes += chunk.length;
          return writer.write(chunk, onTaken);
        },
      };
      if (series.longRunning) series.opened();
      try {
        await body.stream(counting);
      } finally {
        if (series.longRunning) series.closed();
        finished(sizeBytes);
      }
    },
  };
}
