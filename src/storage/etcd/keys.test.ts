import { describe, expect, it } from "vitest";
import { KeySpace } from "./keys.ts";

describe("KeySpace", () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

  it.each([
    // engine prefix, prefix, after, first key, end
    ["", "/pods/", undefined, "/pods/", "/pods0"],
    ["/x", "/pods/", undefined, "/x/pods/", "/x/pods0"],
    ["", "", undefined, "\0", "\0"],
    ["", "", "a", "a\0", "\0"],
    ["", "/pods/", "/pods/b", "/pods/b\0", "/pods0"],
    ["", "/pods/", "/nodes/b", "/pods/", "/pods0"],
    ["", "/pods/", "", "/pods/", "/pods0"],
    ["", "/pods/", "/pods/", "/pods/\0", "/pods0"],
    ["", "a\u007f", undefined, "a\u007f", "a\u0080"],
  ])("below %j turns prefix %j after %j into the range from %j to %j", (engine, prefix, after, first, end) => {
    const range = new KeySpace(engine).range(prefix, after);
    expect([hex(range.key), hex(range.rangeEnd)]).toEqual([first, end]);
  });

  it("takes its own prefix off and knows the keys of others", () => {
    const keys = new KeySpace("/mine");
    expect(keys.fromBytes(keys.toBytes("/pods/a"))).toBe("/pods/a");
    expect(keys.fromBytes(Buffer.from("/mine"))).toBe("");
    expect(keys.fromBytes(Buffer.from("/min"))).toBeUndefined();
    expect(keys.fromBytes(Buffer.from("/other/pods/a"))).toBeUndefined();
    expect(new KeySpace("").fromBytes(Buffer.from("/other/pods/a"))).toBe("/other/pods/a");
  });
});
