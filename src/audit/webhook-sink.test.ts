import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebhookSink } from "./webhook-sink.ts";

interface Batch {
  readonly items: readonly unknown[];
}

describe("the audit webhook", () => {
  let sent: Batch[];
  let lost: number;
  let status: number;
  beforeEach(() => {
    vi.useFakeTimers();
    sent = [];
    lost = 0;
    status = 200;
  });
  afterEach(() => vi.useRealTimers());

  const sink = (mode: "batch" | "blocking") =>
    new WebhookSink({
      mode,
      apiVersion: "audit/v1",
      initialBackoffMs: 1000,
      post: async (body) => {
        sent.push(body as Batch);
        return status;
      },
      onError: (_error, lostEvents) => {
        lost += lostEvents;
      },
      close: () => undefined,
    });

  it("sends events together, when there are many or some have waited long", async () => {
    const one = sink("batch");
    for (let i = 0; i < 405; i += 1) expect(one.record(`{"i":${i}}`)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.map(({ items }) => items.length)).toEqual([400, 5]);
    one.record("{}");
    await vi.advanceTimersByTimeAsync(29_999);
    expect(sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(3);
  });

  it("tries again while the receiver is ill, then gives up", async () => {
    status = 503;
    const one = sink("batch");
    one.record("{}");
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sent.length, lost]).toEqual([5, 1]);
  });

  it("does not repeat what the receiver refuses", async () => {
    status = 400;
    await expect(sink("blocking").record("{}")).rejects.toThrow("the receiver answered 400");
    expect(sent).toHaveLength(1);
  });

  it("sends what is waiting before it ends", async () => {
    const one = sink("batch");
    one.record("{}");
    await one.close();
    expect(sent).toHaveLength(1);
  });
});
