// A follower and its owner over real tables and a real stream; here both live in one process.

import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { describeStorageContract } from "../contract.testing.ts";
import type { StorageEngine } from "../engine.ts";
import { followLmdbEngine, type LmdbEngine, openLmdbEngine, serveFollower } from "../lmdb-engine.ts";
import { encodeFrame, type OwnerNotice } from "./follower-messages.ts";
import { memoryBackedTmpdir } from "./tmpdir.testing.ts";

/** What an owner says whose disk does not take writes. */
const FAILED: OwnerNotice = { revision: 1, results: [], failure: { code: "Unavailable", message: "the disk is gone" } };

const clock = new FakeClock();
const cleanUp: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const clean of cleanUp.reverse()) await clean();
});

interface Pair {
  readonly owner: LmdbEngine;
  readonly follower: StorageEngine;
  /** The owner's end of the line, and the follower's. */
  readonly line: Socket;
  readonly near: Socket;
  /** What `onLost` was told. */
  readonly losses: unknown[];
}

async function open(): Promise<Pair> {
  const dir = await mkdtemp(join(memoryBackedTmpdir, "plinth-follower-"));
  const owner = await openLmdbEngine({ dir, identity: "test", clock, sweepIntervalMs: 5 });
  const [near, line] = await streamPair(join(dir, "line"));
  serveFollower(owner, line);
  const losses: unknown[] = [];
  const follower = followLmdbEngine(dir, near, (failure) => losses.push(failure));
  cleanUp.push(async () => {
    await follower.close();
    await owner.close();
    await rm(dir, { recursive: true, force: true });
  });
  return { owner, follower, line, near, losses };
}

function streamPair(path: string): Promise<[Socket, Socket]> {
  return new Promise((resolve) => {
    let near: Socket;
    const server = createServer((far) => {
      server.close();
      resolve([near, far]);
    });
    server.listen(path, () => {
      near = connect(path);
    });
  });
}

/** A follower whose end is its owner's, too: an open owner looks at its clock all the time. */
async function openTogether(): Promise<StorageEngine> {
  const { owner, follower } = await open();
  const close = follower.close.bind(follower);
  return Object.assign(follower, { close: () => close().then(() => owner.close()) });
}

describeStorageContract("lmdb, by a follower", openTogether, {
  passSeconds: async (seconds) => clock.advance(seconds * 1_000),
});

