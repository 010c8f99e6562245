import { describe, expect, it, vi } from "vitest";
import { NoSeat, Seats } from "./seats.ts";

const limits = { seats: 1, maxWaiting: 3, maxWaitMs: 1_000 };

describe("Seats", () => {
  it("gives a free seat at once", () => {
    const seats = new Seats(limits);
    expect(seats.take("a")).toBeTypeOf("function");
    expect(seats.taken).toBe(1);
  });

  it("lets waiting users take turns", async () => {
    const seats = new Seats(limits);
    const order: string[] = [];
    const first = (await seats.take("z")) as () => void;
    const wait = async (user: string, name: string) => {
      const release = await seats.take(user);
      order.push(name);
      release();
    };
    const all = [wait("a", "a1"), wait("a", "a2"), wait("b", "b1")];
    first();
    await Promise.all(all);
    expect(order).toEqual(["a1", "b1", "a2"]);
    expect([seats.taken, seats.waiting]).toEqual([0, 0]);
  });

  it("refuses when too many wait", async () => {
    const seats = new Seats({ ...limits, maxWaiting: 1 });
    await seats.take("a");
    void Promise.resolve(seats.take("a")).catch(() => undefined);
    await expect(seats.take("b")).rejects.toBeInstanceOf(NoSeat);
  });

  it("refuses who has waited too long, and forgets him", async () => {
    vi.useFakeTimers();
    try {
      const seats = new Seats(limits);
      await seats.take("a");
      const waiting = expect(seats.take("b")).rejects.toBeInstanceOf(NoSeat);
      await vi.advanceTimersByTimeAsync(1_000);
      await waiting;
      expect(seats.waiting).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("takes a seat back once only", async () => {
    const seats = new Seats(limits);
    const release = (await seats.take("a")) as () => void;
    release();
    release();
    expect(seats.taken).toBe(0);
  });
});
