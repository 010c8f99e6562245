import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeEntryRow,
  decodeExpiryKey,
  decodeHistoryKey,
  decodeLogRow,
  decodeRevision,
  encodeEntryRow,
  encodeExpiryKey,
  encodeHistoryKey,
  encodeLogRow,
  encodeRevision,
  endOfPrefix,
  historyPrefix,
} from "./rows.ts";

const revisions = fc.nat({ max: Number.MAX_SAFE_INTEGER });
// Well-formed text with many NULs, where the escapes matter.
const keys = fc.string({
  unit: fc.constantFrom("\0", "\u0001", "a", "/", "\u00ff", "\ufffd", "\u{1f600}"),
  maxLength: 8,
});

const sign = (order: number) => Math.sign(order);

describe("rows", () => {
  it("keep revisions up to 2^53 and order them as bytes", () => {
    fc.assert(
      fc.property(revisions, revisions, (a, b) => {
        expect(decodeRevision(encodeRevision(a))).toBe(a);
        expect(sign(Buffer.compare(encodeRevision(a), encodeRevision(b)))).toBe(sign(a - b));
      }),
    );
  });

  it("give back what was put in", () => {
    fc.assert(
      fc.property(keys, revisions, fc.uint8Array(), (key, revision, value) => {
        const entry = decodeEntryRow(key, encodeEntryRow(revision, value));
        expect(entry.revision).toBe(revision);
        expect([...entry.value]).toEqual([...value]);
        expect(decodeHistoryKey(encodeHistoryKey(key, revision))).toEqual({ key, replacedAt: revision });
        expect(decodeLogRow(encodeLogRow("delete", key))).toEqual({ type: "delete", key });
        expect(decodeLogRow(encodeLogRow("put", key))).toEqual({ type: "put", key });
        expect(decodeExpiryKey(encodeExpiryKey(revision, 7))).toEqual({ expiresAtMs: revision, revision: 7 });
      }),
    );
  });

  it("order history by key and then by revision, whatever bytes the keys have", () => {
    fc.assert(
      fc.property(keys, revisions, keys, revisions, (key, revision, otherKey, otherRevision) => {
        const byKey = Buffer.compare(Buffer.from(key), Buffer.from(otherKey));
        const order = Buffer.compare(encodeHistoryKey(key, revision), encodeHistoryKey(otherKey, otherRevision));
        expect(sign(order)).toBe(sign(byKey === 0 ? revision - otherRevision : byKey));
      }),
    );
  });

  it("put exactly the keys with a prefix between the prefix and its end", () => {
    fc.assert(
      fc.property(keys, keys, revisions, (prefix, key, revision) => {
        const start = historyPrefix(prefix);
        const end = endOfPrefix(start);
        const row = encodeHistoryKey(key, revision);
        const isInside = Buffer.compare(row, start) >= 0 && (end === undefined || Buffer.compare(row, end) < 0);
        expect(isInside).toBe(key.startsWith(prefix));
      }),
    );
  });
});
