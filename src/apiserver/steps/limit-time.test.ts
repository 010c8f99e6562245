import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import type { BodyWriter, Response } from "../../http/message.ts";
import type { Answer } from "../../http/pipeline.ts";
import { type TargetedRequest, targetedRequest } from "../../registry/request.ts";
import { targetOf } from "../request-path.ts";
import { limitTime } from "./limit-time.ts";

const OK: Response = { status: 200, headers: {} };
const PODS = "/api/v1/namespaces/default/pods";
const MAX_MS = 60_000;

function request(url: string, method = "GET"): TargetedRequest {
  const received = inProcessRequest({ method, url });
  return targetedRequest(received, targetOf(method, received.path, received)!, "");
}

const never = (): Answer => new Promise<Response>(() => undefined);

describe("limitTime", () => {
  it.each([
    ["what the server gives", PODS, MAX_MS],
    ["what the request asks for", `${PODS}?timeout=1500ms`, 1_500],
    ["no more than the server gives", `${PODS}?timeout=2h`, MAX_MS],
    ["what the server gives where nothing is asked for", `${PODS}?timeout=0`, MAX_MS],
    ["what the server gives for less than nothing", `${PODS}?timeout=-1s`, MAX_MS],
    ["what the server gives for an empty wish", `${PODS}?timeout=`, MAX_MS],
    ["what the server gives beside another parameter", `${PODS}?xtimeout=1s`, MAX_MS],
  ])("gives a request %s", async (_what, url, ms) => {
    const clock = new FakeClock();
    const one = request(url);
    let outcome: unknown;
    void Promise.resolve(limitTime(clock, MAX_MS)(one, never)).catch((error) => {
      outcome = error;
    });
    expect(one.deadlineMs).toBe(ms);
    await clock.advance(ms - 1);
    expect([outcome, one.cancelled]).toEqual([undefined, false]);
    await clock.advance(1);
    expect(outcome).toMatchObject({
      code: 504,
      reason: "Timeout",
      message: "Timeout: request did not complete within the allotted timeout",
    });
    expect([one.cancelled, one.signal.aborted, one.notes.terminated]).toEqual([true, true, true]);
  });

  it.each(["x", "5", "1s2", "s", "1e9s", "9".repeat(1_000)])("refuses the timeout %j", (text) => {
    expect(() => limitTime(new FakeClock(), MAX_MS)(request(`${PODS}?timeout=${text}`), () => OK)).toThrow(
      /^invalid timeout specified in the request URL - time: /,
    );
  });

  it.each([`${PODS}?watch=1&timeout=1s`, `${PODS}/a/exec`, `${PODS}/a/log?follow=1`, `${PODS}/a/proxy/b`])(
    "gives %s all the time it wants",
    (url) => {
      const clock = new FakeClock();
      const one = request(url);
      void limitTime(clock, MAX_MS)(one, never);
      expect([one.deadlineMs, clock.waiting]).toEqual([Number.POSITIVE_INFINITY, 0]);
    },
  );

  it("leaves no timer behind, whatever comes of the request", async () => {
    const clock = new FakeClock();
    const step = limitTime(clock, MAX_MS);
    expect(step(request(PODS), () => OK)).toBe(OK);
    expect(await step(request(PODS), async () => OK)).toBe(OK);
    await expect(step(request(PODS), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(clock.waiting).toBe(0);
  });

  it("ends the body of an answer that came too late", async () => {
    const clock = new FakeClock();
    let answer = (_: Response): void => undefined;
    const late = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const limited = Promise.resolve(limitTime(clock, MAX_MS)(request(PODS), () => late));
    const outcome = limited.catch((error: unknown) => error);
    await clock.advance(MAX_MS);
    expect(await outcome).toMatchObject({ code: 504 });
    let wasGone: boolean | undefined;
    const body = {
      stream: async ({ signal }: BodyWriter) => {
        wasGone = signal.aborted;
        throw new Error("nobody is told");
      },
    };
    answer({ ...OK, body });
    await late;
    await new Promise((resolve) => setImmediate(resolve));
    expect(wasGone).toBe(true);
  });
});
