// Contract: a key written with a ttl vanishes as an ordinary delete.

import { describe, expect, it } from "vitest";
import type { ContractTraits, EngineUnderTest } from "../contract.testing.ts";
import { bytes, eventually, follow, text } from "./follow.testing.ts";

// Engines that really wait are given the shortest times that distributed stores grant.
const TTL_SECONDS = 2;
const LONG_TTL_SECONDS = 3_600;

export function describeExpiring(engine: EngineUnderTest, traits: ContractTraits): void {
  const gone = (key: string) => eventually(async () => (await engine().get(key)) === undefined, `${key} has expired`);

  describe("expiring", () => {
    it("deletes a key when its time is up, and watchers see an ordinary delete", async () => {
      const written = await engine().create("/events/a", bytes("1"), { ttlSeconds: TTL_SECONDS });
      const watch = follow(engine(), "/events/", written);
      expect(await engine().get("/events/a")).toBeDefined();
      await traits.passSeconds(TTL_SECONDS + 1);
      await gone("/events/a");
      await watch.count(1);
      const change = watch.changes[0];
      expect(change).toMatchObject({ type: "delete", key: "/events/a", previous: { revision: written } });
      expect(text(change?.previous?.value)).toBe("1");
      expect(change?.revision).toBeGreaterThan(written);
      expect(await engine().count("/events/")).toBe(0);
      await watch.stop();
    });

    it("counts the time from the last write, and keeps a key whose last write had no ttl", async () => {
      const short = await engine().create("/events/extended", bytes("1"), { ttlSeconds: TTL_SECONDS });
      await engine().update("/events/extended", bytes("2"), short, { ttlSeconds: LONG_TTL_SECONDS });
      const freed = await engine().create("/events/freed", bytes("1"), { ttlSeconds: TTL_SECONDS });
      await engine().update("/events/freed", bytes("2"), freed);
      await engine().create("/events/marker", bytes("1"), { ttlSeconds: TTL_SECONDS });
      await traits.passSeconds(TTL_SECONDS + 1);
      await gone("/events/marker");
      expect(text((await engine().get("/events/extended"))?.value)).toBe("2");
      expect(text((await engine().get("/events/freed"))?.value)).toBe("2");
    });

    it("does not expire a key that was deleted and created again without ttl", async () => {
      const first = await engine().create("/events/a", bytes("1"), { ttlSeconds: TTL_SECONDS });
      await engine().delete("/events/a", first);
      const again = await engine().create("/events/a", bytes("2"));
      await engine().create("/events/marker", bytes("1"), { ttlSeconds: TTL_SECONDS });
      await traits.passSeconds(TTL_SECONDS + 1);
      await gone("/events/marker");
      expect(await engine().get("/events/a")).toMatchObject({ revision: again });
    });

    it("reads an expired key at the revision when it still existed", async () => {
      const written = await engine().create("/events/a", bytes("1"), { ttlSeconds: TTL_SECONDS });
      await traits.passSeconds(TTL_SECONDS + 1);
      await gone("/events/a");
      expect(await engine().get("/events/a", written)).toMatchObject({ revision: written });
    });
  });
}
