// Where the scheduler runs, by the number of nodes.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { type ClientInProcess, clientInProcess } from "../../client/client.testing.ts";
import { GrowingScheduler } from "./growing-scheduler.ts";

const COUNT_MS = 10_000;

let cluster: ClientInProcess;
let clock: FakeClock;
let scheduler: GrowingScheduler;
/** What was started and stopped, in this order. */
let told: string[];

beforeEach(async () => {
  cluster = await clientInProcess();
  clock = new FakeClock();
  told = [];
  const acting = (where: string) => ({
    prepare: async () => void told.push(`prepare ${where}`),
    start: async () => void told.push(`start ${where}`),
    stop: async () => void told.push(`stop ${where}`),
  });
  scheduler = new GrowingScheduler({
    client: cluster.client,
    clock,
    log: silentLog,
    manyNodes: 3,
    here: () => acting("here"),
    inThread: () => acting("in thread"),
  });
});
afterEach(async () => {
  await scheduler.stop();
  await cluster.close();
});

async function createNodes(...names: string[]): Promise<void> {
  for (const name of names) await cluster.client.core.v1.nodes().create({ metadata: { name } });
}

describe("a scheduler beside the server", () => {
  it("stays there while there are few nodes", async () => {
    await createNodes("a", "b");
    await scheduler.start();
    await clock.advance(3 * COUNT_MS);
    await scheduler.stop();
    expect(told).toEqual(["start here", "stop here"]);
  });

  it("has a thread of its own from the start where there are many", async () => {
    await createNodes("a", "b", "c");
    await scheduler.start();
    expect(told).toEqual(["start in thread"]);
  });

  it("moves when there are many, and stays there", async () => {
    await createNodes("a", "b");
    await scheduler.start();
    await createNodes("c");
    await clock.advance(COUNT_MS);
    await expect.poll(() => told).toEqual(["start here", "stop here", "start in thread"]);
    await cluster.client.core.v1.nodes().delete("a");
    await clock.advance(3 * COUNT_MS);
    await scheduler.stop();
    expect(told).toEqual(["start here", "stop here", "start in thread", "stop in thread"]);
  });

  it.each([
    ["here", ["a"]],
    ["in thread", ["a", "b", "c"]],
  ])("gets ready where it will begin: %s", async (where, nodes) => {
    await createNodes(...nodes);
    await scheduler.prepare();
    await scheduler.start();
    await scheduler.stop();
    expect(told).toEqual([`prepare ${where}`, `start ${where}`, `stop ${where}`]);
  });

  it("that gets ready and is never started ends all the same", async () => {
    await scheduler.prepare();
    await scheduler.stop();
    expect(told).toEqual(["prepare here", "stop here"]);
  });

  it("runs where it is while nodes cannot be counted", async () => {
    await createNodes("a", "b", "c");
    const refused = { ...cluster.client.transport, request: () => Promise.reject(new Error("no")) };
    const parts = { client: cluster.client.with({ transport: refused }), clock, log: silentLog, manyNodes: 3 };
    const acting = {
      prepare: async () => undefined,
      start: async () => void told.push("start here"),
      stop: async () => undefined,
    };
    const blind = new GrowingScheduler({ ...parts, here: () => acting, inThread: () => expect.fail("no nodes seen") });
    await blind.start();
    await clock.advance(COUNT_MS);
    await blind.stop();
    expect(told).toEqual(["start here"]);
  });

  it("that is stopped before nodes are counted never begins", async () => {
    const started = scheduler.start();
    await Promise.all([expect(started).rejects.toThrow("the scheduler was stopped"), scheduler.stop()]);
    expect(told).toEqual([]);
  });
});
