import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../base/next-turn.ts";
import { keyOf } from "./cache.testing.ts";
import type { CacheItem } from "./cache-event.ts";
import { ItemIndexes } from "./item-indexes.ts";
import { OrderedMap } from "./ordered-map.ts";
import type { Requirement } from "./requirement.ts";

const RED: Requirement = { of: "label", name: "color", values: ["red"] };
const RED_OR_BLUE: Requirement = { of: "label", name: "color", values: ["red", "blue"] };

class Collection {
  readonly items = new OrderedMap<CacheItem>();
  readonly indexes = new ItemIndexes(this.items);

  put(name: string, labels: Record<string, string> | undefined, more: Partial<CacheItem> = {}): void {
    const key = keyOf(name);
    const item = { key, revision: 1, bytes: new Uint8Array(), labels, fields: { "metadata.name": name }, ...more };
    this.indexes.replace(this.items.get(key), item);
    this.items.set(key, item);
  }

  delete(name: string): void {
    const item = this.items.get(keyOf(name));
    this.items.delete(keyOf(name));
    if (item !== undefined) this.indexes.replace(item, undefined);
  }

  /** The names, in order, once the index is worth it and complete. */
  async found(...requirements: Requirement[]): Promise<string[] | undefined> {
    for (let turn = 0; turn < 10; turn += 1) {
      const keys = this.indexes.candidates(requirements);
      if (keys !== undefined) return keys.map((key) => key.slice(keyOf("").length)).sort();
      await nextTurn();
    }
    return undefined;
  }
}

function collection(count: number): Collection {
  const made = new Collection();
  for (let index = 0; index < count; index += 1) {
    made.put(`item-${index}`, index % 100 === 0 ? { color: "red" } : index % 3 === 0 ? undefined : { color: "grey" });
  }
  return made;
}

const reds = (count: number) =>
  Array.from({ length: Math.ceil(count / 100) }, (_, index) => `item-${index * 100}`).sort();

describe("indexes of items", () => {
  it("are made for what is asked for a second time", () => {
    const { indexes } = collection(300);
    expect(indexes.candidates([RED])).toBeUndefined();
    expect(indexes.candidates([RED])).toHaveLength(3);
  });

  it("are made at once for what is asked of very many", () => {
    const { indexes } = collection(300);
    expect(indexes.candidates([RED], () => true)).toHaveLength(3);
  });

  it("are not made for few items", async () => {
    expect(await collection(100).found(RED)).toBeUndefined();
  });

  it("are made in several turns for many, and then hold what came and went meanwhile", async () => {
    const made = collection(20_000);
    made.indexes.candidates([RED]);
    expect(made.indexes.candidates([RED])).toBeUndefined();
    // The first turn has read the items up to some key in the middle.
    made.put("item-0", { color: "grey" });
    made.put("item-9999", { color: "red" });
    made.put("a-first", { color: "red" });
    made.put("z-last", { color: "red" });
    made.delete("item-100");
    made.delete("item-9900");
    const expected = [...reds(20_000), "item-9999", "a-first", "z-last"].filter(
      (name) => !["item-0", "item-100", "item-9900"].includes(name),
    );
    expect(await made.found(RED)).toEqual(expected.sort());
  });

  it("can be waited for while they are made, also when others take their place meanwhile", async () => {
    const made = collection(20_000);
    expect(made.indexes.underWay([RED])).toBeUndefined();
    made.indexes.candidates([RED]);
    made.indexes.candidates([RED]);
    await made.indexes.underWay([RED]);
    expect(made.indexes.candidates([RED])).toHaveLength(200);
    expect(made.indexes.underWay([RED])).toBeUndefined();
    const others = Array.from(
      { length: 20 },
      (_, index): Requirement => ({ of: "label", name: `l${index}`, values: [""] }),
    );
    const waits = others.map((requirement) => {
      made.indexes.candidates([requirement]);
      made.indexes.candidates([requirement]);
      return made.indexes.underWay([requirement]);
    });
    expect(await Promise.all(waits)).toHaveLength(20);
  });

  it("give the shortest list of several requirements, and the sum of several values", async () => {
    const made = collection(400);
    made.put("blue", { color: "blue" });
    expect(
      await made.found({ ...RED, values: ["grey"] }, { of: "field", name: "metadata.name", values: ["item-1"] }),
    ).toEqual(["item-1"]);
    expect(await made.found(RED_OR_BLUE)).toEqual(["blue", "item-0", "item-100", "item-200", "item-300"]);
    expect(await made.found({ of: "label", name: "constructor", values: ["x"] })).toEqual([]);
  });

  it("say nothing while an item cannot be read", async () => {
    const made = collection(300);
    expect(await made.found(RED)).toHaveLength(3);
    made.put("broken", undefined, { corrupt: new Error("no JSON") });
    expect(await made.found(RED)).toBeUndefined();
    made.put("broken", { color: "red" });
    expect(await made.found(RED)).toHaveLength(4);
  });

  it("stay few, however many labels are asked for", async () => {
    const made = collection(300);
    const asked = Array.from(
      { length: 50 },
      (_, index): Requirement => ({ of: "label", name: `l${index}`, values: ["x"] }),
    );
    for (const requirement of asked) expect(await made.found(requirement)).toEqual([]);
    // The last ones are kept; the first has to be asked for twice again.
    expect(made.indexes.candidates([asked.at(-1)!])).toEqual([]);
    expect(made.indexes.candidates([asked[0]!])).toBeUndefined();
  });

  it("equal a look through all items after any history", async () => {
    const change = fc.record({
      name: fc.integer({ min: 0, max: 30 }).map(String),
      labels: fc.option(fc.record({ color: fc.constantFrom("red", "blue", "grey") }), { nil: undefined }),
      gone: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 60 }), fc.nat(60), async (changes, askedAt) => {
        const made = collection(300);
        for (const [index, { name, labels, gone }] of changes.entries()) {
          if (index === askedAt) await made.found(RED_OR_BLUE);
          if (gone) made.delete(name);
          else made.put(name, labels);
        }
        const expected: string[] = [];
        made.items.visit("/", undefined, ({ key, labels }) => {
          if (["red", "blue"].includes(labels?.["color"] ?? "")) expected.push(key.slice(keyOf("").length));
          return true;
        });
        expect(await made.found(RED_OR_BLUE)).toEqual(expected.sort());
      }),
      { numRuns: 100 },
    );
  });
});
