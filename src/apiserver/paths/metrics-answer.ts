// The answer to /metrics: the exposition, piece by piece. Requirements: document 1, "Other HTTP behaviour".

import type { Exposition } from "../../base/metrics.ts";
import type { Response } from "../../http/message.ts";

export function metricsAnswer(metrics: Exposition): Response {
  return {
    status: 200,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    body: {
      async stream(writer) {
        for await (const piece of metrics.expose()) {
          if (writer.signal.aborted) return;
          if (!writer.write(Buffer.from(piece))) await writer.drained();
        }
      },
    },
  };
}
