import { describe, expect, it } from "vitest";
import type { Change } from "../engine.ts";
import { PrefixCounts } from "./prefix-counts.ts";

const put = (key: string): Change => ({ type: "put", key, revision: 1, value: new Uint8Array(), previous: undefined });
const deleted = (key: string): Change => {
  return {
    type: "delete",
    key,
    revision: 2,
    value: undefined,
    previous: { key, value: new Uint8Array(), revision: 1 },
  };
};

describe("numbers of keys below a prefix", () => {
  it("are counted once, with what comes and goes while they are counted and later", async () => {
    const counts = new PrefixCounts();
    let tell: (keys: number) => void = () => {};
    const slowly = () => new Promise<number>((resolve) => (tell = resolve));
    const never = () => Promise.reject(new Error("counted twice"));
    const first = counts.get("/k/", slowly);
    counts.apply(put("/k/new"));
    const second = counts.get("/k/", never);
    counts.apply(deleted("/k/a"));
    counts.apply(deleted("/k/b"));
    counts.apply(deleted("/other/a"));
    expect(counts.known("/k/")).toBeUndefined();
    tell(10);
    expect([await first, await second, counts.known("/k/")]).toEqual([9, 9, 9]);
    counts.apply(put("/k/a"));
    expect(await counts.get("/k/", never)).toBe(10);
  });

  it("are counted anew where counting failed", async () => {
    const counts = new PrefixCounts();
    await expect(counts.get("/k/", () => Promise.reject(new Error("closed")))).rejects.toThrow("closed");
    expect(await counts.get("/k/", async () => 3)).toBe(3);
  });
});
