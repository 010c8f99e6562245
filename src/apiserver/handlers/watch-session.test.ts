// One open watch: what is gathered, what is held back, and every way in which it ends. Requirements: document 1, "Events".

import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { asSlowWork, turnsOf } from "../../base/steps.testing.ts";
import type { BodyWriter } from "../../http/message.ts";
import type { EventEncoder } from "../../registry/encoding/encode-event.ts";
import type { CacheEvent, CacheItem, CacheWatch, EventType } from "../../registry/items.ts";
import type { Conversion } from "./converted-events.ts";
import { WatchSession } from "./watch-session.ts";

const MIB = 1024 * 1024;
const DAMAGED_REVISION = 13;

let clock: FakeClock;
let written: string[];
let queuedBytes: number;
let gone: AbortController;
let ended: number;
let closed: number;
let revision: number;

beforeEach(() => {
  clock = new FakeClock();
  written = [];
  queuedBytes = 0;
  gone = new AbortController();
  ended = 0;
  closed = 0;
  revision = 7;
});

const encoder = {
  event: ({ name }: { name: string }, type: EventType) => {
    if (name === "damaged") throw new Error("cannot be read");
    return Buffer.from(`${type} ${name};`);
  },
  takesLong: ({ name }: { name: string }) => name.startsWith("large"),
  *eventInSteps({ name }: { name: string }, type: EventType) {
    yield;
    if (name === "large and damaged") throw new Error("cannot be read");
    return Buffer.from(`${type} ${name} in steps;`);
  },
  initial: ({ key }: CacheItem) => Buffer.from(`INITIAL ${key};`),
  *initialInSteps({ key }: CacheItem) {
    yield;
    return Buffer.from(`INITIAL ${key} in steps;`);
  },
  *converted(type: EventType, { key }: CacheItem) {
    yield;
    return Buffer.from(`${type} converted ${key};`);
  },
  ready: () => undefined,
  bookmark: (at: number) => {
    if (at === DAMAGED_REVISION) throw new Error("cannot be written");
    return Buffer.from(`BOOKMARK ${at};`);
  },
  error: ({ code }: { code: number }) => Buffer.from(`ERROR ${code};`),
} as unknown as EventEncoder;

function open(more: Partial<BodyWriter> = {}, conversion?: Conversion): WatchSession {
  // A session that a test has left behind may still write.
  const own = written;
  const writer: BodyWriter = {
    signal: gone.signal,
    get queuedBytes() {
      return queuedBytes;
    },
    chunkBytes: MIB,
    write(chunk) {
      own.push(Buffer.from(chunk).toString());
      return true;
    },
    drained: async () => undefined,
    ...more,
  };
  const session = new WatchSession(clock, writer, encoder, () => (ended += 1), conversion);
  const watch = {
    get revision() {
      return revision;
    },
    close: () => (closed += 1),
  };
  session.attach(watch as unknown as CacheWatch);
  return session;
}

/** Rounds rest after long ones, so that a write may come some milliseconds later. */
const writes = (count: number) => vi.waitUntil(() => written.length >= count, { interval: 1 });

const change = (name: string, sizeBytes = 1) =>
  ({ name, item: { bytes: { length: sizeBytes } }, shownAs: () => ({ key: name }) }) as unknown as CacheEvent;

