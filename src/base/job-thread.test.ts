// A thread that does jobs one after the other: their answers, their ends, and its own.

import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "./clock.ts";
import { JobThread } from "./job-thread.ts";

/** Answers with the message and how many came before it, or fails as the message says. */
const PROGRAM = `
const { parentPort } = require("node:worker_threads");
let before = 0;
parentPort.on("message", (message) => {
  if (message === "throw") throw new Error("no");
  if (message === "exit") process.exit(3);
  if (message === "never") return;
  if (message === "fill") { const all = []; for (;;) all.push(new Array(10000).fill(all.length)); }
  parentPort.postMessage({ message, before: before++ });
});`;

const clock = new FakeClock();
const threads: JobThread[] = [];
const start = () => {
  const thread = new JobThread({ program: PROGRAM, clock, maxHeapMib: 16 });
  threads.push(thread);
  return thread;
};

afterEach(() => {
  for (const thread of threads.splice(0)) thread.close();
});

describe("JobThread", () => {
  it("answers in the order in which it was asked, in one thread", async () => {
    const thread = start();
    const answers = await Promise.all(["a", "b", "c"].map((message) => thread.run(message)));
    expect(answers).toEqual(["a", "b", "c"].map((message, before) => ({ message, before })));
  });

  it("takes what is transferred away from the sender", async () => {
    const bytes = new Uint8Array([1, 2]);
    expect(await start().run(bytes, [bytes.buffer])).toEqual({ message: new Uint8Array([1, 2]), before: 0 });
    expect(bytes.length).toBe(0);
  });

  it.each([
    ["throw", "crash"],
    ["exit", "crash"],
    ["fill", "memory"],
  ])("goes on with a new thread after a job that ends it: %s", async (message, problem) => {
    const thread = start();
    const jobs = await Promise.allSettled([thread.run(message), thread.run("next")]);
    expect(jobs).toEqual([
      { status: "rejected", reason: expect.objectContaining({ problem }) },
      { status: "fulfilled", value: { message: "next", before: 0 } },
    ]);
  });

  it("goes on with a new thread after a job that takes too long", async () => {
    const thread = start();
    await thread.run("first");
    const late = thread.run("never");
    const next = thread.run("next");
    await Promise.all([expect(late).rejects.toMatchObject({ problem: "time" }), clock.advance(60_000)]);
    expect(await next).toEqual({ message: "next", before: 0 });
  });

  it("ends when it has been idle, and begins anew", async () => {
    const thread = start();
    await thread.run("a");
    await clock.advance(9_000);
    expect(await thread.run("b")).toEqual({ message: "b", before: 1 });
    await clock.advance(10_000);
    expect(await thread.run("c")).toEqual({ message: "c", before: 0 });
  });

  it("refuses more than may wait", async () => {
    const thread = start();
    const taken = Array.from({ length: 1_001 }, () => thread.run("never").catch(() => "closed"));
    await expect(thread.run("one more")).rejects.toMatchObject({ problem: "busy" });
    thread.close();
    expect(new Set(await Promise.all(taken))).toEqual(new Set(["closed"]));
  });

  it("does nothing once it is closed", async () => {
    const thread = start();
    thread.close();
    await expect(thread.run("a")).rejects.toMatchObject({ problem: "closed" });
  });
});
