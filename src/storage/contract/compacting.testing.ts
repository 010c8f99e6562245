// Contract: compaction forgets history below a revision and nothing else.

import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "../contract.testing.ts";
import { bytes, follow, summary, text } from "./follow.testing.ts";

export function describeCompacting(engine: EngineUnderTest): void {
  describe("compacting", () => {
    it("refuses reads below the compacted revision and answers those at it and above", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      const third = await engine().update("/pods/a", bytes("3"), second);
      await engine().compact(second);

      const gone = { code: "RevisionGone" };
      await expect(engine().get("/pods/a", first)).rejects.toMatchObject(gone);
      await expect(engine().list("/pods/", { revision: first })).rejects.toMatchObject(gone);
      expect(text((await engine().get("/pods/a", second))?.value)).toBe("2");
      expect((await engine().list("/pods/", { revision: second })).entries).toMatchObject([{ revision: second }]);
      expect(await engine().get("/pods/a", third)).toMatchObject({ revision: third });
      expect(await engine().compactedRevision()).toBe(second);
    });

    it("refuses the next page of a list whose revision was compacted meanwhile", async () => {
      await engine().create("/pods/a", bytes("1"));
      await engine().create("/pods/b", bytes("1"));
      const page = await engine().list("/pods/", { limit: 1 });
      const later = await engine().create("/pods/c", bytes("1"));
      await engine().compact(later);
      await expect(
        engine().list("/pods/", { limit: 1, after: "/pods/a", revision: page.revision }),
      ).rejects.toMatchObject({ code: "RevisionGone" });
    });

    it("refuses to watch from below the compacted revision and replays from it", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      const third = await engine().update("/pods/a", bytes("3"), second);
      await engine().compact(second);
      await expect(follow(engine(), "/pods/", first).ended).rejects.toMatchObject({ code: "RevisionGone" });

      const watch = follow(engine(), "/pods/", second);
      await watch.count(1);
      expect(watch.changes.map(summary)).toEqual([`${third} put /pods/a=3 was 2@${second}`]);
      await watch.stop();
    });

    it("keeps running watches and current values, also after everything was compacted", async () => {
      const start = await engine().currentRevision();
      const watch = follow(engine(), "/pods/", start);
      const first = await engine().create("/pods/a", bytes("1"));
      const doomed = await engine().create("/pods/b", bytes("1"));
      const last = await engine().delete("/pods/b", doomed);
      await watch.count(3);
      await engine().compact(last);

      expect(await engine().currentRevision()).toBeGreaterThanOrEqual(last);
      expect((await engine().list("/pods/")).entries).toMatchObject([{ key: "/pods/a", revision: first }]);
      expect(await engine().get("/pods/b", last)).toBeUndefined();
      const next = await engine().update("/pods/a", bytes("2"), first);
      expect(next).toBeGreaterThan(last);
      await watch.count(4);
      expect(watch.changes.at(-1)).toMatchObject({ revision: next });
      await watch.stop();
    });

    it("finds a key written long before the compacted revision", async () => {
      const old = await engine().create("/pods/old", bytes("old"));
      let revision = await engine().create("/pods/busy", bytes("0"));
      for (let step = 1; step < 20; step++) revision = await engine().update("/pods/busy", bytes(`${step}`), revision);
      await engine().compact(revision);
      expect(await engine().get("/pods/old", revision)).toMatchObject({ revision: old });
      const page = await engine().list("/pods/", { revision });
      expect(page.entries.map((entry) => entry.revision)).toEqual([revision, old]);
    });

    it("does not go back when asked to compact an older revision again", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      await engine().compact(second);
      await engine().compact(first);
      expect(await engine().compactedRevision()).toBe(second);
      await expect(engine().get("/pods/a", first)).rejects.toMatchObject({ code: "RevisionGone" });
    });

    it("refuses to compact a revision that has not happened", async () => {
      const revision = await engine().create("/pods/a", bytes("1"));
      await expect(engine().compact(revision + 1_000)).rejects.toMatchObject({ code: "RevisionInFuture" });
      expect(await engine().get("/pods/a", revision)).toBeDefined();
    });

    it("says in the error from which revision reads are possible", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      await engine().compact(second);
      const failure = await engine()
        .get("/pods/a", first)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "RevisionGone", details: { revision: second } });
    });
  });
}
