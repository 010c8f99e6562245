// The process that lmdb-kill.test.ts kills: writes with many writers, says every acknowledged write and every change that
// a resumed watch delivers, each in one line.
//
//   open 812 | ack 813 put /w/3 3.17 | ack 814 delete /w/5 | saw 813 put /w/3 3.17
//
// Arguments: data directory, the last revision that the watch has seen, a number that makes its values unique.

import { writeSync } from "node:fs";
import type { Change, Revision } from "../../src/storage/engine.ts";
import { openLmdbEngine } from "../../src/storage/lmdb-engine.ts";
import { isStorageError } from "../../src/storage/storage-error.ts";

const WRITERS = 16;
const STDOUT = 1;

const [, , dir = "", after = "1", generation = "0"] = process.argv;

// A pipe is written to synchronously: what was said before a kill reaches the reader.
const say = (line: string) => writeSync(STDOUT, `${line}\n`);
const text = (value: Uint8Array | undefined) =>
  value === undefined ? "" : ` ${Buffer.from(value).toString("latin1")}`;

const engine = await openLmdbEngine({ dir, identity: "robustness" });
say(`open ${await engine.currentRevision()}`);

const sink = {
  change: (change: Change) => say(`saw ${change.revision} ${change.type} ${change.key}${text(change.value)}`),
};
const watching = engine.watch("/", Number(after), sink, new AbortController().signal);
watching.catch((error: unknown) => say(`fail ${String(error)}`));

// History that the watch has seen may go while everyone writes.
if (Number(generation) % 3 === 2) engine.compact(Number(after)).catch((error: unknown) => say(`fail ${String(error)}`));

for (let writer = 0; writer < WRITERS; writer++) void write(writer);

async function write(writer: number): Promise<void> {
  for (let round = 0; ; round++) {
    // Every fourth writer fights with others for the same key.
    const key = writer % 4 === 0 ? `/shared/${round % 3}` : `/w/${writer}-${round % 5}`;
    const value = Buffer.from(`${generation}.${writer}.${round}`);
    const held = await engine.get(key);
    try {
      if (held === undefined) acknowledge(await engine.create(key, value), "put", key, value);
      else if (round % 4 === 3) acknowledge(await engine.delete(key, held.revision), "delete", key);
      else acknowledge(await engine.update(key, value, held.revision), "put", key, value);
    } catch (error) {
      if (!isStorageError(error, "KeyExists", "KeyNotFound", "RevisionMismatch")) say(`fail ${String(error)}`);
    }
  }
}

function acknowledge(revision: Revision, type: "put" | "delete", key: string, value?: Uint8Array): void {
  say(`ack ${revision} ${type} ${key}${text(value)}`);
}
