// Benchmark of the embedded store: the engine against raw LMDB in the same run, on the same disk.
// Prints rates and ratios; the share of raw durable commits that the engine reaches at 32 writers matters most.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { openLmdbEngine } from "../src/storage/lmdb-engine.ts";

const WRITERS = 32;
const DURATION_MS = 2_000;
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
  try {
    const raw = await rawCommits(join(dir, "raw.mdb"));
    return [
      { name: "raw LMDB durable puts, 32 writers", perSecond: raw },
      ...(await engineRates(join(dir, "store"), raw)),
    ];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** What LMDB itself can do: plain durable puts, grouped by its own batching. */
async function rawCommits(path: string): Promise<number> {
  const root = open<Buffer, string>({ path, encoding: "binary", overlappingSync: false });
  const value = Buffer.alloc(VALUE_BYTES, "x");
  const rate = await ratePerSecond((writer, index) => root.put(`/raw/${writer}/${index}`, value));
  await root.close();
  return rate;
}

async function engineRates(dir: string, raw: number): Promise<Measurement[]> {
  const engine = await openLmdbEngine({ dir, identity: "bench" });
  const value = Buffer.alloc(VALUE_BYTES, "x");
  const revisions: number[] = new Array(WRITERS).fill(0);

  const creates = await ratePerSecond((writer, index) => engine.create(`/bench/${writer}/${index}`, value));
  for (let writer = 0; writer < WRITERS; writer++) revisions[writer] = await engine.create(`/hot/${writer}`, value);
  const updates = await ratePerSecond(async (writer) => {
    revisions[writer] = await engine.update(`/hot/${writer}`, value, revisions[writer] ?? 0);
  });
  const gets = await ratePerSecond((writer, index) => engine.get(`/bench/${writer}/${index % 100}`));

  await Promise.all(Array.from({ length: LIST_KEYS }, (_, index) => engine.create(`/list/${index}`, value)));
  const listMs = await medianMs(() => engine.list("/list/"));
  const baselineMs = await medianMs(async () => copyBuffers(value));
  const past = await engine.currentRevision();
  for (let index = 0; index < 100; index++) await engine.create(`/list/new-${index}`, value);
  const pastMs = await medianMs(() => engine.list("/list/", { revision: past }));
  await engine.close();
  return [
    { name: "engine creates, 32 writers", perSecond: creates, ratio: creates / raw },
    { name: "engine updates, 32 writers", perSecond: updates, ratio: updates / raw },
    { name: "engine gets", perSecond: gets },
    { name: "lists of 10,000 keys", perSecond: 1_000 / listMs, ratio: baselineMs / listMs },
    { name: "lists of 10,000 keys at a past revision", perSecond: 1_000 / pastMs, ratio: baselineMs / pastMs },
  ];
}

/** The least that a list must do: a buffer of its own for every value. */
function copyBuffers(value: Buffer): Buffer[] {
  return Array.from({ length: LIST_KEYS }, () => Buffer.from(value));
}

async function ratePerSecond(operation: (writer: number, index: number) => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let index = 0; performance.now() - startMs < DURATION_MS; index++) {
        await operation(writer, index);
        done++;
      }
    }),
  );
  return (done * 1_000) / (performance.now() - startMs);
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
    const share = ratio === undefined ? "" : `  ${ratio.toFixed(2)} of the baseline`;
    console.log(`${name.padEnd(44)} ${perSecond.toFixed(perSecond < 1_000 ? 1 : 0).padStart(10)} /s${share}`);
  }
}
