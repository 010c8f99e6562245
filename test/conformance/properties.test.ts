// Document 1 as properties: apply is idempotent, pages make the whole list, list plus watch is the state.

import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "vitest";
import { type Api, api, type Body, configMap, namesOf } from "./conformance.testing.ts";

const NAMES = ["a", "b", "c", "d"] as const;
const KEYS = ["k", "l", "m"] as const;

// An empty map is owned but not stored, as upstream has it: an intent names at least one key.
const intents = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom("1", "2"), { minKeys: 1, maxKeys: 3 });

describe("Properties", () => {
  it("apply twice is apply once", async () => {
    const server = await api();
    const steps = fc.array(fc.record({ manager: fc.constantFrom("a", "b"), data: intents, force: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const at = `${await server.configMaps()}/x`;
        for (const { manager, data, force } of story) {
          const once = await server.apply(at, { ...configMap("x"), data }, manager, force);
          const twice = await server.apply(at, { ...configMap("x"), data }, manager, force);
          // A refusal is the same, and nothing has changed otherwise, the version included.
          assert.deepEqual(twice.json, once.json);
        }
      }),
      { numRuns: 25, seed: 1 },
    );
  });

  it("the pages of a list are the whole list at that version, whatever happens meanwhile", async () => {
    const server = await api();
    const changes = fc.array(change, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        changes,
        async (before, limit, during) => {
          const at = await server.configMaps();
          for (const step of before) await perform(server, at, step);
          const whole = (await server.get(at)).json;
          const exact = `resourceVersion=${whole.metadata.resourceVersion}&resourceVersionMatch=Exact`;
          const items: Body[] = [];
          let page = (await server.get(`${at}?limit=${limit}&${exact}`)).json;
          for (let rest = during; ; rest = rest.slice(1)) {
            items.push(...page.items);
            assert.equal(page.metadata.resourceVersion, whole.metadata.resourceVersion);
            if (page.metadata.continue === undefined) break;
            if (rest[0] !== undefined) await perform(server, at, rest[0]);
            page = (await server.get(`${at}?limit=${limit}&continue=${page.metadata.continue}`)).json;
          }
          assert.deepEqual(items, whole.items);
        },
      ),
      { numRuns: 25, seed: 2 },
    );
  });

  it("list plus watch is the state, with and without a selector", async () => {
    const server = await api();
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 8 }),
        fc.array(change, { maxLength: 16 }),
        fc.constantFrom("", "&labelSelector=sel%3Dyes"),
        async (before, after, selector) => {
          const at = await server.configMaps();
          for (const step of before) await perform(server, at, step);
          const list = (await server.get(`${at}?x${selector}`)).json;
          const known = new Map<string, Body>(list.items.map((item: Body) => [item.metadata.name, item]));
          const watch = await server.watch(`${at}?watch=1&resourceVersion=${list.metadata.resourceVersion}${selector}`);
          for (const step of after) await perform(server, at, step);
          // The last event is known by its name.
          await server.created(at, configMap("end", {}, { labels: { sel: "yes" } }));
          await watch.until(() => watch.events.at(-1)?.object.metadata.name === "end");
          for (const { type, object } of watch.events) {
            const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
            const { name } = object.metadata;
            assert.equal(known.has(name), type !== "ADDED", `${type} ${name}`);
            if (type === "DELETED") known.delete(name);
            else known.set(name, item);
          }
          await watch.close();
          const now = (await server.get(`${at}?x${selector}`)).json;
          assert.deepEqual([...known.keys()].sort(), namesOf(now));
          for (const item of now.items) assert.deepEqual(known.get(item.metadata.name), item);
        },
      ),
      { numRuns: 25, seed: 3 },
    );
  });
});

type Change = { readonly name: string } & (
  | { readonly do: "write"; readonly k: string; readonly selected: boolean }
  | { readonly do: "delete" }
);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    name: fc.constantFrom(...NAMES),
    do: fc.constant("write" as const),
    k: fc.constantFrom("1", "2", "3"),
    selected: fc.boolean(),
  }),
  fc.record({ name: fc.constantFrom(...NAMES), do: fc.constant("delete" as const) }),
);

async function perform(server: Api, at: string, step: Change): Promise<void> {
  const { name } = step;
  if (step.do === "delete") {
    await server.delete(`${at}/${name}`);
    return;
  }
  const object = configMap(name, { k: step.k }, { labels: { sel: step.selected ? "yes" : "no" } });
  const put = await server.put(`${at}/${name}`, object);
  if (put.status === 404) await server.created(at, object);
}
