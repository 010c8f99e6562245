// Contract: closing finishes what was begun; afterwards every call fails with Closed.

import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "../contract.testing.ts";
import { bytes, follow } from "./follow.testing.ts";

export function describeClosing(engine: EngineUnderTest): void {
  describe("closing", () => {
    it("finishes the writes that were begun", async () => {
      const writes = Array.from({ length: 20 }, (_, index) => engine().create(`/pods/${index}`, bytes("1")));
      await engine().close();
      const results = await Promise.allSettled(writes);
      expect(results.map((result) => result.status)).toEqual(results.map(() => "fulfilled"));
    });

    it("fails every later call with Closed", async () => {
      const revision = await engine().create("/pods/a", bytes("1"));
      await engine().close();
      const sink = { change: () => undefined };
      const calls: Array<() => Promise<unknown>> = [
        async () => engine().currentRevision(),
        () => engine().get("/pods/a"),
        () => engine().get("/pods/a", revision),
        () => engine().list("/pods/"),
        () => engine().count("/pods/"),
        () => engine().create("/pods/b", bytes("1")),
        () => engine().update("/pods/a", bytes("2"), revision),
        () => engine().delete("/pods/a", revision),
        () => engine().watch("/pods/", revision, sink, new AbortController().signal),
        () => engine().requestProgress(),
        () => engine().compact(revision),
        () => engine().compactedRevision(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "Closed" });
    });

    it("ends running watches with Closed", async () => {
      const watch = follow(engine(), "/pods/", await engine().currentRevision());
      await engine().create("/pods/a", bytes("1"));
      await watch.count(1);
      const ended = expect(watch.ended).rejects.toMatchObject({ code: "Closed" });
      await engine().close();
      await ended;
    });

    it("may be closed twice", async () => {
      await engine().close();
      await engine().close();
    });
  });
}
