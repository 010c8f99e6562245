// A full disk fails the write with NoSpace, loses nothing that was acknowledged, and is survived: reads go on, so do deletes, and
// when there is room again, writes too.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { appendFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Revision, StorageEngine } from "../../src/storage/engine.ts";
import { openLmdbEngine } from "../../src/storage/lmdb-engine.ts";
import { isStorageError } from "../../src/storage/storage-error.ts";

const DISK_MEBIBYTES = 48;
const MEBIBYTE = 1024 ** 2;
const VALUE = Buffer.alloc(16 * 1024, "x");

const base = mkdtempSync(join(tmpdir(), "plinth-full-disk-"));
const isMounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MEBIBYTES}m`, "tmpfs", base], { stdio: "ignore" }).status === 0;

afterAll(() => {
  // Lazily, since a failed test may leave the store open.
  if (isMounted) spawnSync("umount", ["-l", base], { stdio: "ignore" });
  rmSync(base, { recursive: true, force: true });
});

describe("the LMDB engine on a full disk", () => {
  it.skipIf(!isMounted)(
    `keeps what it acknowledged and writes again when there is room${isMounted ? "" : " (needs the right to mount)"}`,
    async () => {
      const ballast = join(base, "ballast");
      await writeFile(ballast, Buffer.alloc((DISK_MEBIBYTES * MEBIBYTE) >> 1));
      const dir = join(base, "data");
      const engine = await openLmdbEngine({ dir, identity: "robustness" });

      const acknowledged = await writeUntilFull(engine);
      expect(acknowledged.size).toBeGreaterThan(50);
      await expectAll(engine, acknowledged);
      expect(await engine.currentRevision()).toBe(Math.max(...acknowledged.values()));

      // Updates longer than creates, deletes longer still: what is there can be removed.
      const [first = "", second = ""] = acknowledged.keys();
      acknowledged.set(first, await engine.update(first, VALUE, acknowledged.get(first)!));
      await fillUpTo(base, 3 * MEBIBYTE);
      await expect(engine.update(first, VALUE, acknowledged.get(first)!)).rejects.toMatchObject({ code: "NoSpace" });
      await engine.delete(second, acknowledged.get(second)!);
      acknowledged.delete(second);
      await engine.compact(await engine.currentRevision());
      await fillUpTo(base, 0);
      await expect(engine.delete(first, acknowledged.get(first)!)).rejects.toMatchObject({ code: "NoSpace" });
      await expectAll(engine, acknowledged);

      for (const file of [ballast, more(base)]) await rm(file);
      const after = await engine.create("/after", VALUE);
      acknowledged.set("/after", after);
      expect(after).toBe(await engine.currentRevision());
      await engine.close();

      const again = await openLmdbEngine({ dir, identity: "robustness" });
      await expectAll(again, acknowledged);
      expect(await again.currentRevision()).toBe(after);
      await again.close();
    },
  );
});

const more = (dir: string): string => join(dir, "more");

/** Somebody else writes until so much is left. */
async function fillUpTo(dir: string, leftBytes: number): Promise<void> {
  const { bfree, bsize } = statfsSync(dir);
  await appendFile(more(dir), Buffer.alloc(bfree * bsize - leftBytes));
}

/** Writes with several writers until one is told that there is no space; returns what was acknowledged. */
async function writeUntilFull(engine: StorageEngine): Promise<Map<string, Revision>> {
  const acknowledged = new Map<string, Revision>();
  let failures = 0;
  await Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; failures === 0 && index < 2_000; index++) {
        const key = `/fill/${writer}/${index}`;
        try {
          acknowledged.set(key, await engine.create(key, VALUE));
        } catch (error) {
          expect(isStorageError(error, "NoSpace"), String(error)).toBe(true);
          failures++;
        }
      }
    }),
  );
  expect(failures).toBeGreaterThan(0);
  return acknowledged;
}

async function expectAll(engine: StorageEngine, acknowledged: ReadonlyMap<string, Revision>): Promise<void> {
  const { entries } = await engine.list("/");
  expect(new Map(entries.map((entry) => [entry.key, entry.revision]))).toEqual(new Map([...acknowledged].sort()));
  for (const entry of entries) expect(Buffer.compare(entry.value, VALUE)).toBe(0);
}
