import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { EtcdConnection } from "./connection.ts";
import { EtcdFailure } from "./failure.ts";
import { compactMethod } from "./messages.ts";

const HOUR_MS = 3_600_000;

describe("EtcdConnection", () => {
  let clock: FakeClock;
  const lost = new EtcdFailure("transient", true, "the connection broke");
  const endpoints = ["http://127.0.0.1:1"];
  let connection: EtcdConnection;
  beforeEach(() => {
    clock = new FakeClock();
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

  it("lets nobody wait long for a connection once somebody has waited in vain", async () => {
    const patient = new EtcdConnection({ endpoints, requestTimeoutMs: 15_000, tryTimeoutMs: 5_000, clock });
    const ask = () => patient.callRepeatable(compactMethod, { revision: 1 });
    const told = { kind: "unreachable", mayHaveHappened: false };
    const first = expect(ask()).rejects.toMatchObject(told);
    await clock.advance(15_000);
    await first;
    const second = expect(ask()).rejects.toMatchObject(told);
    await clock.advance(1_000);
    await second;
    patient.close();
  });
});
