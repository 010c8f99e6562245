// Changes reach the cache in their order, whatever one of them takes.

import fc from "fast-check";
import { expect, it } from "vitest";
import { nextTurn } from "../../base/next-turn.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import type { Change } from "../engine.ts";
import { keyOf, readItem, stored, until } from "./cache.testing.ts";
import { PendingChanges } from "./pending-changes.ts";

const LONG = stored({ color: "long" });
const SHORT = stored({});

function put(revision: number, value: Uint8Array): Change {
  return { type: "put", key: keyOf(`a/${revision}`), revision, value, previous: undefined };
}

function pendingOf() {
  const seen: string[] = [];
  const pending = new PendingChanges({
    isLong: ({ value }) => value === LONG,
    *read({ key, value, revision }) {
      for (let step = 0; value === LONG && step < 3; step += 1) yield;
      return readItem(key, value!, revision);
    },
    apply: ({ revision }, item) => seen.push(`${revision}${item === undefined ? "" : " read"}`),
    progress: (revision) => seen.push(`up to ${revision}`),
  });
  return { pending, seen };
}

it("lets what is short pass at once", () => {
  const { pending, seen } = pendingOf();
  pending.change(put(2, SHORT));
  pending.progress(3);
  expect(seen).toEqual(["2", "up to 3"]);
});

it("reads what is long in turns, and keeps what comes behind it waiting", async () => {
  const { pending, seen } = pendingOf();
  await asSlowWork(2, async () => {
    pending.change(put(2, LONG));
    pending.change(put(3, SHORT));
    pending.progress(4);
    expect(seen).toEqual([]);
    await until(() => seen.length === 3);
  });
  expect(seen).toEqual(["2 read", "3 read", "up to 4"]);
  pending.change(put(5, SHORT));
  expect(seen.at(-1)).toBe("5");
});

it("loses nothing that comes between the end of one that is long and the next turn", async () => {
  const { pending, seen } = pendingOf();
  await asSlowWork(4, async () => {
    pending.change(put(2, LONG));
    await until(() => seen.length === 1);
    pending.change(put(3, LONG));
    pending.change(put(4, SHORT));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  });
  expect(seen).toEqual(["2 read", "3 read", "4 read"]);
});

it("passes everything once and in its order, whatever comes when", async () => {
  const kinds = fc.constantFrom("long", "short", "progress");
  const arrivals = fc.array(fc.record({ kind: kinds, turnsBefore: fc.nat(6) }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(arrivals, async (all) => {
      const { pending, seen } = pendingOf();
      await asSlowWork(4, async () => {
        for (const [revision, { kind, turnsBefore }] of all.entries()) {
          for (let turn = 0; turn < turnsBefore; turn += 1) await nextTurn();
          if (kind === "progress") pending.progress(revision);
          else pending.change(put(revision, kind === "long" ? LONG : SHORT));
        }
        for (let turn = 0; turn < 20 * all.length; turn += 1) await nextTurn();
      });
      const expected = all.map(({ kind }, revision) => (kind === "progress" ? `up to ${revision}` : String(revision)));
      expect(seen.map((each) => each.replace(" read", ""))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

it("forgets what waits, also what is being read", async () => {
  const { pending, seen } = pendingOf();
  await asSlowWork(2, async () => {
    pending.change(put(2, LONG));
    pending.change(put(3, SHORT));
    pending.clear();
    pending.change(put(4, LONG));
    await until(() => seen.length > 0);
  });
  expect(seen).toEqual(["4 read"]);
});

it("reads all that waits at once when it is too much", async () => {
  const { pending, seen } = pendingOf();
  await asSlowWork(2, async () => {
    pending.change(put(2, LONG));
    pending.progress(3);
    pending.change({ ...put(4, SHORT), value: Buffer.alloc(64 * 1024 * 1024) });
    expect(seen).toEqual(["2", "up to 3", "4"]);
    pending.change(put(5, LONG));
    await until(() => seen.length > 3);
  });
  expect(seen.slice(3)).toEqual(["5 read"]);
});