describe("the events of a watch", () => {
  it("of one turn go out in one write, in their order", async () => {
    const session = open();
    session.event(change("a"), "ADDED");
    session.event(change("a"), "MODIFIED");
    expect(written).toEqual([]);
    await writes(1);
    session.event(change("a"), "DELETED");
    await writes(2);
    expect(written).toEqual(["ADDED a;MODIFIED a;", "DELETED a;"]);
  });

  it("stay apart where every write is a message", async () => {
    const counts: number[] = [];
    const session = open({ framed: true, onMessages: (count) => counts.push(count) });
    session.event(change("a"), "ADDED");
    session.event(change("b"), "ADDED");
    await writes(2);
    expect([written, counts]).toEqual([["ADDED a;", "ADDED b;"], [2]]);
  });

  it("come after large objects of the initial state, which let others have their turn", async () => {
    const session = open();
    session.hold();
    session.event(change("new"), "ADDED");
    const item = (key: string, sizeBytes: number) => ({ key, bytes: Buffer.alloc(sizeBytes) }) as unknown as CacheItem;
    const sent = session.initial([item("small", 1), item("large", 1024 * 1024)]);
    expect(written).toEqual([]);
    await sent;
    session.release();
    expect(written).toEqual(["INITIAL small;INITIAL large in steps;", "ADDED new;"]);
  });

  it("come after the initial state, where many small objects let others have their turn too", async () => {
    let turns = 0;
    const session = open({ goOn: () => (turns += 1) });
    const items = Array.from({ length: 100 }, (_, index) => ({ key: String(index), bytes: Buffer.from("x") }));
    await asSlowWork(6, () => session.initial(items as unknown as CacheItem[]));
    expect(turns).toBeGreaterThan(3);
    expect(written).toEqual([items.map(({ key }) => `INITIAL ${key};`).join("")]);
  });

  it("wait behind one that takes long, for which others have their turn, and so do bookmarks", async () => {
    const session = open();
    session.bookmarkEvery(10);
    for (const name of ["a", "large", "b", "larger", "c"]) session.event(change(name), "ADDED");
    clock.advance(10);
    await vi.waitUntil(() => written.join("").includes("ADDED c"), { interval: 1 });
    expect(written.join("")).toBe(
      "ADDED a;ADDED large in steps;ADDED b in steps;ADDED larger in steps;ADDED c in steps;",
    );
    session.event(change("d"), "ADDED");
    await vi.waitUntil(() => written.join("").includes("ADDED d;"), { interval: 1 });
  });

  it("end when one that takes long cannot be read, or too much waits behind it", async () => {
    const damaged = open();
    for (const name of ["large and damaged", "b"]) damaged.event(change(name), "ADDED");
    await vi.waitUntil(() => damaged.over, { interval: 1 });
    expect([written.splice(0), ended]).toEqual([["ERROR 500;"], 1]);
    const crowded = open();
    for (let count = 0; count < 3; count += 1) crowded.event(change("large", 9 * MIB), "ADDED");
    expect([crowded.over, ended]).toEqual([true, 2]);
    await nextTurn();
    expect(written).toEqual([]);
  });

  it("wait until the initial state is out", async () => {
    const session = open();
    session.event(change("early"), "ADDED");
    session.hold();
    session.event(change("new"), "ADDED");
    await session.initial([{ key: "old", bytes: Buffer.of() } as unknown as CacheItem]);
    await nextTurn();
    session.release();
    expect(written).toEqual(["INITIAL old;", "ADDED early;ADDED new;"]);
  });

  it("that a webhook converts come in their order, however long it takes", async () => {
    const answers: (() => void)[] = [];
    const convert: Conversion["convert"] = (items) => new Promise((resolve) => answers.push(() => resolve(items)));
    const session = open({}, { convert });
    session.event(change("a"), "ADDED");
    session.event(change("b"), "MODIFIED");
    await nextTurn();
    expect(written).toEqual([]);
    while (answers.length > 0) {
      answers.shift()!();
      await nextTurn();
      await nextTurn();
    }
    await vi.waitUntil(() => written.join("").includes(" b;"), { interval: 1 });
    expect(written.join("")).toBe("ADDED converted a;MODIFIED converted b;");
  });
});

describe("bookmarks", () => {
  it("that cannot be written end this watch, and nothing else", async () => {
    const session = open();
    session.bookmarkEvery(60_000);
    revision = DAMAGED_REVISION;
    await clock.advance(60_000);
    expect([written, ended, closed, session.over]).toEqual([["ERROR 500;"], 1, 1, true]);
  });

  it("say how far the watch has come, as often as asked", async () => {
    const session = open();
    session.bookmarkEvery(60_000);
    await clock.advance(60_000);
    await writes(1);
    revision = 9;
    await clock.advance(60_000);
    await writes(2);
    expect(written).toEqual(["BOOKMARK 7;", "BOOKMARK 9;"]);
  });

  it("come once more two seconds before the end, unless that is nearer", async () => {
    const session = open();
    session.endAfter(90_000);
    session.bookmarkEvery(60_000);
    await clock.advance(60_000);
    await writes(1);
    await clock.advance(27_999);
    await nextTurn();
    expect(written).toEqual(["BOOKMARK 7;"]);
    revision = 9;
    await clock.advance(1);
    await writes(2);
    expect(written).toEqual(["BOOKMARK 7;", "BOOKMARK 9;"]);
    const short = open();
    short.endAfter(2_000);
    short.bookmarkEvery(60_000);
    await clock.advance(2_000);
    await nextTurn();
    expect(written).toEqual(["BOOKMARK 7;", "BOOKMARK 9;"]);
  });

  it("are left out while events wait for a webhook", async () => {
    const session = open({}, { convert: () => new Promise(() => undefined) });
    session.bookmarkEvery(60_000);
    session.event(change("a"), "ADDED");
    await clock.advance(60_000);
    await nextTurn();
    expect(written).toEqual([]);
  });
});

it("a watch whose client had gone before it began waits for no end", () => {
  const session = open({ signal: AbortSignal.abort() });
  const before = clock.waiting;
  session.endAfter(90_000);
  expect([session.over, clock.waiting - before]).toEqual([true, 0]);
});

