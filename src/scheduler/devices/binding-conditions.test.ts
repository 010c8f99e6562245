import { describe, expect, it } from "vitest";
import type { DeviceClaim } from "../state/devices.ts";
import { BINDING_TIMEOUT_MS, isBindingLost, readinessOf } from "./binding-conditions.ts";

type Loose = Readonly<Record<string, unknown>>;

const ALLOCATED_MS = Date.parse("2030-01-01T00:00:00Z");
const condition = (type: string, status = "True") => ({ type, status, reason: "Because", message: "so" });
const told = (...conditions: Loose[]) => ({ driver: "d", pool: "p", device: "a", conditions });

function claim(result: Loose, ...devices: Loose[]): DeviceClaim {
  const results = [{ request: "r", driver: "d", pool: "p", device: "a", ...result }];
  return {
    metadata: { name: "c" },
    status: { allocation: { devices: { results }, allocationTimestamp: "2030-01-01T00:00:00Z" }, devices },
  } as unknown as DeviceClaim;
}

const ATTACHED = { bindingConditions: ["Attached", "Set"], bindingFailureConditions: ["Broken"] };

describe("the devices of a claim are", () => {
  it.each<[string, DeviceClaim, string]>([
    ["ready where there is nothing to wait for", claim({}), "ready"],
    ["pending while their driver says nothing", claim(ATTACHED), "pending"],
    ["pending while one condition is missing", claim(ATTACHED, told(condition("Attached"))), "pending"],
    [
      "pending while one condition is not true",
      claim(ATTACHED, told(condition("Attached"), condition("Set", "False"))),
      "pending",
    ],
    ["ready when all are true", claim(ATTACHED, told(condition("Attached"), condition("Set"))), "ready"],
    [
      "pending when another device is ready",
      claim(ATTACHED, { ...told(condition("Attached"), condition("Set")), device: "b" }),
      "pending",
    ],
    [
      "lost when one says that it failed",
      claim(ATTACHED, told(condition("Attached"), condition("Set"), condition("Broken"))),
      'failed claim c binding failed: reason=Because, message="so"',
    ],
    [
      "not lost while the failure has not happened",
      claim(ATTACHED, told(condition("Attached"), condition("Set"), condition("Broken", "False"))),
      "ready",
    ],
  ])("%s", (_what, given, expected) => {
    const readiness = readinessOf(given);
    expect(readiness.type === "failed" ? `failed ${readiness.why}` : readiness.type).toBe(expected);
  });

  it("lost when they are not ready in time, and then only", () => {
    const inTimeMs = ALLOCATED_MS + BINDING_TIMEOUT_MS;
    expect([isBindingLost(claim(ATTACHED), inTimeMs), isBindingLost(claim(ATTACHED), inTimeMs + 1)]).toEqual([
      false,
      true,
    ]);
    const ready = claim(ATTACHED, told(condition("Attached"), condition("Set")));
    expect(isBindingLost(ready, inTimeMs + 1)).toBe(false);
  });
});
