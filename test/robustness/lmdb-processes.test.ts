// Two processes and one data directory: the second refuses, a backup from outside works, and a kill frees the directory.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataFile, writeMarker } from "../../src/storage/lmdb/data-directory.ts";
import { openLmdbEngine } from "../../src/storage/lmdb-engine.ts";
import { saveSnapshot } from "../../src/storage/snapshot.ts";
import { bundleChild, type Child, startChild } from "./bundled-child.ts";

describe("a data directory that another process writes to", () => {
  let base: string;
  let dir: string;
  let script: string;
  let writer: Child;
  let newest = 0;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "plinth-processes-"));
    dir = join(base, "data");
    script = await bundleChild("lmdb-writer.child.ts");
    await new Promise<void>((resolve) => {
      writer = startChild(script, [dir, "1", "0"], (line) => {
        newest = Number(line.split(" ")[1]);
        if (newest > 200) resolve();
      });
    });
  });
  afterAll(async () => {
    writer.process.kill("SIGKILL");
    await writer.ended;
    await rm(base, { recursive: true, force: true });
    await rm(script, { force: true });
  });

  it("is refused with the id of that process, again and again, while it goes on writing", async () => {
    const before = newest;
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(openLmdbEngine({ dir, identity: "robustness" })).rejects.toThrow(
        `data directory ${dir} is in use by process ${writer.process.pid}`,
      );
    }
    await waitUntil(() => newest > before);
    expect(writer.process.exitCode).toBeNull();
  });

  it("is saved from outside as one consistent moment", async () => {
    const before = newest;
    const { dataBytes } = await saveSnapshot(dir, join(base, "backup"));
    // A restored store has no history: the copy is opened as it was saved.
    const copy = join(base, "copy");
    await mkdir(copy);
    await writeFile(dataFile(copy), (await readFile(join(base, "backup"))).subarray(0, dataBytes));
    await writeMarker(copy, { identity: "robustness", state: "ready" });
    const restored = await openLmdbEngine({ dir: copy, identity: "robustness" });
    const revision = await restored.currentRevision();
    expect(revision).toBeGreaterThanOrEqual(before);

    // The log of the copy adds up to the values of the copy.
    const state = new Map<string, number>();
    const stop = new AbortController();
    const sink = {
      change: (change: { readonly type: string; readonly key: string; readonly revision: number }) => {
        if (change.type === "put") state.set(change.key, change.revision);
        else state.delete(change.key);
      },
      progress: () => stop.abort(),
    };
    const watching = restored.watch("/", 1, sink, stop.signal);
    await restored.requestProgress();
    await watching;
    const { entries } = await restored.list("/");
    expect(new Map(entries.map((entry) => [entry.key, entry.revision]))).toEqual(new Map([...state].sort()));
    await restored.close();
  });

  it("is free the moment the process is killed", async () => {
    writer.process.kill("SIGKILL");
    await writer.ended;
    const engine = await openLmdbEngine({ dir, identity: "robustness" });
    expect(await engine.currentRevision()).toBeGreaterThanOrEqual(newest);
    await engine.close();
  });
});

async function waitUntil(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
}
