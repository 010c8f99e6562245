// What must hold between acknowledged writes, the changes that a watch delivered, and what the store holds in the end.

import { expect } from "vitest";
import { text } from "../../src/storage/contract/follow.testing.ts";
import type { Change, Revision, StorageEngine } from "../../src/storage/engine.ts";
import type { Acknowledged } from "./etcd-writer.testing.ts";

/** A change in the words of an acknowledgement, one line. */
export function line(change: Acknowledged | Change): string {
  const value = typeof change.value === "string" ? change.value : (text(change.value) ?? "");
  return `${change.revision} ${change.type} ${change.key} ${value}`;
}

/** Every commit was delivered once, in order, on top of exactly what was delivered before it for its key. */
export function expectGaplessOrder(changes: readonly Change[]): void {
  const held = new Map<string, Revision>();
  let last = 0;
  for (const change of changes) {
    expect(change.revision, `order after ${last}`).toBeGreaterThan(last);
    expect(change.previous?.revision, `what ${line(change)} replaced`).toBe(held.get(change.key));
    if (change.type === "put") held.set(change.key, change.revision);
    else held.delete(change.key);
    last = change.revision;
  }
}

export function expectNothingLost(acknowledged: readonly Acknowledged[], changes: readonly Change[]): void {
  const seen = new Set(changes.map(line));
  expect(acknowledged.filter((ack) => !seen.has(line(ack)))).toEqual([]);
  expect(new Set(acknowledged.map((ack) => ack.revision)).size).toBe(acknowledged.length);
}

export async function expectStateOf(engine: StorageEngine, prefix: string, changes: readonly Change[]): Promise<void> {
  const state = new Map<string, string>();
  for (const change of changes) {
    if (change.type === "put") state.set(change.key, line(change));
    else state.delete(change.key);
  }
  const page = await engine.list(prefix);
  const held = page.entries.map((entry) => line({ ...entry, type: "put", previous: undefined }));
  expect(held.sort()).toEqual([...state.values()].sort());
}
