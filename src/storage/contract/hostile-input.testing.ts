// Contract: keys and values are opaque; no byte in them has a meaning for the engine.

import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "../contract.testing.ts";
import { bytes, follow, text } from "./follow.testing.ts";

const LARGE_VALUE_BYTES = 1_500_000;

const hostileKeys = [
  "/h/__proto__",
  "/h/constructor",
  "/h/toString",
  "/h/../../etc/passwd",
  "/h/with space and\ttab\nnewline",
  "/h/nul\u0000inside",
  "/h/nul\u0000",
  "/h/nul",
  "/h/%2F%00",
  "/h/quote'\"`;--",
  "/h/\u00e9",
  "/h/e\u0301",
  "/h/\ufffd",
  "/h/\u{1f600}",
  `/h/${"long".repeat(250)}`,
  "/h/",
  "/h//",
];

export function describeHostileInput(engine: EngineUnderTest): void {
  describe("hostile input", () => {
    it("stores, reads, lists and watches keys of any shape", async () => {
      const start = await engine().currentRevision();
      const watch = follow(engine(), "/h/", start);
      for (const key of hostileKeys) await engine().create(key, bytes(key));
      for (const key of hostileKeys) expect(text((await engine().get(key))?.value)).toBe(key);

      const inByteOrder = [...hostileKeys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const page = await engine().list("/h/");
      expect(page.entries.map((entry) => entry.key)).toEqual(inByteOrder);
      await watch.count(hostileKeys.length);
      expect(watch.changes.map((change) => change.key)).toEqual(hostileKeys);
      await watch.stop();
    });

    it("pages and reads history in byte order, whatever the keys contain", async () => {
      const revisions = new Map<string, number>();
      for (const key of hostileKeys) revisions.set(key, await engine().create(key, bytes("1")));
      const at = await engine().currentRevision();
      for (const [key, revision] of revisions) {
        const updated = await engine().update(key, bytes("2"), revision);
        if (key.length % 2 === 0) await engine().delete(key, updated);
      }
      const inByteOrder = [...hostileKeys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const seen: string[] = [];
      let after = "";
      for (let more = true; more; ) {
        const page = await engine().list("/h/", { revision: at, limit: 3, after });
        for (const entry of page.entries) {
          expect(text(entry.value)).toBe("1");
          expect(entry.revision).toBe(revisions.get(entry.key));
          seen.push(entry.key);
        }
        expect(page.remainingCount).toBe(hostileKeys.length - seen.length);
        more = page.more;
        after = page.entries.at(-1)?.key ?? "";
      }
      expect(seen).toEqual(inByteOrder);
    });

    it.each([
      ["long", "x".repeat(5_000)],
      ["long, of characters of several bytes", "\u{1f600}".repeat(2_000)],
      ["long, of NULs", "\u0000".repeat(1_500)],
    ])("goes on after a text that is no key, and below one: %s", async (_what, made) => {
      await engine().create("/made/a", bytes("1"));
      const before = await engine().create("/made/z", bytes("2"));
      const now = await engine().update("/made/z", bytes("3"), before);
      for (const revision of [before, now]) {
        const page = await engine().list("/made/", { after: `/made/b${made}`, revision, limit: 1 });
        expect(page.entries.map(({ key }) => key)).toEqual(["/made/z"]);
        expect((await engine().list(`/made/${made}`, { revision, limit: 1 })).entries).toEqual([]);
      }
      expect(await engine().count(`/made/${made}`)).toBe(0);
    });

    it("keeps every byte of a binary value, and an empty value", async () => {
      const binary = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256);
      const revision = await engine().create("/values/binary", binary);
      await engine().create("/values/empty", new Uint8Array(0));
      expect([...((await engine().get("/values/binary"))?.value ?? [])]).toEqual([...binary]);
      expect((await engine().get("/values/empty"))?.value.length).toBe(0);
      const listed = await engine().list("/values/");
      expect(listed.entries.map((entry) => entry.value.length)).toEqual([1_024, 0]);
      await engine().update("/values/binary", new Uint8Array([0]), revision);
      expect([...((await engine().get("/values/binary", revision))?.value ?? [])]).toEqual([...binary]);
    });

    it("stores values of one and a half megabytes and keeps their history", async () => {
      const large = (fill: number) => new Uint8Array(LARGE_VALUE_BYTES).fill(fill);
      const start = await engine().currentRevision();
      const first = await engine().create("/values/large", large(1));
      const second = await engine().update("/values/large", large(2), first);
      const now = await engine().get("/values/large");
      const before = await engine().get("/values/large", first);
      expect(now?.value.length).toBe(LARGE_VALUE_BYTES);
      expect(Buffer.compare(now?.value ?? bytes(""), large(2))).toBe(0);
      expect(Buffer.compare(before?.value ?? bytes(""), large(1))).toBe(0);
      const watch = follow(engine(), "/values/", start);
      await watch.count(2);
      expect(watch.changes.map((change) => change.revision)).toEqual([first, second]);
      expect(Buffer.compare(watch.changes[1]?.previous?.value ?? bytes(""), large(1))).toBe(0);
      await watch.stop();
    });

    it("gives every reader bytes of its own that later reads do not overwrite", async () => {
      for (let index = 0; index < 50; index++)
        await engine().create(`/own/${index}`, bytes(`value ${index}`.repeat(20)));
      const entries = await Promise.all(Array.from({ length: 50 }, (_, index) => engine().get(`/own/${index}`)));
      const page = await engine().list("/own/");
      for (const [index, entry] of entries.entries()) expect(text(entry?.value)).toBe(`value ${index}`.repeat(20));
      for (const entry of page.entries) {
        expect(text(entry.value)).toBe(`value ${entry.key.slice("/own/".length)}`.repeat(20));
      }
    });
  });
}
