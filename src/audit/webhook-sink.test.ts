import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import { WebhookSink, type WebhookSinkOptions } from "./webhook-sink.ts";

interface Batch {
  readonly items: readonly unknown[];
}

describe("the audit webhook", () => {
  let clock: FakeClock;
  let sent: Batch[];
  let lost: number;
  let status: number;
  beforeEach(() => {
    clock = new FakeClock();
    sent = [];
    lost = 0;
    status = 200;
  });

  const BATCHES = {
    maxEvents: 400,
    maxBytes: Number.POSITIVE_INFINITY,
    maxWaitMs: 30_000,
    maxWaitingEvents: 10_000,
    throttle: undefined,
  };

  const sink = (
    mode: "batch" | "blocking",
    batches: Partial<WebhookSinkOptions["batches"]> = {},
    post?: WebhookSinkOptions["post"],
  ) =>
    new WebhookSink({
      mode,
      batches: { ...BATCHES, ...batches },
      clock,
      apiVersion: "audit/v1",
      initialBackoffMs: 1000,
      post:
        post ??
        (async (body) => {
          sent.push(JSON.parse(Buffer.from(body).toString()) as Batch);
          return status;
        }),
      onError: (_error, lostEvents) => {
        lost += lostEvents;
      },
      close: () => undefined,
    });

  it("sends events together, when there are many or some have waited long", async () => {
    const one = sink("batch");
    for (let i = 0; i < 405; i += 1) expect(one.record({ text: `{"i":${i}}` })).toBeUndefined();
    await nextTurn();
    expect(sent.map(({ items }) => items.length)).toEqual([400, 5]);
    one.record({ text: "{}" });
    await clock.advance(29_999);
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    expect(sent).toHaveLength(3);
  });

  it("tries again while the receiver is ill, then gives up", async () => {
    status = 503;
    const one = sink("batch");
    one.record({ text: "{}" });
    await clock.advance(60_000);
    expect([sent.length, lost]).toEqual([5, 1]);
  });

  it("keeps batches short in bytes, and sends a longer event alone", async () => {
    const one = sink("batch", { maxBytes: 20 });
    for (const length of [5, 5, 30, 5]) one.record({ text: JSON.stringify("x".repeat(length)) });
    await clock.advance(30_000);
    expect(sent.map(({ items }) => items.length)).toEqual([2, 1, 1]);
  });

  it("sends very large events one by one, however large batches may be", async () => {
    const one = sink("batch");
    for (const letter of ["x", "y"]) one.record({ text: JSON.stringify(letter.repeat(3 * 1024 * 1024)) });
    await clock.advance(30_000);
    expect(sent.map(({ items }) => items.map((item) => (item as string).slice(0, 2)))).toEqual([["xx"], ["yy"]]);
  });

  it("loses events while too many wait", async () => {
    const one = sink("batch", { maxWaitingEvents: 3 });
    for (let i = 0; i < 5; i += 1) one.record({ text: "{}" });
    await clock.advance(30_000);
    expect([sent.map(({ items }) => items.length), lost]).toEqual([[3], 2]);
  });

  it("loses events while those that wait are too long together, and takes more when they are sent", async () => {
    const one = sink("batch");
    const long = JSON.stringify("x".repeat(100 * 1024 * 1024));
    for (let i = 0; i < 5; i += 1) one.record({ text: long });
    expect(lost).toBe(2);
    await clock.advance(30_000);
    expect(sent).toHaveLength(3);
    one.record({ text: "{}" });
    await clock.advance(30_000);
    expect([sent.length, lost]).toEqual([4, 2]);
  });

  it("sends only so many batches in a second, after a burst", async () => {
    const one = sink("batch", { maxEvents: 1, throttle: { perSecond: 2, burst: 2 } });
    for (let i = 0; i < 5; i += 1) one.record({ text: "{}" });
    await nextTurn();
    expect(sent).toHaveLength(2);
    await clock.advance(500);
    expect(sent).toHaveLength(3);
    await clock.advance(1_000);
    expect(sent).toHaveLength(5);
  });

  it("does not repeat what the receiver refuses", async () => {
    status = 400;
    await expect(sink("blocking").record({ text: "{}" })).rejects.toThrow("the receiver answered 400");
    expect(sent).toHaveLength(1);
  });

  it("ends soon where the receiver is gone, and says how much is lost", async () => {
    const one = sink("batch", { maxEvents: 1 }, async () => {
      sent.push({ items: [] });
      throw new Error("no answer");
    });
    for (let i = 0; i < 5; i += 1) one.record({ text: "{}" });
    await one.close();
    expect([sent.length, lost]).toEqual([1, 5]);
  });

  it("sends what is waiting before it ends, though the receiver refuses some of it", async () => {
    status = 400;
    const one = sink("batch", { maxEvents: 1 });
    for (let i = 0; i < 5; i += 1) one.record({ text: "{}" });
    await one.close();
    expect([sent.length, lost]).toEqual([5, 5]);
  });

  it("sends what is waiting before it ends", async () => {
    const one = sink("batch");
    one.record({ text: "{}" });
    await one.close();
    expect(sent).toHaveLength(1);
  });
});
