// Contract: get, list in pages at one revision, count.

import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "../contract.testing.ts";
import type { Revision, StorageEngine, StoredEntry } from "../engine.ts";
import { bytes, text } from "./follow.testing.ts";

export function describeReading(engine: EngineUnderTest): void {
  describe("reading", () => {
    it("answers undefined for a key that does not exist", async () => {
      expect(await engine().get("/pods/a")).toBeUndefined();
    });

    it("lists exactly the keys below the prefix, in byte order, with values and revisions", async () => {
      const revisions = await createAll(engine(), ["/pods/b", "/pods/a", "/pods/a/c", "/podsx", "/pod", "/nodes/a"]);
      const page = await engine().list("/pods/");
      expect(page.entries.map((entry) => entry.key)).toEqual(["/pods/a", "/pods/a/c", "/pods/b"]);
      expect(page.entries.map((entry) => text(entry.value))).toEqual(["/pods/a", "/pods/a/c", "/pods/b"]);
      expect(page.entries.map((entry) => entry.revision)).toEqual(
        ["/pods/a", "/pods/a/c", "/pods/b"].map((key) => revisions.get(key)),
      );
      expect(page).toMatchObject({ more: false, remainingCount: 0 });
      expect(page.revision).toBeGreaterThanOrEqual(Math.max(...revisions.values()));
    });

    it("lists nothing below a prefix without keys, at the current revision", async () => {
      const revision = await engine().create("/pods/a", bytes("1"));
      const page = await engine().list("/nodes/");
      expect(page).toMatchObject({ entries: [], more: false, remainingCount: 0 });
      expect(page.revision).toBeGreaterThanOrEqual(revision);
    });

    it("takes a prefix literally, also one that ends inside a name", async () => {
      await createAll(engine(), ["/pods/web-1", "/pods/web-2", "/pods/db-1"]);
      const page = await engine().list("/pods/web");
      expect(page.entries.map((entry) => entry.key)).toEqual(["/pods/web-1", "/pods/web-2"]);
    });

    it("gives pages that say how many keys remain", async () => {
      await createAll(engine(), ["/pods/a", "/pods/b", "/pods/c", "/pods/d", "/pods/e", "/podz"]);
      const first = await engine().list("/pods/", { limit: 2 });
      expect(first.entries.map((entry) => entry.key)).toEqual(["/pods/a", "/pods/b"]);
      expect(first).toMatchObject({ more: true, remainingCount: 3 });

      const second = await engine().list("/pods/", { limit: 2, after: "/pods/b", revision: first.revision });
      expect(second.entries.map((entry) => entry.key)).toEqual(["/pods/c", "/pods/d"]);
      expect(second).toMatchObject({ more: true, remainingCount: 1, revision: first.revision });

      const third = await engine().list("/pods/", { limit: 2, after: "/pods/d", revision: first.revision });
      expect(third.entries.map((entry) => entry.key)).toEqual(["/pods/e"]);
      expect(third).toMatchObject({ more: false, remainingCount: 0, revision: first.revision });
    });

    it("says that nothing remains when the page ends exactly at the last key", async () => {
      await createAll(engine(), ["/pods/a", "/pods/b"]);
      expect(await engine().list("/pods/", { limit: 2 })).toMatchObject({ more: false, remainingCount: 0 });
    });

    it("starts strictly after a key, whether or not that key exists", async () => {
      await createAll(engine(), ["/pods/a", "/pods/aa", "/pods/c"]);
      const keysAfter = async (after: string) =>
        (await engine().list("/pods/", { after })).entries.map((entry) => entry.key);
      expect(await keysAfter("/pods/a")).toEqual(["/pods/aa", "/pods/c"]);
      expect(await keysAfter("/pods/b")).toEqual(["/pods/c"]);
      expect(await keysAfter("/pods/c")).toEqual([]);
      expect(await keysAfter("/nodes/x")).toEqual(["/pods/a", "/pods/aa", "/pods/c"]);
    });

    it("shows all pages as they stood at the first, whatever is written meanwhile", async () => {
      const keys = Array.from({ length: 30 }, (_, index) => `/pods/${String(index).padStart(3, "0")}`);
      const revisions = await createAll(engine(), keys);
      const first = await engine().list("/pods/", { limit: 7 });

      const seen: StoredEntry[] = [...first.entries];
      let page = first;
      let writes = 0;
      while (page.more) {
        await disturb(engine(), revisions, writes++);
        const last: StoredEntry | undefined = page.entries.at(-1);
        page = await engine().list("/pods/", { limit: 7, after: last?.key ?? "", revision: first.revision });
        seen.push(...page.entries);
        expect(page.revision).toBe(first.revision);
        expect(page.remainingCount).toBe(keys.length - seen.length);
      }
      expect(writes).toBeGreaterThan(3);
      expect(seen.map((entry) => entry.key)).toEqual(keys);
      expect(seen.map((entry) => text(entry.value))).toEqual(keys);
      const now = (await engine().list("/pods/")).entries.map((entry) => text(entry.value));
      expect(now).not.toEqual(keys);
    });

    it("counts the keys below a prefix", async () => {
      const revisions = await createAll(engine(), ["/pods/a", "/pods/b", "/podsx", "/nodes/a"]);
      expect(await engine().count("/pods/")).toBe(2);
      expect(await engine().count("/nothing/")).toBe(0);
      await engine().delete("/pods/a", revisions.get("/pods/a") ?? 0);
      expect(await engine().count("/pods/")).toBe(1);
    });

    // More than an engine reads at once.
    it("lists many hundred keys completely", async () => {
      const keys = Array.from({ length: 1_000 }, (_, index) => `/many/${String(index).padStart(5, "0")}`);
      await createAll(engine(), keys);
      const page = await engine().list("/many/");
      expect(page.entries.map((entry) => entry.key)).toEqual(keys);
      expect(await engine().count("/many/")).toBe(keys.length);
    });
  });
}

/** Creates the keys, a few at a time, each with its own name as value. */
async function createAll(engine: StorageEngine, keys: readonly string[]): Promise<Map<string, Revision>> {
  const revisions = new Map<string, Revision>();
  const queue = [...keys];
  async function work(): Promise<void> {
    for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
      revisions.set(key, await engine.create(key, bytes(key)));
    }
  }
  await Promise.all(Array.from({ length: 64 }, work));
  return revisions;
}

/** Changes a key of every kind of fate: one deleted, one updated, one new between the others. */
async function disturb(engine: StorageEngine, revisions: Map<string, Revision>, round: number): Promise<void> {
  const keys = [...revisions.keys()].sort();
  const doomed = keys[keys.length - 1 - round] ?? "";
  await engine.delete(doomed, revisions.get(doomed) ?? 0);
  revisions.delete(doomed);
  const changed = keys[round] ?? "";
  revisions.set(changed, await engine.update(changed, bytes("changed"), revisions.get(changed) ?? 0));
  await engine.create(`/pods/015-${round}`, bytes("new"));
}
