// Picks among free numbers: never a taken one, all of them, at the same price however full the set is.

import { describe, expect, it } from "vitest";
import { parseCidr } from "../../meta/ip.ts";
import { AddressPool } from "./address-pool.ts";
import { AddressRange } from "./address-range.ts";
import { PortPool } from "./port-pool.ts";
import { DenseSlots, SparseSlots } from "./slot-set.ts";

const half = () => 0.5;

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("a dense set", () => {
  it.each([1, 31, 32, 33, 64, 100, 1000])("of %i gives every number once and then none", (size) => {
    const slots = new DenseSlots(size);
    const random = seeded(size);
    const seen = new Set<number>();
    for (let count = 0; count < size; count += 1) {
      const slot = slots.pick(0, size, random)!;
      expect(slot >= 0 && slot < size && !seen.has(slot)).toBe(true);
      seen.add(slot);
      slots.add(slot);
    }
    expect(slots.pick(0, size, random)).toBeUndefined();
    slots.delete(size - 1);
    expect(slots.pick(0, size, random)).toBe(size - 1);
  });

  it("stays inside the asked part, and is even over it", () => {
    const slots = new DenseSlots(100);
    for (let slot = 0; slot < 100; slot += 2) slots.add(slot);
    const random = seeded(3);
    const counts = new Map<number, number>();
    for (let count = 0; count < 4000; count += 1) {
      const slot = slots.pick(40, 60, random)!;
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([41, 43, 45, 47, 49, 51, 53, 55, 57, 59]);
    expect(Math.min(...counts.values())).toBeGreaterThan(300);
  });

  it("takes and frees a number once, however often it is told", () => {
    const slots = new DenseSlots(2);
    slots.add(0);
    slots.add(0);
    expect(slots.pick(0, 2, half)).toBe(1);
    slots.delete(0);
    slots.delete(0);
    slots.add(1);
    expect(slots.pick(0, 2, half)).toBe(0);
  });
});

describe("a sparse set", () => {
  it("finds the last free number though chance keeps missing it", () => {
    const slots = new SparseSlots();
    for (let slot = 0n; slot < 50n; slot += 1n) if (slot !== 17n) slots.add(slot);
    expect(slots.pick(0n, 50n, half)).toBe(17n);
    slots.add(17n);
    expect(slots.pick(0n, 50n, half)).toBeUndefined();
  });
});

describe("an address range", () => {
  const range = (cidr: string) => new AddressRange(parseCidr(cidr)!);

  it.each([
    ["10.0.0.0/24", 254n, 16n],
    ["10.0.0.0/28", 14n, 0n],
    ["10.0.0.0/27", 30n, 16n],
    ["10.0.0.0/16", 65_534n, 256n],
    ["10.0.0.0/20", 4_094n, 256n],
    ["10.0.0.0/22", 1_022n, 64n],
    ["10.0.0.0/31", 0n, 0n],
    ["10.0.0.0/32", 0n, 0n],
    ["fd00::/112", 65_535n, 256n],
    ["fd00::/64", 2n ** 64n - 1n, 256n],
  ])("%s has %s usable addresses, %s of them for people", (cidr, size, staticSize) => {
    expect(range(cidr)).toMatchObject({ size, staticSize });
  });

  it("gives the upper band first, the lower one when that is full, and neither network nor broadcast address", () => {
    const small = range("10.0.0.0/27");
    const given: bigint[] = [];
    for (let ip = small.pick(half); ip !== undefined; ip = small.pick(half)) {
      given.push(ip - small.first);
      small.setTaken(ip, true);
    }
    expect(given.length).toBe(30);
    expect(given.slice(0, 14).every((slot) => slot >= 16n)).toBe(true);
    expect(new Set(given).size).toBe(30);
  });
});

describe("an address pool", () => {
  const ip = (text: string) => ({ family: 4 as const, bytes: Uint8Array.from(text.split("."), Number), zone: "" });

  it("goes on in a second range when the first is full, and stops when one is withdrawn", () => {
    const pool = new AddressPool(4, half);
    pool.addRange(parseCidr("10.0.0.0/30")!);
    pool.take(ip("10.0.0.1"));
    pool.take(ip("10.0.0.2"));
    expect(pool.pick()).toBeUndefined();
    pool.addRange(parseCidr("10.1.0.0/30")!);
    expect([...(pool.pick()?.bytes ?? [])].slice(0, 2)).toEqual([10, 1]);
    pool.removeRange(parseCidr("10.1.0.0/30")!);
    expect(pool.pick()).toBeUndefined();
  });

  it("frees an address when all that hold it have let go", () => {
    const pool = new AddressPool(4, half);
    pool.take(ip("10.0.0.1"));
    pool.take(ip("10.0.0.1"));
    pool.release(ip("10.0.0.1"));
    expect(pool.isTaken(ip("10.0.0.1"))).toBe(true);
    pool.release(ip("10.0.0.1"));
    expect(pool.isTaken(ip("10.0.0.1"))).toBe(false);
  });
});

describe("the port pool", () => {
  it.each([
    [30_000, 32_767, 86],
    [31_000, 31_019, 16],
    [31_000, 31_015, 0],
    [1, 65_535, 128],
  ])("of %i-%i keeps %i ports for people", (first, last, staticSize) => {
    expect(new PortPool({ first, last }, half).staticSize).toBe(staticSize);
  });

  it("gives a port that was taken twice when it was released twice", () => {
    const pool = new PortPool({ first: 1, last: 2 }, half);
    pool.take(1);
    pool.take(2);
    pool.take(2);
    expect(pool.pick()).toBeUndefined();
    pool.release(2);
    expect(pool.isTaken(2)).toBe(true);
    pool.release(2);
    expect(pool.pick()).toBe(2);
  });
});
