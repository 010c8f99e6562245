import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { Expiry } from "./expiry.ts";
import { encodeExpiryKey } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** One key whose time is up, and what the engine is asked for. */
function expiring(getRange = (): unknown => [{ key: encodeExpiryKey(1, 2), value: Buffer.from("/a") }]) {
  const asked = { deleted: 0, housekeeping: 0 };
  const clock = new FakeClock();
  const expiry = new Expiry({
    tables: { expiry: { getRange } } as unknown as Tables,
    clock,
    intervalMs: 1_000,
    delete: async () => {
      asked.deleted += 1;
      return 3;
    },
    requestHousekeeping: () => {
      asked.housekeeping += 1;
    },
  });
  return { asked, clock, expiry };
}

describe("the expiry of keys", () => {
  it("asks again to have its rows removed when nobody came to that", async () => {
    const { asked, clock } = expiring();
    await clock.advance(2_000);
    expect(asked).toEqual({ deleted: 1, housekeeping: 2 });
  });

  it("looks for nothing once it was stopped, whoever asks", async () => {
    const { asked, expiry } = expiring();
    expiry.stop();
    await expiry.sweep();
    expect(asked).toEqual({ deleted: 0, housekeeping: 0 });
  });

  it("goes on after a look that failed", async () => {
    let looks = 0;
    const { clock } = expiring(() => {
      looks += 1;
      throw new Error("the disk");
    });
    await clock.advance(2_000);
    expect(looks).toBe(2);
  });
});
