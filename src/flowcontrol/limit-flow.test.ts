import { describe, expect, it } from "vitest";
import { targetOf } from "../apiserver/request-path.ts";
import { systemClock } from "../base/clock.ts";
import { inProcessRequest } from "../http/in-process.ts";
import type { Response } from "../http/message.ts";
import type { Step } from "../http/pipeline.ts";
import { type AuthenticatedRequest, authenticatedRequest, targetedRequest } from "../registry/request.ts";
import { FlowControl } from "./flow-control.ts";
import { FlowMetrics } from "./flow-metrics.ts";
import { limitFlow } from "./limit-flow.ts";
import { limitFlowPlain } from "./limit-flow-plain.ts";

function request(method: string, url: string, groups: string[] = ["system:authenticated"]): AuthenticatedRequest {
  const received = inProcessRequest({ method, url });
  const target = targetOf(method, received.path, received)!;
  return authenticatedRequest(targetedRequest(received, target, ""), { name: "alice", groups });
}

const OK: Response = { status: 200, headers: {} };
const PODS = "/api/v1/namespaces/default/pods";
const MASTERS = ["system:masters"];

/** Runs requests through the step; each stays until `end` is called. */
function stage(step: Step<AuthenticatedRequest, AuthenticatedRequest>) {
  let running = 0;
  const ends: (() => void)[] = [];
  const next = () =>
    new Promise<Response>((resolve) => {
      running += 1;
      ends.push(() => resolve(OK));
    });
  return { send: (one: AuthenticatedRequest) => step(one, next), running: () => running, end: () => ends.shift()!() };
}

/** One seat, in the level catch-all, which lets nobody wait. */
const oneSeat = () =>
  limitFlow(
    new FlowControl({ totalSeats: 1, maxWaitMs: 1_000, clock: systemClock, metrics: new FlowMetrics(undefined) }),
  );

const TOO_MANY = {
  status: 429,
  headers: {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "retry-after": "1",
  },
  body: Buffer.from("Too many requests, please try again later.\n"),
};

describe("limitFlow", () => {
  it("answers 429 in plain text with a time to come back, and lets requests in again when one has ended", async () => {
    const { send, running, end } = stage(oneSeat());
    const first = send(request("GET", PODS));
    expect(await send(request("GET", PODS))).toEqual(TOO_MANY);
    end();
    await first;
    void send(request("GET", PODS));
    expect(running()).toBe(2);
  });

  it.each([
    ["a request for an exec session", request("POST", `${PODS}/a/exec`)],
    ["an administrator", request("GET", PODS, MASTERS)],
    ["a profile", request("GET", "/debug/pprof/profile")],
  ])("does not keep %s out", (_what, other) => {
    const { send, running } = stage(oneSeat());
    void send(request("GET", PODS));
    void send(other);
    expect(running()).toBe(2);
  });

  it("takes a seat for the start of a watch and gives it back when the watch stands", async () => {
    const step = oneSeat();
    const watch = stage(step);
    const answer = watch.send(request("GET", `${PODS}?watch=1`));
    expect((await step(request("GET", PODS), () => OK)).status).toBe(429);
    watch.end();
    expect((await answer).status).toBe(200);
    expect((await step(request("GET", PODS), () => OK)).status).toBe(200);
  });

  it("answers in the same turn where a seat is free", () => {
    expect(oneSeat()(request("GET", PODS), () => OK)).toBe(OK);
  });

  it("gives the seat back when the request fails", async () => {
    const step = oneSeat();
    const fail = () => {
      throw new Error("no");
    };
    expect(() => step(request("GET", PODS), fail)).toThrow("no");
    await expect(step(request("GET", PODS), () => Promise.reject(new Error("late")))).rejects.toThrow("late");
    expect(step(request("GET", PODS), () => OK)).toBe(OK);
  });

  it("notes on the request which objects decided", () => {
    const one = request("GET", PODS);
    void oneSeat()(one, () => OK);
    // The mandatory objects are not stored here: they have no uid yet.
    expect(one.notes.flow).toEqual({ schemaUid: "", levelUid: "" });
  });
});

describe("limitFlowPlain", () => {
  it("sends away who comes on top of the limit, reads and writes apart", async () => {
    const { send, running, end } = stage(limitFlowPlain({ reads: 1, writes: 1 }));
    const first = send(request("GET", PODS));
    expect(await send(request("GET", PODS))).toEqual(TOO_MANY);
    void send(request("POST", PODS));
    const refused = request("DELETE", `${PODS}/a`);
    expect([await send(refused), refused.notes.terminated]).toEqual([TOO_MANY, true]);
    expect(running()).toBe(2);
    end();
    await first;
    void send(request("GET", PODS));
    expect(running()).toBe(3);
  });

  it.each([
    ["an administrator", request("GET", PODS, MASTERS)],
    ["a watch", request("GET", `${PODS}?watch=1`)],
  ])("always lets %s in", (_what, other) => {
    const { send, running } = stage(limitFlowPlain({ reads: 1, writes: 1 }));
    void send(request("GET", PODS));
    void send(other);
    expect(running()).toBe(2);
  });

  it("has no limit where the limit is 0", () => {
    const { send, running } = stage(limitFlowPlain({ reads: 0, writes: 0 }));
    for (let count = 0; count < 50; count += 1) void send(request("GET", PODS));
    expect(running()).toBe(50);
  });
});
