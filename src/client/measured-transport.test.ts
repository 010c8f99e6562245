import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { Metrics } from "../base/metrics.ts";
import { clientMetrics, MeasuredTransport } from "./measured-transport.ts";
import { PacedTransport } from "./paced-transport.ts";
import type { ApiRequest, ApiResponse, Transport } from "./transport.ts";

it("counts requests by their answer, and measures their time, their sizes and what the pace costs", async () => {
  const clock = new FakeClock();
  const metrics = new Metrics({ release: "1.34.0" });
  const measures = clientMetrics(metrics);
  const inner: Transport = {
    request: async ({ path }: ApiRequest): Promise<ApiResponse> => {
      await clock.advance(30);
      if (path === "/lost") throw new Error("lost");
      const bytes = async () => new Uint8Array(100);
      return { status: 201, headers: new Map(), warnings: ["w"], attempts: 2, bytes, stream: async function* () {} };
    },
    connect: () => Promise.reject(new Error("none")),
    close: async () => undefined,
  };
  const measured = new MeasuredTransport(inner, { metrics: measures, clock, host: "h:1" });
  const transport = new PacedTransport(measured, {
    clock,
    perSecond: 1,
    burst: 1,
    onWait: (seconds, method) => measures.paceSeconds.with("h:1", method).observe(seconds),
  });
  const answer = await transport.request({ method: "POST", path: "/a", body: "12345" });
  expect(answer).toMatchObject({ status: 201, warnings: ["w"], attempts: 2 });
  await answer.bytes();
  await expect(measured.request({ method: "GET", path: "/lost" })).rejects.toThrow("lost");
  const text = await metrics.text();
  for (const line of [
    'rest_client_requests_total{code="201",host="h:1",method="POST"} 1',
    'rest_client_requests_total{code="<error>",host="h:1",method="GET"} 1',
    'rest_client_request_duration_seconds_bucket{host="h:1",verb="POST",le="0.1"} 1',
    'rest_client_request_duration_seconds_bucket{host="h:1",verb="POST",le="0.025"} 0',
    'rest_client_request_size_bytes_sum{host="h:1",verb="POST"} 5',
    'rest_client_response_size_bytes_sum{host="h:1",verb="POST"} 100',
    'rest_client_rate_limiter_duration_seconds_count{host="h:1",verb="POST"} 1',
  ])
    expect(text).toContain(line);
});
