import { describe, expect, it } from "vitest";
import { dealHand, MAX_QUEUES, Queue, Queues, type Waiter, WaitingQueues } from "./fair-queue.ts";

describe("dealHand", () => {
  it.each([
    [128, 6],
    [16, 4],
    [1, 1],
    [20, 20],
  ])("deals from %i queues %i different ones, the same for the same flow", (queues, handSize) => {
    const hand = dealHand("schema\0alice", queues, handSize);
    expect(new Set(hand).size).toBe(handSize);
    expect(hand.every((index) => index >= 0 && index < queues)).toBe(true);
    expect(dealHand("schema\0alice", queues, handSize)).toEqual(hand);
  });

  it("spreads flows over all queues", () => {
    const counts = new Array<number>(64).fill(0);
    for (let flow = 0; flow < 2_000; flow += 1) for (const index of dealHand(`f${flow}`, 64, 6)) counts[index]! += 1;
    // 187 on average each.
    expect(Math.min(...counts)).toBeGreaterThan(120);
    expect(Math.max(...counts)).toBeLessThan(260);
  });

  it("seldom deals two flows the same hand", () => {
    const hands = Array.from({ length: 500 }, (_, flow) => String(dealHand(`f${flow}`, 128, 6).sort((a, b) => a - b)));
    expect(new Set(hands).size).toBe(500);
  });
});

describe("Queues", () => {
  it("does not become larger than makes sense", () => {
    const queues = new Queues({ queues: 10_000_000, handSize: 2, queueLengthLimit: 50 });
    for (let flow = 0; flow < 100; flow += 1) {
      for (const { index } of queues.deal("s", `f${flow}`)) expect(index).toBeLessThan(MAX_QUEUES);
    }
  });
});

describe("WaitingQueues", () => {
  const waiter = (): Waiter => ({ flow: { schema: "", distinguisher: "" }, arrivedMs: 0, seat: () => undefined });

  it("asks the queue with the fewest seats first, and equals in turn", () => {
    const lines = new WaitingQueues();
    const [a, b, c] = [new Queue(0), new Queue(1), new Queue(2)];
    b.executing = 1;
    for (const queue of [a, a, a, b, b, c]) lines.add(queue, waiter());
    const order = Array.from({ length: 6 }, () => lines.next()?.queue.index);
    expect(order).toEqual([0, 2, 1, 0, 1, 0]);
    expect(lines.next()).toBeUndefined();
  });

  it("asks a queue sooner when it has given a seat back", () => {
    const lines = new WaitingQueues();
    const [a, b] = [new Queue(0), new Queue(1)];
    a.executing = 2;
    b.executing = 1;
    lines.add(a, waiter());
    lines.add(b, waiter());
    lines.left(a);
    lines.left(a);
    expect(lines.next()?.queue).toBe(a);
  });

  it("forgets who leaves early", () => {
    const lines = new WaitingQueues();
    const queue = new Queue(0);
    const impatient = waiter();
    lines.add(queue, impatient);
    expect(lines.remove(queue, impatient)).toBe(true);
    expect(lines.remove(queue, impatient)).toBe(false);
    expect(lines.next()).toBeUndefined();
  });
});
