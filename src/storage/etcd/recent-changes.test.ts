import { describe, expect, it } from "vitest";
import type { Change } from "../engine.ts";
import { RecentChanges } from "./recent-changes.ts";

function change(revision: number, sizeBytes = 1): Change {
  return { type: "put", key: `/${revision}`, revision, value: new Uint8Array(sizeBytes), previous: undefined };
}

describe("RecentChanges", () => {
  const revisionsAfter = (recent: RecentChanges, after: number) => recent.after(after).map((one) => one.revision);

  it("gives what came after a revision, whether or not that revision is here", () => {
    const recent = new RecentChanges(3);
    for (const revision of [4, 6, 6, 9]) recent.push(change(revision));
    expect(revisionsAfter(recent, 3)).toEqual([4, 6, 6, 9]);
    expect(revisionsAfter(recent, 5)).toEqual([6, 6, 9]);
    expect(revisionsAfter(recent, 6)).toEqual([9]);
    expect(revisionsAfter(recent, 9)).toEqual([]);
    expect(recent.floor).toBe(3);
  });

  it("drops the oldest beyond its number and says from where it is complete", () => {
    const recent = new RecentChanges(0);
    for (let revision = 1; revision <= 30_000; revision++) {
      recent.push(change(revision));
      recent.trim();
    }
    expect(recent.floor).toBe(30_000 - 8_192);
    expect(revisionsAfter(recent, recent.floor).length).toBe(8_192);
    expect(revisionsAfter(recent, recent.floor)[0]).toBe(recent.floor + 1);
  });

  it("drops whole revisions beyond its bytes", () => {
    const recent = new RecentChanges(0);
    for (const revision of [1, 1, 1, 2]) recent.push(change(revision, 12 * 1024 * 1024));
    recent.trim();
    expect(recent.floor).toBe(1);
    expect(revisionsAfter(recent, 1)).toEqual([2]);
  });
});
