// Engines shared with others may change several keys in one revision (etcd: what expires with one lease).

import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Change, Revision } from "../engine.ts";
import { keyOf, PREFIX, readItem, stored } from "./cache.testing.ts";
import { type CacheItem, FrameBudget } from "./cache-event.ts";
import { ItemReader, type ReadItem } from "./item-reader.ts";
import { ResourceState } from "./resource-state.ts";

function newState(read: ReadItem = readItem): ResourceState {
  const clock = new FakeClock();
  const rereadAt = (item: CacheItem, revision: Revision): CacheItem => ({ ...item, revision });
  const reader = new ItemReader({ readItem: read, rereadAt, frames: new FrameBudget(0), clock });
  const windowLimits = { maxChanges: 10_000, maxBytes: 10_000_000, maxAgeMs: 60_000 };
  const state = new ResourceState({ reader, clock, windowLimits, snapshotRetentionMs: 60_000 });
  state.loaded(1);
  return state;
}

function put(name: string, revision: Revision): Change {
  return { type: "put", key: keyOf(name), revision, value: stored({}), previous: undefined };
}

describe("ResourceState with several changes in one revision", () => {
  it("never shows half of a revision in an older state", () => {
    const state = newState();
    for (let revision = 2; revision <= 300; revision++) {
      for (const name of ["a", "b", "c"]) state.apply(put(`${revision}/${name}`, revision));
    }
    for (let revision = 1; revision <= 300; revision++) {
      expect(state.itemsAt(revision)?.size).toBe((revision - 1) * 3);
    }
  });

  it("never ends a batch of the window within a revision", () => {
    const state = newState();
    for (const name of ["a", "b", "c"]) state.apply(put(`n/${name}`, 2));
    state.apply(put("n/d", 3));
    expect(state.window.batchAfter(1, 2, PREFIX)).toMatchObject({ events: { length: 3 }, reached: 2 });
    expect(state.window.batchAfter(2, 2, PREFIX)).toMatchObject({ events: { length: 1 }, reached: 3 });
  });
});

describe("ResourceState and repeated changes", () => {
  it("tells of a change once", () => {
    const state = newState();
    expect(state.apply(put("n/a", 2))).toMatchObject({ type: "ADDED" });
    expect(state.apply(put("n/a", 2))).toBeUndefined();
    const gone: Change = { type: "delete", key: keyOf("n/a"), revision: 3, value: undefined, previous: undefined };
    expect(state.apply(gone)).toMatchObject({ type: "DELETED", item: { revision: 3 } });
    expect(state.apply(gone)).toBeUndefined();
  });
});

describe("ResourceState and what is deleted", () => {
  const key = keyOf("n/a");
  const value = stored({});
  const gone = (attachment?: unknown): Change => ({
    type: "delete",
    key,
    revision: 3,
    value: undefined,
    previous: { key, value, revision: 2 },
    attachment,
  });
  const readAt = (deletion: Change): Revision[] => {
    const read: Revision[] = [];
    const state = newState((key, value, revision) => {
      read.push(revision);
      return readItem(key, value, revision);
    });
    state.apply(put("n/a", 2));
    expect(state.apply(deletion)).toMatchObject({ type: "DELETED", item: { key, revision: 3 } });
    return read;
  };

  it("does not read it again", () => {
    expect(readAt(gone())).toEqual([2]);
  });

  it("takes it as its writer left it", () => {
    expect(readAt(gone({}))).toEqual([2, 3]);
  });
});
