// Random histories against a naive model: list plus watch equals state, pages equal the whole, selectors see exactly
// their transitions, and a watch from any revision sees exactly the rest.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Revision, StorageEngine } from "../engine.ts";
import { type CacheItem, WatchCache, type WatchCacheOptions } from "../watch-cache.ts";
import { follow, keyOf, names, PREFIX, RememberingSink, readItem, stored, until } from "./cache.testing.ts";

/**
 * @param open an empty engine, for every run a new one; the cache closes it.
 * @param numRuns of every property.
 */
export function describeCacheModel(name: string, open: () => Promise<StorageEngine>, numRuns: number): void {
  describe(`WatchCache against a naive model: ${name}`, () => {
    it("lists every held revision, whole and in pages, as the model has it", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (ops, limit) => {
          const { cache, run, close } = await start(open, {});
          const moments = await run(ops);
          await cache.waitUntil(moments.at(-1)?.revision ?? 0, 10_000);
          for (const { revision, objects } of moments) {
            const expected = inByteOrder([...objects]).map(([name, { revision }]) => `${name}@${revision}`);
            expect(names(cache.list({ scope: PREFIX, revision })?.items)).toEqual(expected);
            expect(names(inPages(cache, revision, limit))).toEqual(expected);
          }
          await close();
        }),
        { numRuns },
      );
    });

    it("shows live watchers with selectors exactly their transitions", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { maxLength: 40 }),
          fc.array(watched, { maxLength: 8 }),
          async (ops, all) => {
            const { cache, run, close } = await start(open, {});
            const sinks = all.map((one) => followAs(cache, cache.revision, one));
            const moments = await run(ops);
            await cache.waitUntil(moments.at(-1)?.revision ?? 0, 10_000);
            sinks.forEach((sink, index) => {
              expect(sink.seen).toEqual(transitions(moments, all[index] as Watched));
            });
            await close();
          },
        ),
        { numRuns },
      );
    });

    it("replays to a watch from any revision exactly the rest, whatever its window holds", async () => {
      const history = fc.array(operation, { minLength: 1, maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(
          history,
          history,
          watched,
          fc.integer({ min: 1, max: 50 }),
          async (before, after, one, size) => {
            const { cache, run, close } = await start(open, { windowLimits: { maxChanges: size } });
            const moments = await run(before);
            const sinks = moments.map(({ revision }) => followAs(cache, revision, one));
            const all = [...moments, ...(await run(after)).slice(1)];
            await cache.waitUntil(all.at(-1)?.revision ?? 0, 10_000);
            await until(() => sinks.every((sink) => sink.watch?.revision === cache.revision));
            sinks.forEach((sink, index) => {
              expect(sink.seen).toEqual(transitions(all.slice(index), one));
            });
            await close();
          },
        ),
        { numRuns },
      );
    });

    it("arrives at the state when a list is followed by a watch, at every revision", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 30 }), watched, async (ops, one) => {
          const { cache, run, close } = await start(open, {});
          const moments = await run(ops);
          const last = moments.at(-1) as Moment;
          await cache.waitUntil(last.revision, 10_000);
          const expected = visible(last, one).map(([name, object]) => `${name}@${object.revision}`);
          for (const { revision } of moments) {
            const matches = selector(one);
            const list = cache.list({ scope: PREFIX + one.scope, revision, ...(matches && { matches }) });
            const known = new Map(list?.items.map((item) => [item.key, item]));
            const sink = new RememberingSink();
            sink.event = (event, type) => {
              const item = event.shownAs(type);
              // An informer trips over an ADDED of what it has and over a change of what it has not.
              expect(known.has(item.key)).toBe(type !== "ADDED");
              if (type === "DELETED") known.delete(item.key);
              else known.set(item.key, item);
            };
            const watch = cache.watch({
              scope: PREFIX + one.scope,
              after: revision,
              sink,
              ...(matches && { matches }),
            });
            await until(() => watch.revision === cache.revision || sink.endedWith !== undefined);
            expect(sink.endedWith).toBeUndefined();
            expect(names([...known.values()])?.sort()).toEqual(expected.sort());
          }
          await close();
        }),
        { numRuns },
      );
    });
  });
}

