import { describe, expect, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { addProcessMetrics } from "../../base/process-metrics.ts";
import { isStreamBody } from "../../http/message.ts";
import { metricsAnswer } from "./metrics-answer.ts";

describe("/metrics", () => {
  it("streams every metric, those of the process among them", async () => {
    const metrics = new Metrics({ release: "1.34" });
    addProcessMetrics(metrics);
    metrics.counter({ name: "things_total", help: "Things.", stability: "STABLE" }).with().inc(3);
    const { status, headers, body } = metricsAnswer(metrics);
    let text = "";
    const writer = {
      queuedBytes: 0,
      chunkBytes: 65_536,
      signal: new AbortController().signal,
      drained: () => Promise.resolve(),
      write: (chunk: Uint8Array) => {
        text += Buffer.from(chunk).toString();
        return false;
      },
    };
    if (body !== undefined && isStreamBody(body)) await body.stream(writer);
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(text).toContain("# HELP things_total [STABLE] Things.\n# TYPE things_total counter\nthings_total 3\n");
    expect(text).toMatch(/^process_cpu_seconds_total [0-9.e-]+$/m);
    for (const name of ["resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds"])
      expect(text).toMatch(new RegExp(`^process_${name} [1-9][0-9]+$`, "m"));
  });
});
