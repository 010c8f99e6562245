// Benchmark of the embedded store: the engine against raw LMDB in the same run, on the same disk.
// Prints rates and ratios; the share of raw durable commits that the engine reaches at 32 writers matters most.
// Baseline and engine take turns, so that whatever else the machine does weighs on both.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { openLmdbEngine } from "../src/storage/lmdb-engine.ts";
import { report } from "./report.ts";

const WRITERS = 32;
const ROUNDS = 6;
const ROUND_MS = 400;
const VALUE_BYTES = 1_024;
const LIST_KEYS = 10_000;
const LIST_ROUNDS = 20;

export interface Measurement {
  readonly name: string;
  readonly perSecond: number;
  /** The share of the bare baseline of the same run. */
  readonly ratio?: number;
}

export async function benchStorage(): Promise<Measurement[]> {
  const dir = await mkdtemp(join(tmpdir(), "plinth-bench-"));
  const raw = open<Buffer, string>({ path: join(dir, "raw.mdb"), encoding: "binary", overlappingSync: false });
  const engine = await openLmdbEngine({ dir: join(dir, "store"), identity: "bench" });
  const value = Buffer.alloc(VALUE_BYTES, "x");
  try {
    const revisions: number[] = [];
    for (let writer = 0; writer < WRITERS; writer++) {
      await raw.put(`/hot/${writer}`, value);
      revisions.push(await engine.create(`/hot/${writer}`, value));
    }
    const [puts, creates, updates] = await takeTurns([
      (writer, index) => raw.put(`/raw/${writer}/${index}`, value),
      (writer, index) => engine.create(`/bench/${writer}/${index}`, value),
      async (writer) => {
        revisions[writer] = await engine.update(`/hot/${writer}`, value, revisions[writer] ?? 0);
      },
    ]);
    const [rawGets, gets] = await takeTurns([
      async (writer) => raw.get(`/hot/${writer}`),
      (writer) => engine.get(`/hot/${writer}`),
    ]);
    return [
      { name: "raw LMDB durable puts, 32 writers", perSecond: puts },
      { name: "engine creates, 32 writers", perSecond: creates, ratio: creates / puts },
      { name: "engine updates, 32 writers", perSecond: updates, ratio: updates / puts },
      { name: "raw LMDB gets", perSecond: rawGets },
      { name: "engine gets", perSecond: gets, ratio: gets / rawGets },
      ...(await listRates(engine, raw, value)),
    ];
  } finally {
    await engine.close();
    await raw.close();
    await rm(dir, { recursive: true, force: true });
  }
}

type Engine = Awaited<ReturnType<typeof openLmdbEngine>>;

async function listRates(engine: Engine, raw: ReturnType<typeof open<Buffer, string>>, value: Buffer) {
  const keys = Array.from({ length: LIST_KEYS }, (_, index) => `/list/${index}`);
  await Promise.all(keys.map((key) => engine.create(key, value)));
  await Promise.all(keys.map((key) => raw.put(key, value)));
  const past = await engine.currentRevision();
  const rawMs = await medianMs(async () => [...raw.getRange({ start: "/list/", end: "/list0" })].length);
  const listMs = await medianMs(() => engine.list("/list/"));
  for (let index = 0; index < 100; index++) await engine.create(`/list/new-${index}`, value);
  const pastMs = await medianMs(() => engine.list("/list/", { revision: past }));
  return [
    { name: "raw LMDB ranges of 10,000 keys", perSecond: 1_000 / rawMs },
    { name: "lists of 10,000 keys", perSecond: 1_000 / listMs, ratio: rawMs / listMs },
    { name: "lists of 10,000 keys at a past revision", perSecond: 1_000 / pastMs, ratio: rawMs / pastMs },
  ];
}

type Operation = (writer: number, index: number) => Promise<unknown>;

/** Runs the operations in turns, each with all writers at once; returns how many of each were done per second. */
async function takeTurns<const T extends readonly Operation[]>(operations: T): Promise<{ [K in keyof T]: number }> {
  const done = operations.map(() => 0);
  const spentMs = operations.map(() => 0);
  const nextIndex = operations.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [which, operation] of operations.entries()) {
      const startMs = performance.now();
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          while (performance.now() - startMs < ROUND_MS) {
            const index = nextIndex[which] ?? 0;
            nextIndex[which] = index + 1;
            await operation(writer, index);
            done[which] = (done[which] ?? 0) + 1;
          }
        }),
      );
      spentMs[which] = (spentMs[which] ?? 0) + performance.now() - startMs;
    }
  }
  const rates = done.map((count, which) => (count * 1_000) / (spentMs[which] ?? 1));
  return rates as { [K in keyof T]: number };
}

async function medianMs(operation: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < LIST_ROUNDS; round++) {
    const startMs = performance.now();
    await operation();
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[LIST_ROUNDS >> 1] ?? 0;
}

if (import.meta.filename === process.argv[1]) {
  for (const { name, perSecond, ratio } of await benchStorage()) {
    report(name, { "per second": perSecond, ...(ratio === undefined ? {} : { "of the baseline": ratio }) });
  }
}
