// Every request is counted and timed; how long it holds the loop at a time is measured, and logged when it is long.

import { Duplex } from "node:stream";
import { beforeEach, expect, it } from "vitest";
import { type Log, silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import { isStreamBody, type Response } from "../../http/message.ts";
import type { Answer } from "../../http/pipeline.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { type ResourceTarget, type TargetedRequest, targetedRequest } from "../../registry/request.ts";
import { RequestMetrics } from "../metrics/request-metrics.ts";
import { measure } from "./measure.ts";

const catalog = { find: () => ({ kind: { kind: "Pod", subresources: {} } }) } as unknown as Catalog;
const target = {
  type: "resource",
  verb: "list",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "a",
  name: "",
} as ResourceTarget;

let metrics: Metrics;
let lines: object[];
let nowMs: number;
const pass = (ms: number): void => {
  nowMs += ms;
};

beforeEach(() => {
  metrics = new Metrics({ release: "1.34" });
  lines = [];
  nowMs = 0;
  const log: Log = { ...silentLog, info: (fields) => lines.push(fields) };
  step = measure(new RequestMetrics(metrics, catalog), log, () => nowMs);
});

let step: ReturnType<typeof measure>;

async function measured(next: (request: TargetedRequest) => Answer, of: ResourceTarget = target): Promise<Response> {
  const received = inProcessRequest({ method: "GET", url: `/api/v1/namespaces/a/pods?${"x".repeat(1_000)}` });
  const response = await step(targetedRequest(received, of, "id"), next);
  if (response.body !== undefined && isStreamBody(response.body)) {
    const { signal } = new AbortController();
    await response.body.stream({ signal, write: () => true, drained: nextTurn, queuedBytes: 0, chunkBytes: 1 });
  }
  return response;
}

const OK: Response = { status: 200, headers: {} };

const ways: [string, (request: TargetedRequest, ms: number) => Answer][] = [
  [
    "an answer at once",
    (_, ms) => {
      pass(ms);
      return OK;
    },
  ],
  [
    "an answer after waits",
    async (request, ms) => {
      await nextTurn();
      pass(1_000);
      request.goOn();
      pass(ms);
      await nextTurn();
      pass(1_000);
      return OK;
    },
  ],
  [
    "an answer in pieces",
    (_, ms) => ({
      ...OK,
      body: {
        async stream(writer) {
          await nextTurn();
          pass(1_000);
          writer.goOn?.();
          pass(ms);
          await writer.drained();
        },
      },
    }),
  ],
];

it.each(ways)("has what held the loop in the histogram by verb and resource: %s", async (_, answer) => {
  await measured((request) => answer(request, 15));
  const text = await metrics.text();
  const series = 'apiserver_request_loop_hold_seconds_sum{group="",resource="pods",verb="LIST"}';
  expect(text.split("\n").find((line) => line.startsWith(series))).toBe(`${series} 0.015`);
  expect(lines).toEqual([]);
});

it.each(ways)("logs the request that held it for more than 20 ms: %s", async (_, answer) => {
  await measured((request) => answer(request, 21));
  expect(lines).toMatchObject([
    { verb: "LIST", resource: "pods", path: "/api/v1/namespaces/a/pods", auditId: "id", heldMs: 21 },
  ]);
});

it("counts what the server ended to protect itself", async () => {
  await measured(() => ({ status: 429, headers: {} }));
  await measured((request) => {
    request.notes.terminated = true;
    return { status: 429, headers: {} };
  });
  expect(await metrics.text()).toContain(
    'apiserver_request_terminations_total{code="429",component="apiserver",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"} 1\n',
  );
});

it("counts a connection that was taken over as open until it closes", async () => {
  const socket = new Duplex({ read: () => undefined });
  const received = inProcessRequest({
    method: "GET",
    url: "/",
    upgrade: { socket, head: Buffer.of(), raw: undefined },
  });
  const watching = targetedRequest(received, { ...target, verb: "watch" }, "id");
  const counted = async () => {
    const shown = (await metrics.text()).split("\n").filter((line) => !line.startsWith("#"));
    const of = (name: string) =>
      shown
        .find((line) => line.startsWith(name))
        ?.split(" ")
        .at(-1);
    return [of("apiserver_longrunning_requests"), of("apiserver_request_total")];
  };
  await step(watching, () => ({ status: 101, headers: {}, hijacked: true }));
  expect(await counted()).toEqual(["1", undefined]);
  await nextTurn();
  pass(1_000);
  socket.destroy();
  await nextTurn();
  expect([...(await counted()), lines]).toEqual(["0", "1", []]);
  await step(watching, () => ({ status: 101, headers: {}, hijacked: true }));
  expect(await counted()).toEqual(["0", "2"]);
});

it("logs one of many in ten seconds, by verb and resource, and then says how many there were", async () => {
  const hold = (of?: ResourceTarget) =>
    measured(() => {
      pass(30);
      return OK;
    }, of);
  for (let count = 0; count < 5; count++) await hold();
  await hold({ ...target, resource: "secrets" });
  expect(lines).toMatchObject([
    { resource: "pods", notLogged: 0 },
    { resource: "secrets", notLogged: 0 },
  ]);
  pass(10_000);
  await hold();
  expect(lines).toMatchObject([{}, {}, { resource: "pods", notLogged: 4 }]);
});