describe("a watch ends", () => {
  const ways: [how: string, end: (session: WatchSession) => void | Promise<void>, last: string[]][] = [
    ["when its client goes", () => gone.abort(), ["ADDED a;"]],
    ["when its time is over", () => clock.advance(30_000), ["ADDED a;BOOKMARK 7;"]],
    ["when the cache closes", (session) => session.ended("closed"), ["ADDED a;"]],
    ["with an error that it names", (session) => session.ended(new Error("lost")), ["ADDED a;", "ERROR 500;"]],
    [
      "when an event cannot be shown",
      (session) => session.event(change("damaged"), "MODIFIED"),
      ["ADDED a;", "ERROR 500;"],
    ],
  ];
  it("in turns, where very many do at once", async () => {
    const sessions = Array.from({ length: 40 }, () => open());
    const { turns } = await asSlowWork(1, () =>
      turnsOf(async () => {
        for (const session of sessions) session.ended(new Error("lost"));
        expect(sessions.some(({ over }) => over)).toBe(true);
        await vi.waitUntil(() => sessions.every(({ over }) => over));
      }),
    );
    expect(turns).toBeGreaterThanOrEqual(9);
    expect(written).toEqual(sessions.map(() => "ERROR 500;"));
  });

  it.each(ways)("%s, once, after what had happened before", async (_, end, last) => {
    const session = open();
    session.endAfter(30_000);
    session.bookmarkEvery(1_000_000);
    session.event(change("a"), "ADDED");
    await end(session);
    session.fail(new Error("again"));
    gone.abort();
    session.event(change("late"), "ADDED");
    session.send(Buffer.from("late"));
    await nextTurn();
    expect(written).toEqual(last);
    expect([session.over, ended, closed, clock.waiting]).toEqual([true, 1, 1, 0]);
  });

  it("at once when its client had gone before", () => {
    gone.abort();
    const session = open();
    session.bookmarkEvery(60_000);
    expect([session.over, ended, closed, clock.waiting]).toEqual([true, 1, 1, 0]);
  });

  it.each([
    ["not yet", 16 * MIB - 10, false],
    ["behind by more than 16 MiB", 16 * MIB - 9, true],
  ])("when its client lags too far behind: %s", (_, queued, over) => {
    const session = open();
    queuedBytes = queued;
    session.event(change("abc"), "ADDED");
    expect(session.over).toBe(over);
    expect(written).toEqual([]);
  });

  it("when more events wait for a webhook than it will ever show", () => {
    const session = open({}, { convert: () => new Promise(() => undefined) });
    for (let at = 0; at < 1_200 && !session.over; at += 1) session.event(change(`${at}`), "ADDED");
    expect(session.over).toBe(true);
  });
});

describe("a client that lags behind", () => {
  let drain: () => void;
  const slow = (chunkBytes: number): Partial<BodyWriter> => ({
    chunkBytes,
    write(chunk) {
      written.push(Buffer.from(chunk).toString());
      queuedBytes += chunk.length;
      return queuedBytes < chunkBytes;
    },
    drained: () =>
      new Promise((resolve) => {
        drain = () => {
          queuedBytes = 0;
          resolve();
        };
      }),
  });

  it("is handed what its connection has room for, and the rest in its order when there is more", async () => {
    const session = open(slow(20));
    for (const name of ["a", "b", "c", "of a large object", "d"]) session.event(change(name), "ADDED");
    await writes(1);
    session.event(change("e"), "ADDED");
    await nextTurn();
    expect(written).toEqual(["ADDED a;ADDED b;", "ADDED c;"]);
    drain();
    await writes(3);
    expect(written.slice(2)).toEqual(["ADDED of a large object;"]);
    drain();
    await writes(4);
    expect(written.slice(3)).toEqual(["ADDED d;ADDED e;"]);
  });

  it("is not sent the rest when the watch ends: it goes on from what it has seen", async () => {
    const session = open(slow(8));
    for (const name of ["a", "b"]) session.event(change(name), "ADDED");
    await writes(1);
    session.ended(new Error("lost"));
    drain();
    await nextTurn();
    expect([written, session.over]).toEqual([["ADDED a;", "ERROR 500;"], true]);
  });

  it("has what it missed replayed as fast as it reads, and no longer than the watch", async () => {
    const session = open(slow(MIB));
    queuedBytes = 5 * MIB;
    const goesOn = vi.fn();
    void session.drained()!.then(goesOn);
    await nextTurn();
    expect(goesOn).not.toHaveBeenCalled();
    drain();
    await vi.waitUntil(() => goesOn.mock.calls.length === 1, { interval: 1 });
    queuedBytes = 5 * MIB;
    void session.drained()!.then(goesOn);
    gone.abort();
    await vi.waitUntil(() => goesOn.mock.calls.length === 2, { interval: 1 });
  });
});

it.each([
  [4 * MIB, true],
  [4 * MIB + 1, false],
])("a replay goes on while little is queued: %s bytes", (queued, goesOn) => {
  const session = open();
  queuedBytes = queued;
  expect(session.drained() === undefined).toBe(goesOn);
});
