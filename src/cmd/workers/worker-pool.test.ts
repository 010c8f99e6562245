import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type { ConnectionTaker } from "./front-door.ts";
import type { WorkerSetup } from "./worker-messages.ts";
import { WorkerPool } from "./worker-pool.ts";

/** Says that it is ready, and ends when it is told to. */
const WORKER = `
  process.on("message", ({ type }) => {
    if (type === "setup") process.send({ type: "ready" });
    if (type === "stop") process.exit(0);
  });
`;
/** Tells one answer once it serves, and says again what it hears. */
const TELLING = `
  process.on("message", ({ type, answer }) => {
    if (type === "setup") process.send({ type: "ready" });
    if (type === "answer") process.send({ type: "answer", answer: { ...answer, key: answer.key + "+" } });
    if (type === "stop") process.exit(0);
  });
`;
/** Is ready, and hears nothing any more. */
const DEAF = `
  process.on("message", () => process.send({ type: "ready" }, () => { for (;;); }));
`;
/** Has counted two, once; does not answer the second time it is asked. */
const COUNTING = `
  let answers = 0;
  process.on("message", ({ type, id }) => {
    if (type === "setup") process.send({ type: "ready" });
    const text = "# HELP a A.\\n# TYPE a counter\\na 2\\n# HELP b_depth B.\\n# TYPE b_depth gauge\\nb_depth 3\\n";
    if (type === "expose" && answers++ === 0) process.send({ type: "exposed", id, text });
    if (type === "stop") process.exit(0);
  });
`;
const FAILING = `process.send({ type: "failed", message: "no room" }, () => process.exit(1));`;

describe("the workers of a server", () => {
  let folder: string;
  let clock: FakeClock;
  let pool: WorkerPool | undefined;
  let serving: Set<{ readonly pid: number }>;
  /** Called at the next one that comes or goes. */
  let onMove: () => void;
  let answers: string[];
  let gone: number[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "plinth-workers-"));
    clock = new FakeClock();
    serving = new Set();
    answers = [];
    gone = [];
    onMove = () => undefined;
  });

  afterEach(async () => {
    await pool?.stop();
    rmSync(folder, { recursive: true });
  });

  function make(count: number, script: string): WorkerPool {
    const program = join(folder, "worker.cjs");
    writeFileSync(program, script);
    const move = (change: (taker: never) => void) => (taker: ConnectionTaker) => {
      change(taker as never);
      onMove();
    };
    pool = new WorkerPool({
      count,
      program: [program],
      setup: () => ({}) as WorkerSetup,
      door: { add: move((taker) => serving.add(taker)), remove: move((taker) => serving.delete(taker)) },
      serveStore: undefined,
      expose: async () => "",
      onAnswer: ({ key }) => answers.push(key),
      onGone: (pid) => gone.push(pid),
      log: silentLog,
      clock,
    });
    return pool;
  }

  const moved = () => new Promise<void>((resolve) => (onMove = resolve));

  async function killOne(): Promise<number> {
    const [{ pid }] = serving as unknown as [{ pid: number }];
    const gone = moved();
    process.kill(pid, "SIGKILL");
    await gone;
    // The next one is scheduled when everybody has heard of it.
    await nextTurn();
    return pid;
  }

  it("serve when they are ready, and are replaced when they end", async () => {
    await make(2, WORKER).start();
    expect(serving.size).toBe(2);
    const pid = await killOne();
    expect(serving.size).toBe(1);
    const replaced = moved();
    await clock.advance(100);
    await replaced;
    expect(serving.size).toBe(2);
    expect([...serving].map((worker) => worker.pid)).not.toContain(pid);
  });

  it("are told of once each, when they have ended", async () => {
    await make(2, WORKER).start();
    const pids = [...serving].map(({ pid }) => pid);
    expect(gone).toEqual([]);
    const pid = await killOne();
    await expect.poll(() => gone).toEqual([pid]);
    await pool!.stop();
    // One that took its place may have ended as well.
    await expect.poll(() => gone).toEqual(expect.arrayContaining(pids));
    expect(new Set(gone).size).toBe(gone.length);
  });

  it("are replaced later and later while they do not last, and soon once one has", async () => {
    await make(1, WORKER).start();
    for (const [livedMs, pauseMs] of [
      [0, 100],
      [0, 200],
      [31_000, 100],
      [0, 100],
    ] as const) {
      await clock.advance(livedMs);
      await killOne();
      await clock.advance(pauseMs - 1);
      expect(clock.waiting).toBe(1);
      const replaced = moved();
      await clock.advance(1);
      await replaced;
    }
  });

  it("that cannot start fail the start, with their reason", async () => {
    await expect(make(1, FAILING).start()).rejects.toThrow("a worker could not start: no room");
  });

  it("hear what one of them has learnt, and the owner does", async () => {
    await make(2, TELLING).start();
    pool!.tell({ topic: "t", key: "k", value: 1, lifeMs: 10 });
    // Each of the two hears it and tells the other, who tells again, and so on.
    await expect.poll(() => answers.toSorted().slice(0, 4)).toEqual(["k+", "k+", "k++", "k++"]);
  });

  it("have counted what they have counted, when they have ended or do not answer, too", async () => {
    await make(1, COUNTING).start();
    const samples = async (waitMs = 0) => {
      const exposed = pool!.expose("metrics");
      await clock.advance(waitMs);
      return (await exposed).split("\n").filter((line) => !line.startsWith("#"));
    };
    expect(await samples()).toEqual(["a 2", "b_depth 3", ""]);
    expect(await samples(2_000)).toEqual(["a 2", "b_depth 3", ""]);
    await killOne();
    expect(await samples()).toEqual(["a 2", ""]);
  });

  it("that are stopped are not replaced", async () => {
    await make(1, WORKER).start();
    await pool!.stop();
    expect([serving.size, clock.waiting]).toEqual([0, 0]);
  });

  it("lose no connection that a worker was given and has not taken when it ends", async () => {
    const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await make(1, DEAF).start();
    const [worker] = serving as unknown as [ConnectionTaker];
    const clients: Promise<unknown>[] = [];
    for (let index = 0; index < 3; index += 1) {
      const accepted = once(server, "connection") as Promise<[Socket]>;
      const client = connect(port, "127.0.0.1").on("error", () => undefined);
      clients.push(once(client, "close"));
      worker!.take((await accepted)[0]);
    }
    await killOne();
    // Their clients hear that they are closed, and come again.
    await Promise.all(clients);
    server.close();
  });
});
