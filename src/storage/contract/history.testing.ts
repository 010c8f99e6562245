// Contract: reads at an exact revision inside the window agree with what the store was at that revision.

import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "../contract.testing.ts";
import type { Revision, StorageEngine } from "../engine.ts";
import { bytes, follow, summary, text } from "./follow.testing.ts";

export function describeHistory(engine: EngineUnderTest): void {
  describe("history", () => {
    it("reads a key as it stood at each revision: absent, first value, second value, deleted, created again", async () => {
      const start = await engine().currentRevision();
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      const gone = await engine().delete("/pods/a", second);
      const again = await engine().create("/pods/a", bytes("3"));

      expect(await engine().get("/pods/a", start)).toBeUndefined();
      expect(text((await engine().get("/pods/a", first))?.value)).toBe("1");
      expect(await engine().get("/pods/a", second)).toMatchObject({ revision: second });
      expect(await engine().get("/pods/a", gone)).toBeUndefined();
      expect(text((await engine().get("/pods/a", again))?.value)).toBe("3");
    });

    it("keeps an entry's own revision when it is read at a later one", async () => {
      const written = await engine().create("/pods/a", bytes("1"));
      const later = await engine().create("/pods/b", bytes("1"));
      expect(await engine().get("/pods/a", later)).toMatchObject({ revision: written });
    });

    it("refuses to read at a revision that has not happened", async () => {
      const future = (await engine().create("/pods/a", bytes("1"))) + 1_000;
      await expect(engine().get("/pods/a", future)).rejects.toMatchObject({ code: "RevisionInFuture" });
      await expect(engine().list("/pods/", { revision: future })).rejects.toMatchObject({ code: "RevisionInFuture" });
    });

    it("lists at every revision what the changes up to it add up to", async () => {
      const model = await writeRandomly(engine(), 1, 150);
      for (const [revision, state] of model.states) {
        const page = await engine().list("/random/", { revision });
        expect(page.revision).toBe(revision);
        expect(page.entries.map((entry) => `${entry.key}=${text(entry.value)}@${entry.revision}`)).toEqual(state);
      }
    });

    it("pages at every revision: each page and its remaining count fit the whole", async () => {
      const model = await writeRandomly(engine(), 2, 60);
      for (const [revision, state] of model.states) {
        const seen: string[] = [];
        let after = "";
        for (let more = true; more; ) {
          const page = await engine().list("/random/", { revision, limit: 2, after });
          seen.push(...page.entries.map((entry) => `${entry.key}=${text(entry.value)}@${entry.revision}`));
          expect(page.remainingCount).toBe(state.length - seen.length);
          more = page.more;
          after = page.entries.at(-1)?.key ?? "";
        }
        expect(seen).toEqual(state);
      }
    });

    it("replays from every revision exactly the changes after it", async () => {
      const model = await writeRandomly(engine(), 3, 60);
      const all = follow(engine(), "/random/", model.start);
      await all.count(60);
      expect(all.changes.map((change) => change.revision)).toEqual([...model.states.keys()]);
      for (const [index, change] of all.changes.entries()) {
        const partial = follow(engine(), "/random/", change.revision);
        await partial.count(59 - index);
        expect(partial.changes.map(summary)).toEqual(all.changes.slice(index + 1).map(summary));
        await partial.stop();
      }
      await all.stop();
    });
  });
}

interface RandomHistory {
  readonly start: Revision;
  /** The lines "key=value@revision" of all keys, by revision. */
  readonly states: Map<Revision, string[]>;
}

/** Creates, updates and deletes a few keys in a seeded random order and records the state after each commit. */
async function writeRandomly(engine: StorageEngine, seed: number, commits: number): Promise<RandomHistory> {
  const random = seededRandom(seed);
  const live = new Map<string, { value: string; revision: Revision }>();
  const states = new Map<Revision, string[]>();
  const start = await engine.currentRevision();
  for (let commit = 0; commit < commits; commit++) {
    const key = `/random/${"abcdefgh"[Math.floor(random() * 8)]}`;
    const held = live.get(key);
    const value = `v${commit}`;
    let revision: Revision;
    if (held === undefined) {
      revision = await engine.create(key, bytes(value));
      live.set(key, { value, revision });
    } else if (random() < 0.6) {
      revision = await engine.update(key, bytes(value), held.revision);
      live.set(key, { value, revision });
    } else {
      revision = await engine.delete(key, held.revision);
      live.delete(key);
    }
    states.set(revision, [...live].map(([name, entry]) => `${name}=${entry.value}@${entry.revision}`).sort());
  }
  return { start, states };
}

/** A small linear congruential generator: the same numbers for the same seed on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
