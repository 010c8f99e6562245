// Contract: create, update and delete compare on revision; one counter for all keys.

import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "../contract.testing.ts";
import { bytes, text } from "./follow.testing.ts";

export function describeWriting(engine: EngineUnderTest): void {
  describe("writing", () => {
    it("answers a create with the revision under which the entry is then found", async () => {
      const before = await engine().currentRevision();
      const revision = await engine().create("/pods/a", bytes("1"));
      expect(revision).toBeGreaterThan(before);
      const entry = await engine().get("/pods/a");
      expect(entry?.key).toBe("/pods/a");
      expect(entry?.revision).toBe(revision);
      expect(text(entry?.value)).toBe("1");
    });

    it("counts all keys with one counter that only grows", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().create("/nodes/b", bytes("1"));
      const third = await engine().update("/pods/a", bytes("2"), first);
      const fourth = await engine().delete("/nodes/b", second);
      expect(second).toBeGreaterThan(first);
      expect(third).toBeGreaterThan(second);
      expect(fourth).toBeGreaterThan(third);
      expect(await engine().currentRevision()).toBeGreaterThanOrEqual(fourth);
    });

    it("refuses to create a key that exists", async () => {
      await engine().create("/pods/a", bytes("1"));
      await expect(engine().create("/pods/a", bytes("2"))).rejects.toMatchObject({ code: "KeyExists" });
      expect(text((await engine().get("/pods/a"))?.value)).toBe("1");
    });

    it("creates a key again after it was deleted", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      await engine().delete("/pods/a", first);
      const again = await engine().create("/pods/a", bytes("2"));
      expect(await engine().get("/pods/a")).toMatchObject({ revision: again });
    });

    it("refuses an update with an outdated revision and carries the current entry in the error", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      const failure = await engine()
        .update("/pods/a", bytes("3"), first)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: "RevisionMismatch",
        details: { current: { key: "/pods/a", revision: second } },
      });
      expect(text((await engine().get("/pods/a"))?.value)).toBe("2");
    });

    it("refuses an update with a revision that was never written", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      await expect(engine().update("/pods/a", bytes("2"), first + 1_000)).rejects.toMatchObject({
        code: "RevisionMismatch",
      });
    });

    it("refuses to update or delete a key that does not exist", async () => {
      await expect(engine().update("/pods/a", bytes("1"), 1)).rejects.toMatchObject({ code: "KeyNotFound" });
      await expect(engine().delete("/pods/a", 1)).rejects.toMatchObject({ code: "KeyNotFound" });
    });

    it("refuses to delete with an outdated revision", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      const second = await engine().update("/pods/a", bytes("2"), first);
      await expect(engine().delete("/pods/a", first)).rejects.toMatchObject({
        code: "RevisionMismatch",
        details: { current: { revision: second } },
      });
      expect(await engine().get("/pods/a")).toBeDefined();
    });

    it("moves no revision when a write is refused", async () => {
      const first = await engine().create("/pods/a", bytes("1"));
      await engine()
        .create("/pods/a", bytes("2"))
        .catch(() => undefined);
      await engine()
        .update("/pods/a", bytes("2"), first - 1)
        .catch(() => undefined);
      await engine()
        .delete("/pods/b", first)
        .catch(() => undefined);
      expect(await engine().get("/pods/a")).toMatchObject({ revision: first });
      const page = await engine().list("/pods/");
      expect(page.entries.map((entry) => entry.revision)).toEqual([first]);
    });

    it("writes nothing without the key that guards it", async () => {
      const put = await engine().create("/pods/a", bytes("1"));
      const guard = await engine().create("/guards/a", bytes(""));
      const guarded = { guard: "/guards/a" };
      const updated = await engine().update("/pods/a", bytes("2"), put, guarded);
      const other = await engine().create("/pods/b", bytes("1"), guarded);
      await expect(engine().create("/pods/b", bytes("1"), guarded)).rejects.toMatchObject({ code: "KeyExists" });
      await expect(engine().update("/pods/a", bytes("3"), put, guarded)).rejects.toMatchObject({
        code: "RevisionMismatch",
        details: { current: { revision: updated } },
      });
      await engine().delete("/pods/b", other, guarded);
      await engine().delete("/guards/a", guard);
      const refusals = await Promise.allSettled([
        engine().create("/pods/c", bytes("1"), guarded),
        engine().update("/pods/a", bytes("3"), updated, guarded),
        engine().update("/pods/a", bytes("3"), put, guarded),
        engine().delete("/pods/a", updated, guarded),
      ]);
      const refused = { status: "rejected", reason: expect.objectContaining({ code: "GuardGone" }) };
      expect(refusals).toEqual([refused, refused, refused, refused]);
      expect(await engine().get("/pods/a")).toMatchObject({ revision: updated });
      expect(await engine().get("/pods/c")).toBeUndefined();
    });
  });
}
