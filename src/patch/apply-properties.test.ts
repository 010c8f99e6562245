// What holds for every history of writes, whatever they are.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { atOnce } from "../base/steps.ts";
import { story, thing } from "./apply-story.testing.ts";
import { type FieldSet, subtractSets, unionSets } from "./field-set.ts";
import { decodeFieldSet, decodeFieldSetInSteps, encodeFieldSet, encodeFieldSetInSteps } from "./fields-v1.ts";
import { listPaths } from "./list-paths.testing.ts";
import { pathText } from "./path-element.ts";
import { atomOf } from "./typed/atom.ts";
import { compareTyped, compareTypedInSteps } from "./typed/compare.ts";
import { extractFieldSet } from "./typed/extract.ts";
import { mergeTyped, mergeTypedInSteps } from "./typed/merge.ts";

const word = fc.constantFrom("a", "b", "c", "d");
const value = fc.constantFrom("1", "2", "3");
const words = fc.uniqueArray(word, { maxLength: 4 });
const texts = fc.dictionary(word, value, { maxKeys: 3 });
const keyed = (more: Record<string, fc.Arbitrary<unknown>>) =>
  fc.uniqueArray(fc.record({ name: word, ...more }, { requiredKeys: ["name"] }), {
    maxLength: 3,
    selector: (item) => item.name,
  });

const bodies = fc.record(
  {
    data: texts,
    metadata: fc.record({ labels: texts, finalizers: words }, { requiredKeys: [] }),
    spec: fc.record(
      {
        replicas: fc.constantFrom(1, 2, 3),
        items: keyed({ image: value, args: words, env: keyed({ value }) }),
        selector: texts,
        merged: words,
        list: words,
        raw: fc.constantFrom(1, [1], { x: 1 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject & { metadata?: JsonObject }>;

const managers = fc.constantFrom("m1", "m2", "m3");
const histories = fc.array(
  fc.record({ how: fc.constantFrom("apply", "force", "update"), manager: managers, body: bodies } as const),
  { maxLength: 6 },
);

type History = (typeof histories)["generate"] extends (...args: never[]) => { value: infer H } ? H : never;

function told(history: History) {
  const current = story(thing);
  for (const { how, manager, body } of history) current[how](manager, body);
  return current;
}

const atom = atomOf(thing);

/** Without .metadata: an intent can name it empty without owning it. */
const pathsOf = (set: FieldSet): string[] =>
  listPaths(set)
    .map(pathText)
    .filter((path) => path !== ".metadata");

describe("every history of writes", () => {
  it("ends the same when its last apply is repeated", () => {
    fc.assert(
      fc.property(histories, managers, bodies, (history, manager, body) => {
        const once = told(history).force(manager, body);
        const [object, entries] = [once.body(), once.entries()];
        // Of an object that nobody owns anything of, the next apply finds an owner for what is there.
        fc.pre(entries.length > 0);
        once.apply(manager, body);
        expect(once.conflict).toBeUndefined();
        expect(once.changed).toBe(false);
        expect(once.body()).toEqual(object);
        expect(once.entries()).toEqual(entries);
      }),
    );
  });

  it("gives a forced applier all of its intent, in value and in ownership", () => {
    fc.assert(
      fc.property(histories, managers, bodies, (history, manager, body) => {
        const applied = told(history).force(manager, body);
        const { added, modified } = compareTyped(applied.body(), body, atom);
        expect(pathsOf(unionSets(added, modified))).toEqual([]);
        const entry = applied.entries().find((e) => e.manager === manager && e.operation === "Apply");
        expect(pathsOf(subtractSets(extractFieldSet(body, atom), decodeFieldSet(entry?.fieldsV1)))).toEqual([]);
      }),
    );
  });

  it("leaves nobody the owner of what is not there", () => {
    fc.assert(
      fc.property(histories, (history) => {
        const current = told(history);
        if (current.object === undefined) return;
        const there = compareTyped({}, current.body(), atom).added;
        for (const entry of current.entries()) {
          const owned = decodeFieldSet(entry.fieldsV1);
          expect(pathsOf(subtractSets(owned, there))).toEqual([]);
        }
      }),
    );
  });

  it("changes nothing when an apply conflicts", () => {
    fc.assert(
      fc.property(histories, managers, bodies, (history, manager, body) => {
        const current = told(history);
        const before = current.object;
        current.apply(manager, body);
        if (current.conflict !== undefined) expect(current.object).toBe(before);
      }),
    );
  });

  it("tracks nothing for an update that changes nothing", () => {
    fc.assert(
      fc.property(histories, managers, (history, manager) => {
        const current = told(history);
        if (current.object === undefined) return;
        const entries = current.entries();
        expect(current.update(manager, current.body()).entries()).toEqual(entries);
      }),
    );
  });
});

describe("merging", () => {
  it("is idempotent", () => {
    fc.assert(
      fc.property(bodies, bodies, (base, over) => {
        const merged = mergeTyped(base, over, atom);
        expect(mergeTyped(merged, over, atom)).toEqual(merged);
      }),
    );
  });

  it("adds what only the second has and keeps what only the first has", () => {
    fc.assert(
      fc.property(bodies, bodies, (base, over) => {
        const merged = mergeTyped(base, over, atom);
        const missing = compareTyped(base, merged, atom).removed;
        expect(pathsOf(missing)).toEqual([]);
      }),
    );
  });

  it("comparing in steps finds what comparing at once finds", () => {
    fc.assert(
      fc.property(bodies, bodies, fc.constantFrom(1, 2, 5), (before, after, long) => {
        expect(atOnce(compareTypedInSteps(before, after, atom, long))).toEqual(compareTyped(before, after, atom));
      }),
    );
  });

  it("merging in steps gives what merging at once gives", () => {
    fc.assert(
      fc.property(bodies, bodies, (base, over) => {
        const inSteps = atOnce(mergeTypedInSteps(base, over, atom));
        const once = mergeTyped(base, over, atom);
        expect(JSON.stringify(inSteps)).toBe(JSON.stringify(once));
        expect(inSteps === base).toBe(once === base);
      }),
    );
  });

  it("sets are written and read in steps as they are at once", () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const set = extractFieldSet(body, atom);
        const written = encodeFieldSet(set);
        expect(JSON.stringify(atOnce(encodeFieldSetInSteps(set)))).toBe(JSON.stringify(written));
        expect(atOnce(decodeFieldSetInSteps(written))).toEqual(decodeFieldSet(written));
      }),
    );
  });
});
