// Step: counts and times every request, answers of all codes. Requirements: document 1, "Other HTTP behaviour".

import type { BodyWriter, Response, StreamBody } from "../../http/message.ts";
import type { Step } from "../../http/pipeline.ts";
import type { TargetedRequest } from "../../registry/request.ts";
import type { RequestMetrics, RequestSeries } from "../metrics/request-metrics.ts";

const APPLY = "application/apply-patch+";

export function measure(metrics: RequestMetrics): Step<TargetedRequest, TargetedRequest> {
  return function measure(request, next) {
    const { method, target } = request;
    const isApply = method === "PATCH" && request.headers.first("content-type")?.startsWith(APPLY) === true;
    const series = metrics.of(target, method, isApply);
    if (series === undefined) return next(request);
    const beganMs = performance.now();
    const inFlight = series.longRunning ? undefined : metrics.inFlight(method);
    inFlight?.add(1);
    const answered = (response: Response): Response => {
      inFlight?.add(-1);
      const dryRun = method !== "GET" && request.query.has("dryRun");
      const { body, status } = response;
      if (body === undefined || body instanceof Uint8Array) {
        series.finished(status, (performance.now() - beganMs) / 1000, body?.length ?? 0, dryRun);
        return response;
      }
      return {
        ...response,
        body: measured(body, series, (sizeBytes) =>
          series.finished(status, (performance.now() - beganMs) / 1000, sizeBytes, dryRun),
        ),
      };
    };
    // The next step turns every failure into an answer.
    const answer = next(request);
    return answer instanceof Promise ? answer.then(answered) : answered(answer);
  };
}

/** The same body; a stream is over when its last byte is handed over. */
function measured(body: StreamBody, series: RequestSeries, finished: (sizeBytes: number) => void): StreamBody {
  return {
    async stream(writer) {
      let sizeBytes = 0;
      const counting: BodyWriter = {
        signal: writer.signal,
        drained: () => writer.drained(),
        get queuedBytes() {
          return writer.queuedBytes;
        },
        get chunkBytes() {
          return writer.chunkBytes;
        },
        ...(writer.framed === undefined ? {} : { framed: writer.framed }),
        ...(series.longRunning ? { onMessages: (count: number) => series.sent(count) } : {}),
        write(chunk) {
          sizeBytes += chunk.length;
          return writer.write(chunk);
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
