// Answers that cannot come from the store that was read before.

import { describe, expect, it } from "vitest";
import type { EtcdConnection } from "./connection.ts";
import { KeySpace } from "./keys.ts";
import { EtcdReader } from "./reader.ts";

/** A reader whose requests the test answers, in any order. */
function reading() {
  const asked: ((revision: number) => void)[] = [];
  const callRepeatable = () =>
    new Promise((resolve) => {
      asked.push((revision) => resolve({ header: { revision }, kvs: [], count: 0 }));
    });
  const reader = new EtcdReader({ callRepeatable } as unknown as EtcdConnection, new KeySpace(""));
  const failures: string[] = [];
  reader.onFailure = ({ message }) => void failures.push(message);
  return { reader, asked, failures };
}

describe("EtcdReader", () => {
  it("reads nothing any more from a store that has gone back, and says so once", async () => {
    const { reader, asked, failures } = reading();
    const first = reader.get("/a");
    asked[0]!(10);
    await first;
    const reads = Promise.allSettled([reader.get("/a"), reader.get("/b")]);
    asked[1]!(9);
    asked[2]!(9);
    const refused = { status: "rejected", reason: expect.objectContaining({ code: "Unavailable" }) };
    expect(await reads).toEqual([refused, refused]);
    expect(failures).toEqual([expect.stringContaining("gone back from revision 10 to 9")]);
    await expect(reader.get("/a")).rejects.toBe(reader.failure);
    expect(asked).toHaveLength(3);
  });

  it("takes answers that overtake each other as they come", async () => {
    const { reader, asked } = reading();
    const reads = [reader.get("/a"), reader.get("/b")];
    asked[1]!(10);
    asked[0]!(9);
    expect(await Promise.all(reads)).toEqual([undefined, undefined]);
    expect(reader.failure).toBeUndefined();
  });
});
