import { describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import type { InformerHandlers } from "../client/informer.ts";
import type { SharedInformers } from "../client/shared-informers.ts";
import { namesFor } from "../meta/names.ts";
import { DeviceCache } from "./device-cache.ts";
import { ALL_GATES } from "./scheduler.testing.ts";
import type { DeviceClaim } from "./state/devices.ts";

const CLAIM_UPDATED = `${namesFor("kubernetes").group("resource")}/ResourceClaimUpdate`;

const allocation = (device: string) => ({
  devices: { results: [{ request: "r", driver: "d", pool: "p", device }] },
});

function claim(resourceVersion: string, status: object = {}): DeviceClaim {
  const metadata = { name: "c", namespace: "n", uid: "u", resourceVersion };
  return { metadata, spec: { devices: {} }, status } as unknown as DeviceClaim;
}

/** A cache that is told of claims by hand. */
function cacheWith(first?: DeviceClaim) {
  const handlers: InformerHandlers<object>[] = [];
  const changes: string[] = [];
  let known: DeviceClaim | undefined;
  const informer = {
    addHandlers: (given: InformerHandlers<object>) => handlers.push(given),
    cache: { get: () => known, byIndex: () => [] },
  };
  const informers = { of: () => informer } as unknown as SharedInformers;
  const devices = new DeviceCache(
    { informers, names: namesFor("kubernetes"), gates: ALL_GATES, clock: systemClock },
    {
      classes: () => undefined,
      devices: (event) => changes.push(event),
      claim: (key, event) => changes.push(`${key} ${event}`),
    },
  );
  // Those of claims are added last.
  const tell = (next: DeviceClaim | undefined): void => {
    const before = known;
    known = next;
    if (next === undefined) handlers.at(-1)!.deleted?.(before!);
    else if (before === undefined) handlers.at(-1)!.added?.(next);
    else handlers.at(-1)!.updated?.(next, before);
  };
  if (first !== undefined) tell(first);
  changes.length = 0;
  return { devices, tell, changes };
}

describe("the devices that a scheduler knows of", () => {
  it("are taken from the promise on until the claim is free again", () => {
    const { devices, tell, changes } = cacheWith(claim("1"));
    devices.promise(claim("1"), allocation("a"));
    expect([devices.isTaken("d/p/a"), devices.isTaken("d/p/b"), devices.isBeingAllocated("u")]).toEqual([
      true,
      false,
      true,
    ]);
    const written = claim("2", { allocation: allocation("a") });
    devices.wrote(written);
    // The informer does not know yet.
    expect([devices.isTaken("d/p/a"), devices.isBeingAllocated("u"), devices.claim("n", "c")]).toEqual([
      true,
      false,
      written,
    ]);
    devices.release(claim("1"));
    expect(devices.isTaken("d/p/a")).toBe(true);
    tell(written);
    expect([devices.isTaken("d/p/a"), devices.isBeingAllocated("u")]).toEqual([true, false]);
    tell(claim("3"));
    expect(devices.isTaken("d/p/a")).toBe(false);
    expect(changes).toEqual([`n/c ${CLAIM_UPDATED}`, `n/c ${CLAIM_UPDATED}`, CLAIM_UPDATED]);
  });

  it("are free when the promise is taken back, or its claim goes", () => {
    const { devices, tell } = cacheWith(claim("1"));
    devices.promise(claim("1"), allocation("a"));
    devices.release(claim("1"));
    expect([devices.isTaken("d/p/a"), devices.isBeingAllocated("u")]).toEqual([false, false]);
    devices.promise(claim("1"), allocation("a"));
    tell(undefined);
    expect([devices.isTaken("d/p/a"), devices.isBeingAllocated("u")]).toEqual([false, false]);
  });

  it("are free when the informer shows the claim without them, though it never showed it with them", () => {
    const { devices, tell } = cacheWith(claim("9"));
    devices.promise(claim("9"), allocation("a"));
    devices.wrote(claim("10", { allocation: allocation("a") }));
    const freed = claim("12");
    tell(freed);
    expect([devices.isTaken("d/p/a"), devices.claim("n", "c")]).toEqual([false, freed]);
  });

  it("stay known where the informer was faster than the answer, and others' changes matter to nobody", () => {
    const { devices, tell, changes } = cacheWith(claim("1"));
    devices.promise(claim("1"), allocation("a"));
    const written = claim("2", { allocation: allocation("a") });
    tell(written);
    devices.wrote(written);
    expect([devices.isTaken("d/p/a"), devices.isBeingAllocated("u")]).toEqual([true, false]);
    changes.length = 0;
    tell({ ...written, metadata: { ...written.metadata, resourceVersion: "3" } });
    expect(changes).toEqual([]);
    tell(undefined);
    expect(devices.isTaken("d/p/a")).toBe(false);
  });
});
