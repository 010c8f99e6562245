import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { HandshakeGuard } from "./handshake-guard.ts";

const from = (remoteAddress: string, bytesRead: number): Socket => ({ remoteAddress, bytesRead }) as Socket;

describe("an address is asked for certificates", () => {
  it("whatever it sends, as long as that is little or proves something", () => {
    const guard = new HandshakeGuard(new FakeClock(0));
    for (let i = 0; i < 100; i += 1) {
      const [small, good] = [from("10.0.0.1", 4_000), from("10.0.0.1", 50_000)];
      expect([guard.begin(small), guard.begin(good)]).toEqual([true, true]);
      guard.end(good, true);
      guard.end(small, false);
    }
  });

  it("no more when it has sent much for nothing, until that is forgotten", async () => {
    const clock = new FakeClock(0);
    const guard = new HandshakeGuard(clock);
    const bad = from("10.0.0.1", 60_000);
    expect(guard.begin(bad)).toBe(true);
    guard.end(bad, false);
    guard.end(bad, false);
    expect(guard.begin(from("10.0.0.1", 0))).toBe(false);
    expect(guard.begin(from("10.0.0.2", 0))).toBe(true);
    await clock.advance(61_000);
    expect(guard.begin(from("10.0.0.1", 0))).toBe(true);
  });

  it("no more while handshakes with much in them do not end", () => {
    const guard = new HandshakeGuard(new FakeClock(0));
    const waiting = [from("10.0.0.1", 20_000), from("10.0.0.1", 20_000)];
    expect(waiting.map((socket) => guard.begin(socket))).toEqual([true, true]);
    expect(guard.begin(from("10.0.0.1", 0))).toBe(false);
  });

  it.each([
    ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", false],
    ["2001:db8:1:2::1", "2001:db8:1:3::1", true],
    ["2001:db8::1", "2001:db8::2:0:0:1", false],
    ["::ffff:10.0.0.1", "::ffff:10.0.0.2", true],
  ])("together with its network: after %s, %s is: %s", (bad, other, asked) => {
    const guard = new HandshakeGuard(new FakeClock(0));
    const socket = from(bad, 60_000);
    guard.begin(socket);
    guard.end(socket, false);
    expect(guard.begin(from(other, 0))).toBe(asked);
  });
});