type Operation =
  | { readonly kind: "put" | "delete"; readonly name: string; readonly color: string }
  | { readonly kind: "elsewhere" };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("put" as const, "put" as const, "delete" as const),
      name: fc.constantFrom("a/x", "a/y", "a/\u{1f600}", "a/\uff5e", "ab/x", "b/x"),
      color: fc.constantFrom("red", "blue", "green"),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "elsewhere" as const }) },
);

/** What was true after one commit; index 0 is the state before all. */
interface Moment {
  readonly revision: Revision;
  readonly objects: ReadonlyMap<string, { readonly color: string; readonly revision: Revision }>;
}

interface Watched {
  readonly scope: string;
  readonly color: string | undefined;
}

const watched: fc.Arbitrary<Watched> = fc.record({
  scope: fc.constantFrom("", "a/", "b/", "a/x", "ab/"),
  color: fc.constantFrom(undefined, "red", "blue"),
});

async function start(open: () => Promise<StorageEngine>, options: Partial<WatchCacheOptions>) {
  const engine = await open();
  const cache = new WatchCache({ engine, prefix: PREFIX, readItem, ...options });
  await cache.ready();
  let current: Moment = { revision: cache.revision, objects: new Map() };
  async function run(operations: readonly Operation[]): Promise<Moment[]> {
    const moments = [current];
    for (const each of operations) {
      const next = await perform(engine, current, each);
      if (next !== undefined) moments.push(next);
      current = next ?? current;
    }
    return moments;
  }
  async function close(): Promise<void> {
    await cache.close();
    await engine.close();
  }
  return { cache, run, close };
}

async function perform(engine: StorageEngine, { objects }: Moment, each: Operation): Promise<Moment | undefined> {
  if (each.kind === "elsewhere") {
    const revision = await engine.create(`/registry/pods/${await engine.currentRevision()}`, stored({}));
    return { revision, objects };
  }
  const { kind, name, color } = each;
  const known = objects.get(name);
  const next = new Map(objects);
  if (kind === "delete") {
    if (known === undefined) return undefined;
    const revision = await engine.delete(keyOf(name), known.revision);
    next.delete(name);
    return { revision, objects: next };
  }
  const value = stored({ color });
  const revision =
    known === undefined
      ? await engine.create(keyOf(name), value)
      : await engine.update(keyOf(name), value, known.revision);
  next.set(name, { color, revision });
  return { revision, objects: next };
}

function inPages(cache: WatchCache, revision: Revision, limit: number): CacheItem[] {
  const items: CacheItem[] = [];
  for (;;) {
    const after = items.at(-1)?.key;
    const page = cache.list({ scope: PREFIX, revision, limit, ...(after !== undefined && { after }) });
    if (page === undefined) throw new Error(`revision ${revision} is not held`);
    items.push(...page.items);
    expect(page.remainingCount).toBe((cache.list({ scope: PREFIX, revision })?.items.length ?? 0) - items.length);
    if (!page.more) return items;
  }
}

function followAs(cache: WatchCache, after: Revision, one: Watched): RememberingSink {
  const matches = selector(one);
  return follow(cache, after, {
    scope: PREFIX + one.scope,
    ...(matches && { matches, selectorKey: `color=${one.color}` }),
  });
}

function selector({ color }: Watched): ((item: CacheItem) => boolean) | undefined {
  return color === undefined ? undefined : (item) => item.labels?.["color"] === color;
}

function visible({ objects }: Moment, { scope, color }: Watched): [string, { color: string; revision: Revision }][] {
  const within = (name: string): boolean =>
    scope === "" || (scope.endsWith("/") ? name.startsWith(scope) : name === scope);
  return [...objects].filter(([name, object]) => within(name) && (color === undefined || object.color === color));
}

/** By comparing neighbouring moments as the watcher would see them. */
function transitions(moments: readonly Moment[], one: Watched): string[] {
  const seen: string[] = [];
  moments.forEach((moment, index) => {
    const earlier = moments[index - 1];
    if (earlier === undefined) return;
    const before = new Map(visible(earlier, one));
    const now = new Map(visible(moment, one));
    for (const name of before.keys()) if (!now.has(name)) seen.push(`DELETED ${name}@${moment.revision}`);
    for (const [name, { revision }] of now) {
      const known = before.get(name);
      if (known === undefined) seen.push(`ADDED ${name}@${revision}`);
      else if (known.revision !== revision) seen.push(`MODIFIED ${name}@${revision}`);
    }
  });
  return seen;
}

function inByteOrder<T>(entries: [string, T][]): [string, T][] {
  return entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
