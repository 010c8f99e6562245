import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { Expectations } from "./expectations.ts";

describe("expectations", () => {
  it("are met when the cache has shown every creation", () => {
    const expectations = new Expectations(new FakeClock());
    expect(expectations.met("a")).toBe(true);
    expectations.expectCreations("a", 2);
    expectations.creationSeen("a");
    expect(expectations.met("a")).toBe(false);
    expect(expectations.met("b")).toBe(true);
    expectations.creationSeen("a");
    expect(expectations.met("a")).toBe(true);
  });

  it("count every deletion once, by uid", () => {
    const expectations = new Expectations(new FakeClock());
    expectations.expectDeletions("a", ["u1", "u2"]);
    expectations.deletionSeen("a", "u1");
    expectations.deletionSeen("a", "u1");
    expectations.deletionSeen("a", "u3");
    expect(expectations.met("a")).toBe(false);
    expectations.deletionSeen("a", "u2");
    expect(expectations.met("a")).toBe(true);
  });

  it("of nothing are met", () => {
    const expectations = new Expectations(new FakeClock());
    expectations.expectCreations("a", 0);
    expectations.expectDeletions("a", []);
    expect(expectations.met("a")).toBe(true);
  });

  it("add up, and do not fall below zero", () => {
    const expectations = new Expectations(new FakeClock());
    expectations.creationSeen("a");
    expectations.expectCreations("a", 1);
    expectations.expectDeletions("a", ["u"]);
    expectations.expectCreations("a", 1);
    for (let seen = 0; seen < 2; seen += 1) expectations.creationSeen("a");
    expect(expectations.met("a")).toBe(false);
    expectations.deletionSeen("a", "u");
    expect(expectations.met("a")).toBe(true);
  });

  it("are given up after five minutes", async () => {
    const clock = new FakeClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations("a", 1);
    await clock.advance(299_999);
    expect(expectations.met("a")).toBe(false);
    await clock.advance(1);
    expect(expectations.met("a")).toBe(true);
  });
});
