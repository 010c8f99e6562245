import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { WorkQueue } from "./work-queue.ts";

const drain = async (queue: WorkQueue): Promise<string[]> => {
  const taken: string[] = [];
  while (queue.length > 0) taken.push((await queue.take())!);
  return taken;
};

describe("a work queue", () => {
  it("hands a key out once, however often it was added", async () => {
    const queue = new WorkQueue({ clock: new FakeClock() });
    for (const key of ["a", "b", "a"]) queue.add(key);
    expect(await drain(queue)).toEqual(["a", "b"]);
  });

  it("does not hand out a key that is being worked on, but keeps it for afterwards", async () => {
    const queue = new WorkQueue({ clock: new FakeClock() });
    queue.add("a");
    expect(await queue.take()).toBe("a");
    queue.add("a");
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(await drain(queue)).toEqual(["a"]);
    queue.done("a");
    expect(queue.length).toBe(0);
  });

  it("counts what was added before the work began as part of it, and nothing that comes later", async () => {
    const queue = new WorkQueue({ clock: new FakeClock() });
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.begin("a");
    queue.done("a");
    expect(queue.length).toBe(0);
    queue.add("a");
    await queue.take();
    queue.begin("a");
    queue.add("a");
    queue.done("a");
    expect(queue.length).toBe(1);
  });

  it("gives a key to whoever waits for one", async () => {
    const queue = new WorkQueue({ clock: new FakeClock() });
    const taken = queue.take();
    queue.add("a");
    expect(await taken).toBe("a");
    queue.add("a");
    expect(queue.length).toBe(0);
  });

  it("brings keys back after their delay, the earliest first", async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("late", 2_000);
    queue.addAfter("early", 1_000);
    queue.addAfter("late", 60_000);
    queue.addAfter("late", 1_500);
    await clock.advance(999);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await drain(queue)).toEqual(["early"]);
    await clock.advance(500);
    expect(await drain(queue)).toEqual(["late"]);
    await clock.advance(100_000);
    expect(queue.length).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it("waits longer after every failure of a key, until it is forgotten", async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    const waitedMs = async () => {
      queue.addRateLimited("a");
      let ms = 0;
      while (queue.length === 0) {
        await clock.advance(5);
        ms += 5;
      }
      queue.done((await queue.take())!);
      return ms;
    };
    expect([await waitedMs(), await waitedMs(), await waitedMs(), await waitedMs()]).toEqual([5, 10, 20, 40]);
    expect(queue.failuresOf("a")).toBe(4);
    queue.forget("a");
    expect(await waitedMs()).toBe(5);
  });

  it("lets no more keys come back after failures than it may in a second", async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock, retries: { perSecond: 10, burst: 100 } });
    for (let index = 0; index < 200; index += 1) queue.addRateLimited(`key-${index}`);
    await clock.advance(5);
    expect(queue.length).toBe(100);
    await clock.advance(5_000);
    expect(queue.length).toBe(150);
    await clock.advance(5_000);
    expect(queue.length).toBe(200);
  });

  it("lets flows take turns", async () => {
    const queue = new WorkQueue({ clock: new FakeClock(), flowOf: (key) => key.split("/")[0]! });
    for (const key of ["big/1", "big/2", "big/3", "big/4", "small/1", "other/1"]) queue.add(key);
    expect(await drain(queue)).toEqual(["big/1", "small/1", "other/1", "big/2", "big/3", "big/4"]);
  });

  it("ends whoever waits when it is closed, and takes nothing more", async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    const waiting = queue.take();
    queue.addAfter("a", 10);
    queue.close();
    queue.add("b");
    expect([await waiting, await queue.take()]).toEqual([undefined, undefined]);
    expect(clock.waiting).toBe(0);
  });

  it("holds no more delayed entries than it has keys, however often they change", async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    for (let index = 100_000; index > 0; index -= 1) queue.addAfter("a", index * 10);
    expect(clock.waiting).toBe(1);
    await clock.advance(10);
    expect(await drain(queue)).toEqual(["a"]);
  });
});
