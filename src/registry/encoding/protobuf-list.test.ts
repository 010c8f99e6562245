import { describe, expect, it } from "vitest";
import type { CacheItem } from "../../storage/watch-cache.ts";
import { RememberedParts } from "./protobuf-list.ts";

const item = (name: string): CacheItem => ({
  key: `/registry/things/${name}`,
  revision: 1,
  bytes: new Uint8Array(),
  labels: undefined,
  fields: {},
});
const part = (bytes: number) => new Uint8Array(bytes);

describe("encoded items", () => {
  it("are remembered by the item, not by its name", () => {
    const parts = new RememberedParts(100);
    const first = item("a");
    const encoded = part(10);
    parts.set(first, encoded);
    expect(parts.get(first)).toBe(encoded);
    expect(parts.get(item("a"))).toBeUndefined();
  });

  it("of the last generation are still known when there is no more room, those of the one before are not", () => {
    const parts = new RememberedParts(100);
    const [first, second, third] = [item("a"), item("b"), item("c")];
    parts.set(first, part(100));
    parts.set(second, part(100));
    expect(parts.get(first)).toHaveLength(100);
    // Asking for the first has made it young again, and the second old.
    parts.set(third, part(100));
    expect(parts.get(second)).toBeUndefined();
    expect(parts.get(first)).toHaveLength(100);
  });
});
