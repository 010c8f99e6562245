import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloneJson, countValues, equalJson, equalMembers, type Json, type JsonObject } from "./json.ts";
import { cloneJsonInSteps, crowdInSteps, equalJsonInSteps, equalMembersInSteps, withMembers } from "./json-in-steps.ts";
import { atOnce, type Steps } from "./steps.ts";
import { settleKeys } from "./wide-keys.ts";

const wide = (value: Json): JsonObject =>
  Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, value]));
const long = (value: Json): Json[] => Array.from({ length: 20_000 }, () => value);

/** What is small is compared at once, wherever it stands alone. */
const many = long(0);
const amongMany = (value: Json): JsonObject => ({ value, many });

function stepsOf(work: Steps<unknown>): number {
  let steps = 1;
  while (work.next().done !== true) steps += 1;
  return steps;
}

describe("walks in steps", () => {
  it("come to the same as those at once", () => {
    const json = () => fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(json(), json(), (a, b) => {
        expect(atOnce(equalJsonInSteps(a, b))).toBe(equalJson(a, b));
        expect(atOnce(equalJsonInSteps(amongMany(a), amongMany(b)))).toBe(equalJson(a, b));
        expect(atOnce(equalJsonInSteps(a, cloneJson(a)))).toBe(true);
        expect(atOnce(cloneJsonInSteps(a))).toStrictEqual(cloneJson(a));
        expect(atOnce(crowdInSteps(a, 1_000)).values).toBe(countValues(a, 1_000));
      }),
    );
  });

  it("leave a member out, and take one that is undefined for none", () => {
    const [a, b] = [
      { x: 1, y: undefined, z: [1] },
      { x: 2, z: [1] },
    ];
    for (const but of ["x", "z", undefined]) {
      expect(atOnce(equalMembersInSteps(a, b, but))).toBe(equalMembers(a, b, but));
      expect(atOnce(equalMembersInSteps({ ...a, many }, { ...b, many }, but))).toBe(equalMembers(a, b, but));
    }
  });

  it("copy keys like __proto__ as data", () => {
    const copy = atOnce(cloneJsonInSteps(JSON.parse('{"__proto__":{"x":1}}')));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":1}}');
  });

  it("count the keys of the widest object, and stop where there are too many values", () => {
    expect(atOnce(crowdInSteps({ a: { b: 1, c: 2, d: 3 }, e: [{ f: 1 }] }, 100))).toEqual({ values: 8, mostKeys: 3 });
    expect(atOnce(crowdInSteps(long(1), 10)).values).toBeLessThan(20);
  });

  it.each<[string, Json]>([
    ["a wide object", wide("a")],
    ["a long list", long("a")],
    ["a list of objects", long({ a: 1 })],
  ])("take several steps for %s", (_what, value) => {
    expect(stepsOf(equalJsonInSteps(value, cloneJson(value)))).toBeGreaterThan(2);
    expect(stepsOf(cloneJsonInSteps(value))).toBeGreaterThan(2);
    expect(stepsOf(crowdInSteps(value, Number.POSITIVE_INFINITY))).toBeGreaterThan(2);
  });

  it("take several steps where only the second is large", () => {
    const few = { data: { a: 1, b: 2 } };
    const many = { data: { ...wide(1), a: 1, b: 2 } };
    expect(stepsOf(equalJsonInSteps(few, many))).toBeGreaterThan(2);
    expect(stepsOf(equalMembersInSteps(few, many))).toBeGreaterThan(2);
  });
});

describe("an object that gets further members", () => {
  function settled(): Record<string, Json> {
    const object = wide("a") as Record<string, Json>;
    settleKeys(object, Object.keys(object));
    return object;
  }

  it("is itself where it takes them", () => {
    const object: Record<string, Json> = { a: 1 };
    expect(atOnce(withMembers(object, { b: 2 }))).toBe(object);
    expect(object).toEqual({ a: 1, b: 2 });
  });

  it("is itself where it has them and takes no others", () => {
    const object = settled();
    expect(atOnce(withMembers(object, { k1: "b" }))).toBe(object);
    expect(object["k1"]).toBe("b");
  });

  it("is a copy where it takes none, and they are data whatever they are called", () => {
    const object = settled();
    const further = JSON.parse('{"__proto__":"x","k1":"b"}');
    expect(stepsOf(withMembers(object, further))).toBeGreaterThan(2);
    const copy = atOnce(withMembers(object, further));
    expect(object).toEqual(wide("a"));
    expect(JSON.stringify(copy)).toBe(JSON.stringify({ ...object, k1: "b" }).replace(/}$/, ',"__proto__":"x"}'));
  });
});
