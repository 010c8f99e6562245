// What the watch cache costs over the bare work: telling 500 watchers of a change, listing 10,000 objects.
// Every figure is a ratio against a baseline measured in the same run.

import { MemoryEngine } from "../src/storage/memory-engine.ts";
import { type CacheItem, type ReadItem, WatchCache, type WatchOptions } from "../src/storage/watch-cache.ts";
import { report } from "./report.ts";

const PREFIX = "/registry/configmaps/";
const WATCHERS = 500;
const OBJECTS = 10_000;
const OBJECT_BYTES = 1_024;
const FRAME_HEAD = Buffer.from('{"type":"MODIFIED","object":');
const FRAME_TAIL = Buffer.from("}\n");

const engine = new MemoryEngine();
await fanOut("500 watchers of everything", () => ({}));
await fanOut("500 watchers sharing one selector", () => ({ matches: inGroup("7"), selectorKey: "group=7" }));
await fanOut("500 selectors, one matches", (index) => ({
  matches: inGroup(String(index)),
  selectorKey: `group=${index}`,
}));
await fanOut("500 selectors on an indexed field, one matches", (index) => ({
  matches: inGroup(String(index)),
  selectorKey: `group=${index}`,
  requires: { of: "field", name: "group", values: [String(index)] },
}));
await lists();
await engine.close();

async function fanOut(name: string, selector: (index: number) => Partial<WatchOptions>): Promise<void> {
  const cache = await openCache();
  const key = `${PREFIX}ns/fan-out`;
  const value = objectBytes("7");
  let revision = await engine.create(key, value);

  const writeOnly = await perRun(300, async () => {
    revision = await engine.update(key, value, revision);
  });

  const received: Uint8Array[][] = Array.from({ length: WATCHERS }, () => []);
  for (let index = 0; index < WATCHERS; index++) {
    const frames = received[index] as Uint8Array[];
    cache.watch({
      scope: PREFIX,
      after: cache.revision,
      ...selector(index),
      sink: {
        event(event, type) {
          frames[0] = event.frame("json", type, () => Buffer.concat([FRAME_HEAD, event.item.bytes, FRAME_TAIL]));
        },
        ended() {},
      },
    });
  }
  const told = await perRun(300, async () => {
    revision = await engine.update(key, value, revision);
  });

  const sinks = received.map((frames) => (frame: Uint8Array) => {
    frames[0] = frame;
  });
  const bare = await perRun(300, async () => {
    const frame = Buffer.concat([FRAME_HEAD, value, FRAME_TAIL]);
    for (const sink of sinks) sink(frame);
  });
  compare(`fan-out, ${name}, against ${WATCHERS} plain calls`, told - writeOnly, bare);
  await engine.delete(key, revision);
  await cache.close();
}

async function lists(): Promise<void> {
  for (let index = 0; index < OBJECTS; index++) {
    await engine.create(`${PREFIX}ns-${index % 20}/object-${index}`, objectBytes(String(index % WATCHERS)));
  }
  const cache = await openCache();
  const older = cache.revision;
  for (let index = 0; index < 300; index++) await engine.create(`${PREFIX}later/${index}`, objectBytes("0"));

  const buffers = (cache.list({ scope: PREFIX })?.items ?? []).map((item) => item.bytes);
  const concat = await perRun(20, async () => Buffer.concat(buffers).length);
  const copy = (items: readonly CacheItem[] = []): number => Buffer.concat(items.map((item) => item.bytes)).length;

  const items = await perRun(20, async () => cache.list({ scope: PREFIX })?.items.length ?? 0);
  compare("list 10k, items only, against Buffer.concat", items, concat);
  compare("list 10k to one body, against Buffer.concat", await perRun(20, async () => copy(listAll(cache))), concat);
  compare("list 10k exactly at an older revision, first", await once(() => copy(listAll(cache, older))), concat);
  compare(
    "list 10k exactly at an older revision, again",
    await perRun(20, async () => copy(listAll(cache, older))),
    concat,
  );
  const selected = await perRun(
    20,
    async () => cache.list({ scope: PREFIX, matches: inGroup("7") })?.items.length ?? 0,
  );
  compare("list 10k, a selector matches 20, against Buffer.concat", selected, concat);
  const page = await perRun(20, async () => cache.list({ scope: PREFIX, limit: 500 })?.remainingCount ?? 0);
  compare("first page of 500 with the count of the rest, against Buffer.concat of 10k", page, concat);
  await cache.close();
}

async function openCache(): Promise<WatchCache> {
  const cache = new WatchCache({ engine, prefix: PREFIX, readItem });
  await cache.ready();
  return cache;
}

function listAll(cache: WatchCache, revision: number = cache.revision): CacheItem[] | undefined {
  return cache.list({ scope: PREFIX, revision })?.items;
}

/** Objects are a group number of three digits and padding, so that reading them costs next to nothing. */
function objectBytes(group: string): Uint8Array {
  return Buffer.from(group.padStart(3, "0").padEnd(OBJECT_BYTES, "."));
}

function readItem(...[key, bytes, revision]: Parameters<ReadItem>): CacheItem {
  const group = String(Number(Buffer.from(bytes.subarray(0, 3)).toString()));
  return { key, revision, bytes, labels: undefined, fields: { group } };
}

function inGroup(group: string): (item: CacheItem) => boolean {
  return (item) => item.fields["group"] === group;
}

async function once(run: () => unknown): Promise<number> {
  const start = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - start) / 1_000;
}

/** Microseconds; the median, after a warm-up. */
async function perRun(runs: number, run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < runs * 2; index++) {
    const start = process.hrtime.bigint();
    await run();
    if (index >= runs) times.push(Number(process.hrtime.bigint() - start) / 1_000);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1] ?? 0;
}

function compare(what: string, measured: number, baseline: number): void {
  report(what, { us: measured, "us of the baseline": baseline, "times the baseline": measured / baseline });
}
