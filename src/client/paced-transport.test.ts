import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { PacedTransport } from "./paced-transport.ts";
import type { ApiResponse, Transport } from "./transport.ts";

function paced(perSecond: number, burst: number) {
  const clock = new FakeClock(0);
  let sent = 0;
  const inner = {
    request: async () => {
      sent += 1;
      return {} as ApiResponse;
    },
  } as unknown as Transport;
  const transport = new PacedTransport(inner, { clock, perSecond, burst });
  const ask = (count: number, signal?: AbortSignal) =>
    Array.from({ length: count }, () =>
      transport.request({ method: "GET", path: "/", ...(signal === undefined ? {} : { signal }) }),
    );
  return { clock, ask, sent: () => sent };
}

it("some requests go at once, the others at an even pace", async () => {
  const { clock, ask, sent } = paced(10, 3);
  const all = Promise.all(ask(5));
  await clock.advance(0);
  expect(sent()).toBe(3);
  await clock.advance(100);
  expect(sent()).toBe(4);
  await clock.advance(100);
  await all;
  expect(sent()).toBe(5);
});

it("after a quiet time some go at once again, and not more than before", async () => {
  const { clock, ask, sent } = paced(10, 3);
  await Promise.all(ask(3));
  await clock.advance(60_000);
  void Promise.all(ask(5));
  await clock.advance(0);
  expect(sent()).toBe(6);
});

it("who is not paced never waits", async () => {
  const { ask, sent } = paced(-1, 0);
  await Promise.all(ask(500));
  expect(sent()).toBe(500);
});

it("who waits may give up", async () => {
  const { ask } = paced(1, 1);
  const stop = new AbortController();
  const [, second] = ask(2, stop.signal);
  stop.abort(new Error("enough"));
  await expect(second).rejects.toThrow();
});
