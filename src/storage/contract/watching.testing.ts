// Contract: a watch replays history and then follows live changes, in revision order, without gap or repeat.

import { describe, expect, it } from "vitest";
import type { ContractTraits, EngineUnderTest } from "../contract.testing.ts";
import type { Change, Revision } from "../engine.ts";
import { bytes, eventually, follow, summary, text } from "./follow.testing.ts";

export function describeWatching(engine: EngineUnderTest, traits: ContractTraits): void {
  describe("watching", () => {
    it("replays history and then live changes, without gap or repeat", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      const watch = follow(engine(), "/pods/", first);
      await watch.count(1);
      const third = await engine().delete("/pods/a", second);
      const fourth = await engine().create("/pods/a", bytes("3"));
      await watch.count(3);
      expect(watch.changes.map(summary)).toEqual([
        `${second} put /pods/a=2 was 1@${first}`,
        `${third} delete /pods/a was 2@${second}`,
        `${fourth} put /pods/a=3`,
      ]);
      await watch.stop();
    });

    it("replays deletes and first writes with the same details as live ones", async () => {
      const start = await engine().currentRevision();
      const live = follow(engine(), "/pods/", start);
      const first = await engine().create("/pods/a", bytes("1"));
      const gone = await engine().delete("/pods/a", first);
      await engine().create("/pods/a", bytes("2"));
      await live.count(3);
      const replayed = follow(engine(), "/pods/", start);
      await replayed.count(3);
      expect(replayed.changes.map(summary)).toEqual(live.changes.map(summary));
      expect(replayed.changes[1]).toMatchObject({ type: "delete", revision: gone, value: undefined });
      expect(replayed.changes[1]?.previous?.key).toBe("/pods/a");
      await live.stop();
      await replayed.stop();
    });

    it("delivers only keys that start with the prefix", async () => {
      const start = await engine().currentRevision();
      const watch = follow(engine(), "/pods/team/", start);
      const nested = follow(engine(), "/pods/team/we", start);
      await engine().create("/pods/team", bytes("no"));
      await engine().create("/pods/team/web", bytes("yes"));
      await engine().create("/pods/teams/x", bytes("no"));
      await engine().create("/pods/team/db", bytes("yes"));
      await engine().create("/pods/team/web/deep", bytes("yes"));
      await Promise.all([watch.count(3), nested.count(2)]);
      expect(watch.changes.map((change) => change.key)).toEqual([
        "/pods/team/web",
        "/pods/team/db",
        "/pods/team/web/deep",
      ]);
      expect(nested.changes.map((change) => change.key)).toEqual(["/pods/team/web", "/pods/team/web/deep"]);
      await Promise.all([watch.stop(), nested.stop()]);
    });

    it("delivers the same changes to several watchers of one prefix", async () => {
      const start = await engine().currentRevision();
      const watches = Array.from({ length: 5 }, () => follow(engine(), "/pods/", start));
      const first = await engine().create("/pods/a", bytes("1"));
      await engine().update("/pods/a", bytes("2"), first);
      await Promise.all(watches.map((watch) => watch.count(2)));
      for (const watch of watches) expect(watch.changes.map(summary)).toEqual(watches[0]?.changes.map(summary));
      await Promise.all(watches.map((watch) => watch.stop()));
    });

    it("waits with a watch from a future revision and delivers only what comes after it", async () => {
      const now = await engine().create("/pods/a", bytes("1"));
      const watch = follow(engine(), "/pods/", now + 2);
      let revision = now;
      for (let step = 0; step < 4; step++) revision = await engine().update("/pods/a", bytes(`${step}`), revision);
      await watch.count(2);
      expect(watch.changes.every((change) => change.revision > now + 2)).toBe(true);
      expect(watch.changes.at(-1)?.revision).toBe(revision);
      await watch.stop();
    });

    it("delivers a change by the time its writer has the answer and progress was asked for", async () => {
      const start = await engine().currentRevision();
      const watch = follow(engine(), "/pods/", start);
      const revision = await engine().create("/pods/a", bytes("1"));
      await engine().requestProgress();
      await watch.progressTo(revision);
      expect(watch.changes.map((change) => change.revision)).toEqual([revision]);
      await watch.stop();
    });

    it("gives progress to a watcher whose own prefix is quiet", async () => {
      const start = await engine().currentRevision();
      const watch = follow(engine(), "/quiet/", start);
      const revision = await engine().create("/loud/a", bytes("1"));
      await engine().requestProgress();
      await watch.progressTo(revision);
      expect(watch.changes).toEqual([]);
      await watch.stop();
    });

    it("never claims progress beyond a change that was not yet delivered", async () => {
      const start = await engine().currentRevision();
      const calls: Array<{ readonly what: "change" | "progress"; readonly revision: Revision }> = [];
      const controller = new AbortController();
      const sink = {
        change: (change: Change) => calls.push({ what: "change", revision: change.revision }),
        progress: (revision: Revision) => calls.push({ what: "progress", revision }),
      };
      const ended = engine().watch("/pods/", start, sink, controller.signal);
      let revision = await engine().create("/pods/a", bytes("0"));
      for (let step = 1; step <= 20; step++) {
        revision = await engine().update("/pods/a", bytes(`${step}`), revision);
        await engine().requestProgress();
      }
      const tail = follow(engine(), "/pods/", revision);
      await engine().requestProgress();
      await tail.progressTo(revision);
      await eventually(async () => calls.some((call) => call.revision === revision), "the last change arrived");
      controller.abort();
      await Promise.all([ended, tail.stop()]);
      for (const [index, call] of calls.entries()) {
        const earlier = calls.slice(0, index).filter((other) => other.what === "progress");
        if (call.what === "change") for (const claim of earlier) expect(claim.revision).toBeLessThan(call.revision);
      }
    });

    it("ends without error when the signal aborts, and delivers nothing afterwards", async () => {
      const start = await engine().currentRevision();
      const watch = follow(engine(), "/pods/", start);
      const first = await engine().create("/pods/a", bytes("1"));
      await watch.count(1);
      await watch.stop();
      await engine().update("/pods/a", bytes("2"), first);
      const other = follow(engine(), "/pods/", first);
      await other.count(1);
      expect(watch.changes.length).toBe(1);
      await other.stop();
    });

    it("ends at once when the signal was aborted before", async () => {
      const sink = { change: () => expect.unreachable() };
      const start = await engine().currentRevision();
      await engine().create("/pods/a", bytes("1"));
      await engine().watch("/pods/", start, sink, AbortSignal.abort());
    });

    it("lets a watcher stop from inside its sink", async () => {
      const start = await engine().currentRevision();
      const controller = new AbortController();
      const seen: Change[] = [];
      const sink = {
        change(change: Change) {
          seen.push(change);
          controller.abort();
        },
      };
      const first = await engine().create("/pods/a", bytes("1"));
      await engine().update("/pods/a", bytes("2"), first);
      await engine().watch("/pods/", start, sink, controller.signal);
      expect(seen.length).toBe(1);
    });

    it("gives watchers bytes that stay the same afterwards", async () => {
      const start = await engine().currentRevision();
      const watch = follow(engine(), "/pods/", start);
      let revision = await engine().create("/pods/a", bytes("value-0"));
      for (let step = 1; step < 50; step++) {
        revision = await engine().update("/pods/a", bytes(`value-${step}`), revision);
      }
      const replayed = follow(engine(), "/pods/", start);
      await Promise.all([watch.count(50), replayed.count(50)]);
      for (const follower of [watch, replayed]) {
        for (const [index, change] of follower.changes.entries()) {
          expect(text(change.value)).toBe(`value-${index}`);
          if (index > 0) expect(text(change.previous?.value)).toBe(`value-${index - 1}`);
        }
        await follower.stop();
      }
    });

    if (traits.carriesAttachments !== false) {
      it("hands the writer's attachment to live watchers of the same process", async () => {
        const start = await engine().currentRevision();
        const watch = follow(engine(), "/pods/", start);
        await engine().create("/other/x", bytes("settles the watch"));
        const attachments = [{ decoded: 1 }, { decoded: 2 }, { decoded: 3 }];
        const first = await engine().create("/pods/a", bytes("1"), { attachment: attachments[0] });
        const second = await engine().update("/pods/a", bytes("2"), first, { attachment: attachments[1] });
        await engine().delete("/pods/a", second, { attachment: attachments[2] });
        await watch.count(3);
        for (const [index, change] of watch.changes.entries()) expect(change.attachment).toBe(attachments[index]);
        await watch.stop();
      });
    }
  });
}