describe("a follower", () => {
  const key = (name: string) => `/registry/x/${name}`;
  const bytes = (text: string) => Buffer.from(text);

  it("reads what the owner has written before, and what the owner writes", async () => {
    const { owner, follower } = await open();
    const first = await owner.create(key("a"), bytes("1"));
    expect(await follower.currentRevision()).toBe(first);
    expect(await follower.get(key("a"))).toMatchObject({ revision: first, value: bytes("1") });
    await owner.update(key("a"), bytes("2"), first);
    expect((await follower.list("/registry/x/")).entries).toMatchObject([{ value: bytes("2") }]);
    expect(await follower.count("/registry/")).toBe(1);
  });

  it("shows everybody's changes to its watches in order, before its own writers are answered", async () => {
    const { owner, follower } = await open();
    const after = await follower.currentRevision();
    const seen: string[] = [];
    const stop = new AbortController();
    const watching = follower.watch(
      "/registry/x/",
      after,
      {
        change: ({ type, key, revision, attachment }) =>
          void seen.push(`${type} ${key.slice(-1)} ${revision - after} ${String(attachment)}`),
      },
      stop.signal,
    );
    await owner.create(key("a"), bytes("1"), { attachment: "theirs" });
    const own = await follower.create(key("b"), bytes("1"), { attachment: "own" });
    expect(seen).toEqual(["put a 1 Symbol(by a peer)", "put b 2 own"]);
    await follower.delete(key("b"), own);
    expect(seen.at(-1)).toBe("delete b 3 Symbol(by a peer)");
    stop.abort();
    await watching;
  });

  it("never reads older than any answered write, however many there are", async () => {
    const { owner, follower } = await open();
    for (let round = 0; round < 200; round += 1) {
      const [engine, other] = round % 2 === 0 ? [owner, follower] : [follower, owner];
      const revision = await engine.create(key(`n${round}`), bytes("1"));
      expect(await other.currentRevision()).toBeGreaterThanOrEqual(revision);
      expect(await other.get(key(`n${round}`))).toMatchObject({ revision });
    }
  });

  it("loses only to a write that was first, and says what the key holds now", async () => {
    const { owner, follower } = await open();
    const first = await follower.create(key("a"), bytes("1"));
    const second = await owner.update(key("a"), bytes("2"), first);
    await expect(follower.update(key("a"), bytes("3"), first)).rejects.toMatchObject({
      code: "RevisionMismatch",
      details: { current: { revision: second, value: bytes("2") } },
    });
  });

  it("says that the owner has gone: to writers, to readers of what is newer, to watches", async () => {
    const { follower, line, losses } = await open();
    const after = await follower.currentRevision();
    const watching = follower.watch("/registry/", after, { change: () => undefined }, new AbortController().signal);
    const writing = follower.create(key("a"), bytes("1"));
    line.destroy();
    await expect(watching).rejects.toMatchObject({ code: "Unavailable" });
    // It may have been done.
    await expect(writing).rejects.toMatchObject({ code: "Undecided" });
    expect(follower.failure).toMatchObject({ code: "Unavailable" });
    await expect(follower.create(key("b"), bytes("1"))).rejects.toMatchObject({ code: "Unavailable" });
    expect(losses).toEqual([follower.failure]);
  });

  it.each([
    ["it is closed itself", ({ follower }: Pair) => follower.close()],
    ["the store takes no more writes", ({ line }: Pair) => line.write(encodeFrame(FAILED))],
  ])("has not lost the store when %s", async (_what, end) => {
    const pair = await open();
    const closed = new Promise((resolve) => pair.near.once("close", resolve));
    const watching = pair.follower.watch("/registry/", 1, { change: () => undefined }, new AbortController().signal);
    const refused = expect(watching).rejects.toThrow();
    await end(pair);
    await refused;
    pair.line.destroy();
    await closed;
    expect(pair.losses).toEqual([]);
  });

  it("goes on where history begins when it has lagged behind it, and its watches hear that something is missing", async () => {
    const { owner, follower, near } = await open();
    const first = await follower.create(key("a"), bytes("1"));
    expect(await follower.count("/registry/x/")).toBe(1);
    const seen: string[] = [];
    const sink = { change: (change: { readonly key: string }) => void seen.push(change.key) };
    const watching = follower.watch("/registry/", first, sink, new AbortController().signal);
    watching.catch(() => undefined);
    near.pause();
    await owner.delete(key("a"), first);
    const compacted = await owner.create(key("b"), bytes("1"));
    await owner.compact(compacted);
    // History goes step by step with what is written.
    let last = compacted;
    for (let count = 0; count < 3; count += 1) last = await owner.create(key(`c${count}`), bytes("1"));
    near.resume();
    expect(await follower.currentRevision()).toBe(last);
    await expect(watching).rejects.toMatchObject({ code: "RevisionGone" });
    expect(seen).toEqual([]);
    expect(await follower.count("/registry/x/")).toBe(4);
    expect((await follower.list("/registry/x/")).entries.length).toBe(4);
    expect(await follower.create(key("d"), bytes("1"))).toBe(last + 1);
  });

  it("that does not read is told in the end where the store stands, and not of every step before", async () => {
    const { owner } = await open();
    const line = new DeafLine();
    serveFollower(owner, line);
    let last = 0;
    for (let count = 0; count < 50; count += 1) last = await owner.create(key(`n${count}`), bytes("1"));
    expect(line.writableLength).toBeLessThan(200);
    await line.readAll();
    expect(line.received.length).toBeLessThan(5);
    expect(line.received.at(-1)).toContain(`"revision":${last}`);
  });
});

/** An end that takes nothing until it reads. */
class DeafLine extends Duplex {
  readonly received: string[] = [];
  #reads = false;
  #waiting: (() => void) | undefined;

  constructor() {
    super({ writableHighWaterMark: 64 });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, taken: () => void): void {
    this.received.push(chunk.toString("latin1"));
    if (this.#reads) taken();
    else this.#waiting = taken;
  }

  async readAll(): Promise<void> {
    this.#reads = true;
    this.#waiting?.();
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
