import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { answers, GrpcServer } from "../grpc/grpc-server.ts";
import type { Read } from "../grpc/message.ts";
import { exportSpans } from "./otlp-messages.ts";
import { startTracing, type Tracing } from "./start-tracing.ts";

// Calls of gRPC end by the real clock.
const NOW_MS = Math.floor(Date.now() / 1000) * 1000;
let folder: string;
let collector: GrpcServer | undefined;
let tracing: Tracing | undefined;
const batches: Read<typeof exportSpans.request>[] = [];

beforeEach(async () => {
  batches.length = 0;
  folder = mkdtempSync(join(tmpdir(), "plinth-spans-"));
  const take = answers(exportSpans, (batch) => {
    batches.push(batch);
    return {};
  });
  collector = await GrpcServer.listen(join(folder, "collector"), [take]);
});
afterEach(async () => {
  await tracing?.stop();
  collector?.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(samplingRatePerMillion: number | undefined) {
  const clock = new FakeClock(NOW_MS);
  const endpoint = `unix:${join(folder, "collector")}`;
  tracing = startTracing({
    settings: { endpoint, samplingRatePerMillion },
    clock,
    random: () => 0.5,
    log: silentLog,
    nodeName: "node-1",
  });
  return { clock, tracing, tracer: tracing.tracer };
}

const spans = () =>
  batches.flatMap(({ resourceSpans }) => resourceSpans.flatMap((each) => each.scopeSpans[0]?.spans ?? []));
const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");

it("tells the collector what was done within what, how long it took and how it went", async () => {
  const { clock, tracing: started, tracer } = start(1_000_000);
  let parent = "";
  const failed = tracer.span("syncPod", { attributes: { "pod.name": "web" } }, async () => {
    await clock.advance(250);
    await tracer.span("RunPodSandbox", { kind: "SPAN_KIND_CLIENT" }, async () => {
      parent = tracer.headers()["traceparent"] ?? "";
      throw new Error("no network");
    });
  });
  await expect(failed).rejects.toThrow("no network");
  await started.stop();
  const [inner, outer] = spans();
  expect([inner?.name, inner?.kind, outer?.name, outer?.kind]).toEqual([
    "RunPodSandbox",
    "SPAN_KIND_CLIENT",
    "syncPod",
    "SPAN_KIND_INTERNAL",
  ]);
  expect(hex(inner?.parentSpanId)).toBe(hex(outer?.spanId));
  expect(hex(inner?.traceId)).toBe(hex(outer?.traceId));
  expect(hex(outer?.parentSpanId)).toBe("");
  expect(parent).toBe(`00-${hex(inner?.traceId)}-${hex(inner?.spanId)}-01`);
  expect(outer?.startTimeUnixNano).toBe(NOW_MS * 1e6);
  expect(Math.round((outer?.endTimeUnixNano ?? 0) / 1e6) - NOW_MS).toBe(250);
  expect(outer?.attributes).toEqual([{ key: "pod.name", value: { stringValue: "web" } }]);
  expect(inner?.status).toEqual({ code: "STATUS_CODE_ERROR", message: "Error: no network" });
  expect(batches[0]?.resourceSpans[0]?.resource?.attributes).toContainEqual({
    key: "service.name",
    value: { stringValue: "kubelet" },
  });
});

it("sends what has gathered every few seconds", async () => {
  const { clock, tracer } = start(1_000_000);
  await tracer.span("one", {}, async () => undefined);
  await clock.advance(5_000);
  await expect.poll(() => spans().map(({ name }) => name)).toEqual(["one"]);
});

it.each([
  ["nothing when it is not told how much", undefined, 0],
  ["what the rate takes, with all that is done within it", 600_000, 2],
  ["nothing of what the rate leaves out", 400_000, 0],
])("follows %s", async (_title, rate, count) => {
  const { tracing: started, tracer } = start(rate);
  await tracer.span("outer", {}, () => tracer.span("inner", {}, async () => undefined));
  await started.stop();
  expect(spans()).toHaveLength(count);
});

it("is in nobody's way when there is no collector", async () => {
  collector?.close();
  collector = undefined;
  const { tracing: started, tracer } = start(1_000_000);
  expect(await tracer.span("one", {}, async () => 7)).toBe(7);
  await started.stop();
});
