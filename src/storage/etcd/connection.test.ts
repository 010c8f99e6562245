import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { EtcdConnection } from "./connection.ts";
import { EtcdFailure } from "./failure.ts";

const HOUR_MS = 3_600_000;

describe("EtcdConnection", () => {
  const clock = new FakeClock();
  const lost = new EtcdFailure("transient", true, "the connection broke");
  let connection: EtcdConnection;
  beforeEach(() => {
    const endpoints = ["http://127.0.0.1:1"];
    connection = new EtcdConnection({ endpoints, requestTimeoutMs: 1_000, tryTimeoutMs: 500, clock });
  });
  afterEach(() => connection.close());

  it.each([
    ["forward", HOUR_MS],
    ["back", -HOUR_MS],
  ])("tries again until its time is over, also when the time of day is set %s", async (_direction, byMs) => {
    const retry = connection.retries();
    clock.setTimeOfDay(byMs);
    const again = retry.afterFailure(lost);
    await clock.advance(20);
    await again;
    await clock.advance(1_000);
    await expect(retry.afterFailure(lost)).rejects.toBe(lost);
  });
});
