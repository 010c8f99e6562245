import { describe, expect, it } from "vitest";
import type { CacheItem } from "../watch-cache.ts";
import { follow, isRed, keyOf, PREFIX, type RememberingSink, stored, textOf, useFixture } from "./cache.testing.ts";

const t = useFixture();

describe("WatchCache: watching", () => {
  it("hands changes to the sink before the writer has its answer", async () => {
    const cache = await t.readyCache();
    const sink = follow(cache, cache.revision);
    await t.create("a/x");
    await t.update("a/x");
    await t.remove("a/x");
    expect(sink.seen).toEqual(["ADDED a/x@2", "MODIFIED a/x@3", "DELETED a/x@4"]);
    expect(textOf(sink.events[2]?.item as CacheItem)).toBe('{"labels":{},"data":1,"revision":4}');
  });

  it("touches only watchers whose scope holds the object", async () => {
    const cache = await t.readyCache();
    const sinks = [PREFIX, keyOf("a/"), keyOf("a/x"), keyOf("b/"), keyOf("a/xy")].map((scope) =>
      follow(cache, cache.revision, { scope }),
    );
    await t.create("a/x");
    expect(sinks.map((sink) => sink.seen.length)).toEqual([1, 1, 1, 0, 0]);
  });

  it("turns selector transitions into ADDED and DELETED", async () => {
    const cache = await t.readyCache();
    const sink = follow(cache, cache.revision, { matches: isRed, selectorKey: "color=red" });
    await t.create("a/x", { color: "blue" });
    await t.update("a/x", { color: "red" });
    await t.update("a/x", { color: "red" }, 2);
    await t.update("a/x", { color: "blue" });
    await t.update("a/x", { color: "red" });
    await t.remove("a/x");
    expect(sink.seen).toEqual(["ADDED a/x@3", "MODIFIED a/x@4", "DELETED a/x@5", "ADDED a/x@6", "DELETED a/x@7"]);
    // Who loses sight of an object is shown the state it last saw, at the revision of the change.
    const left = sink.events[2]?.shownAs("DELETED");
    expect(left && textOf(left)).toBe('{"labels":{"color":"red"},"data":2,"revision":5}');
  });

  it("evaluates a selector once per change for all watchers that share it", async () => {
    const cache = await t.readyCache();
    let evaluations = 0;
    const matches = (item: CacheItem): boolean => {
      evaluations += 1;
      return isRed(item);
    };
    for (let index = 0; index < 50; index++) follow(cache, cache.revision, { matches, selectorKey: "color=red" });
    await t.create("a/x", { color: "red" });
    expect(evaluations).toBe(1);
  });

  it("does not try watchers that require another field value", async () => {
    const cache = await t.readyCache();
    const tried: string[] = [];
    const sinks = ["red", "blue", "green"].map((value) =>
      follow(cache, cache.revision, {
        requires: { of: "field", name: "color", values: [value] },
        selectorKey: value,
        matches: (item) => {
          tried.push(value);
          return item.fields["color"] === value;
        },
      }),
    );
    await t.create("a/x", { color: "red" });
    await t.update("a/x", { color: "blue" });
    await t.create("a/y");
    expect(sinks.map((sink) => sink.seen)).toEqual([["ADDED a/x@2", "DELETED a/x@3"], ["ADDED a/x@3"], []]);
    expect(tried).not.toContain("green");
    for (const sink of sinks) sink.watch?.close();
    await t.create("a/z", { color: "red" });
    expect(sinks[0]?.seen.length).toBe(2);
  });

  it("does as much for one of five thousand watchers with a value each as for one alone", async () => {
    const cache = await t.readyCache();
    const work = { tried: 0, told: 0 };
    for (const of of ["field", "label"] as const) {
      for (let index = 0; index < 5000; index += 1) {
        const value = `node-${index}`;
        cache.watch({
          scope: PREFIX,
          after: cache.revision,
          requires: { of, name: of === "field" ? "color" : "node", values: [value] },
          selectorKey: `${of} ${value}`,
          matches(item) {
            work.tried += 1;
            return (of === "field" ? item.fields["color"] : item.labels?.["node"]) === value;
          },
          sink: {
            event: () => {
              work.told += 1;
            },
            ended: () => undefined,
          },
        });
      }
    }
    await t.create("a/x", { color: "node-4711" });
    expect(work).toEqual({ tried: 1, told: 1 });
    await t.update("a/x", { color: "node-4712" });
    // The one that it leaves, and the one that it comes to: before and after.
    expect(work).toEqual({ tried: 5, told: 3 });
  });

  it("encodes a frame once per representation and type", async () => {
    const cache = await t.readyCache();
    let encoded = 0;
    const encode = (): Uint8Array => {
      encoded += 1;
      return Buffer.from("frame");
    };
    for (let index = 0; index < 10; index++) {
      follow(cache, cache.revision).onEvent = (event) => {
        event.frame("json", "ADDED", encode);
        event.frame("cbor", "ADDED", encode);
      };
    }
    await t.create("a/x");
    expect(encoded).toBe(2);
  });

  it("keeps no room for frames of changes that have left the window", async () => {
    const cache = await t.readyCache({ windowLimits: { maxChanges: 2 } });
    follow(cache, cache.revision).onEvent = (event) => {
      event.frame("json", "ADDED", () => Buffer.alloc(100));
      event.frame("cbor", "ADDED", () => Buffer.alloc(10));
    };
    for (const name of ["a", "b", "c", "d"]) await t.create(`n/${name}`);
    expect(cache.stats()).toMatchObject({ windowChanges: 2, frameBytes: 220 });
  });

  it("forgets the oldest frames beyond its budget", async () => {
    const cache = await t.readyCache({ maxFrameBytes: 250 });
    let encoded = 0;
    const encode = (): Uint8Array => {
      encoded += 1;
      return Buffer.alloc(100);
    };
    const sink = follow(cache, cache.revision);
    for (const name of ["a", "b", "c"]) await t.create(`n/${name}`);
    const frameOf = (index: number) => sink.events[index]?.frame("json", "ADDED", encode);
    for (const index of [0, 1, 2]) frameOf(index);
    expect(cache.stats().frameBytes).toBe(200);
    frameOf(2);
    expect(encoded).toBe(3);
    frameOf(0);
    expect(encoded).toBe(4);
  });

  it("keeps the frames of one event together, also of one beyond its budget", async () => {
    const cache = await t.readyCache({ maxFrameBytes: 250 });
    let encoded = 0;
    const encode = (): Uint8Array => {
      encoded += 1;
      return Buffer.alloc(100);
    };
    const sink = follow(cache, cache.revision);
    for (const name of ["a", "b"]) await t.create(`n/${name}`);
    const askForAll = (forms: number) => {
      for (let form = 0; form < forms; form += 1) sink.events[0]?.frame(`form ${form}`, "ADDED", encode);
    };
    for (let watcher = 0; watcher < 3; watcher += 1) askForAll(4);
    expect([encoded, cache.stats().frameBytes]).toEqual([4, 400]);
    // Not without end.
    askForAll(21);
    expect(cache.stats().frameBytes).toBeLessThanOrEqual(2_000);
    sink.events[1]?.frame("json", "ADDED", encode);
    expect(cache.stats().frameBytes).toBe(100);
  });

  it("delivers nothing after close, also when a sink closes and opens watches during delivery", async () => {
    const cache = await t.readyCache();
    const first = follow(cache, cache.revision);
    const second = follow(cache, cache.revision);
    const third = follow(cache, cache.revision);
    let opened: RememberingSink | undefined;
    first.onEvent = () => {
      first.watch?.close();
      second.watch?.close();
      opened = follow(cache, cache.revision);
    };
    await t.create("a/x");
    await t.create("a/y");
    expect([first, second, third].map((sink) => sink.seen.length)).toEqual([1, 0, 2]);
    expect(opened?.seen).toEqual(["ADDED a/y@3"]);
    expect(cache.stats().watcherCount).toBe(2);
  });

  it("ends a watch whose sink or selector throws, and no other", async () => {
    const cache = await t.readyCache();
    const bad = follow(cache, cache.revision);
    bad.onEvent = () => {
      throw new Error("broken pipe");
    };
    const badSelector = follow(cache, cache.revision, {
      matches: () => {
        throw new Error("no such label");
      },
    });
    const good = follow(cache, cache.revision);
    await t.create("a/x");
    await t.create("a/y");
    expect(good.seen.length).toBe(2);
    expect(bad.seen.length).toBe(1);
    expect([bad.endedWith, badSelector.endedWith]).toMatchObject([{ code: "Unavailable" }, { code: "Unavailable" }]);
  });

  it("keeps the order for everyone when a sink writes", async () => {
    const cache = await t.readyCache();
    const writer = follow(cache, cache.revision);
    const other = follow(cache, cache.revision);
    writer.onEvent = (event) => {
      if (event.revision < 5) void t.create(`a/${event.revision}`);
    };
    await t.create("a/x");
    expect(other.seen).toEqual(["ADDED a/x@2", "ADDED a/2@3", "ADDED a/3@4", "ADDED a/4@5"]);
  });

  it("starts after a revision that is still to come without showing what comes before it", async () => {
    const cache = await t.readyCache();
    const sink = follow(cache, 3);
    for (const name of ["a/2", "a/3", "a/4"]) await t.create(name);
    expect(sink.seen).toEqual(["ADDED a/4@4"]);
  });

  it("says up to which revision the sink has been given everything", async () => {
    const cache = await t.readyCache();
    const sink = follow(cache, cache.revision);
    const revision = await t.engine.create("/registry/pods/p", stored({}));
    await cache.waitUntil(revision, 10_000);
    expect(sink.watch?.revision).toBe(revision);
  });

  it("refuses scopes of other resources", async () => {
    const cache = await t.readyCache();
    expect(() => follow(cache, 1, { scope: "/registry/pods/" })).toThrow("not a scope");
  });
});
