// Contract: many writers and watchers at once see one order of commits.

import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "../contract.testing.ts";
import type { Revision, StorageEngine } from "../engine.ts";
import { isStorageError } from "../storage-error.ts";
import { bytes, follow, summary, text } from "./follow.testing.ts";

export function describeConcurrency(engine: EngineUnderTest): void {
  describe("concurrency", () => {
    it("lets exactly one of many creators of a key win", async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 100 }, (_, writer) => engine().create("/pods/a", bytes(`${writer}`))),
      );
      const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(won.length).toBe(1);
      for (const result of results) {
        if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "KeyExists" });
      }
      expect(await engine().get("/pods/a")).toMatchObject({ revision: won[0] });
    });

    it("gives every revision of one key exactly one winner among forty writers", async () => {
      const start = await engine().create("/counter", bytes("0"));
      const watch = follow(engine(), "/counter", start);
      const wins = await Promise.all(Array.from({ length: 40 }, () => incrementOnce(engine(), "/counter")));
      expect(new Set(wins).size).toBe(40);
      expect(text((await engine().get("/counter"))?.value)).toBe("40");
      await watch.count(40);
      expect(watch.changes.map((change) => text(change.value))).toEqual(
        Array.from({ length: 40 }, (_, index) => `${index + 1}`),
      );
      expect(watch.changes.map((change) => change.revision)).toEqual(wins.sort((a, b) => a - b));
      await watch.stop();
    });

    it("lets one of an update and a delete with the same expected revision win", async () => {
      const created = await engine().create("/pods/a", bytes("1"));
      const results = await Promise.allSettled([
        engine().update("/pods/a", bytes("2"), created),
        engine().delete("/pods/a", created),
        engine().update("/pods/a", bytes("3"), created),
      ]);
      expect(results.filter((result) => result.status === "fulfilled").length).toBe(1);
    });

    it("shows watchers that start at any moment under load the same gapless order", async () => {
      const start = await engine().currentRevision();
      const whole = follow(engine(), "/load/", start);
      const late: Array<ReturnType<typeof follow>> = [];
      const writers = 16;
      const writes = 20;
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          let revision = await engine().create(`/load/${writer}`, bytes("0"));
          for (let step = 1; step < writes; step++) {
            revision = await engine().update(`/load/${writer}`, bytes(`${step}`), revision);
            if (step % 5 === 0) late.push(follow(engine(), "/load/", step % 2 === 0 ? start : revision));
          }
        }),
      );
      await whole.count(writers * writes);
      const order = whole.changes.map(summary);
      const revisions = whole.changes.map((change) => change.revision);
      expect(order.length).toBe(writers * writes);
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
      expect(new Set(revisions).size).toBe(writers * writes);

      for (const watch of late) {
        await engine().requestProgress();
        await watch.progressTo(revisions.at(-1) ?? 0);
        const seen = watch.changes.map(summary);
        expect(seen).toEqual(order.slice(order.length - seen.length));
        await watch.stop();
      }
      await whole.stop();
    });

    it("finds its own write in every read that starts after the answer", async () => {
      await Promise.all(
        Array.from({ length: 20 }, async (_, writer) => {
          const key = `/own/${writer}`;
          let revision = await engine().create(key, bytes("0"));
          for (let step = 1; step <= 5; step++) {
            revision = await engine().update(key, bytes(`${step}`), revision);
            const [entry, page, current] = await Promise.all([
              engine().get(key),
              engine().list("/own/"),
              engine().currentRevision(),
            ]);
            expect(entry).toMatchObject({ revision });
            expect(page.entries.find((candidate) => candidate.key === key)).toMatchObject({ revision });
            expect(page.revision).toBeGreaterThanOrEqual(revision);
            expect(current).toBeGreaterThanOrEqual(revision);
          }
        }),
      );
    });

    it("lists under load what a watch from the list's revision continues without gap or repeat", async () => {
      const total = 200;
      const watches: Array<ReturnType<typeof follow>> = [];
      const starts: Array<Map<string, Revision>> = [];
      let last = 0;
      let written = 0;
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          while (written < total) {
            const number = written++;
            last = Math.max(last, await engine().create(`/join/${number}`, bytes("x")));
            if (number % 20 !== 0) continue;
            const page = await engine().list("/join/");
            starts.push(new Map(page.entries.map((entry) => [entry.key, entry.revision])));
            for (const entry of page.entries) expect(entry.revision).toBeLessThanOrEqual(page.revision);
            watches.push(follow(engine(), "/join/", page.revision));
          }
        }),
      );
      await engine().requestProgress();
      for (const [index, watch] of watches.entries()) {
        await watch.progressTo(last);
        const known = new Map(starts[index]);
        for (const change of watch.changes) {
          expect(known.has(change.key)).toBe(false);
          known.set(change.key, change.revision);
        }
        expect(known.size).toBe(written);
        await watch.stop();
      }
    });
  });
}

/** Adds one to the number under the key, again and again until its own update wins. Returns the winning revision. */
async function incrementOnce(engine: StorageEngine, key: string): Promise<Revision> {
  let entry = await engine.get(key);
  for (;;) {
    if (entry === undefined) throw new Error(`${key} vanished`);
    try {
      return await engine.update(key, bytes(`${Number(text(entry.value)) + 1}`), entry.revision);
    } catch (error) {
      if (!isStorageError(error, "RevisionMismatch")) throw error;
      entry = error.details.current ?? (await engine.get(key));
    }
  }
}
