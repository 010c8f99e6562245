import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeOwnership } from "./owner-lock.ts";
import { openTables, type Tables } from "./tables.ts";
import { memoryBackedTmpdir } from "./tmpdir.testing.ts";

describe("the owner lock", () => {
  let dir: string;
  let tables: Tables;
  beforeEach(async () => {
    dir = await mkdtemp(join(memoryBackedTmpdir, "plinth-owner-"));
    tables = openTables(join(dir, "store.mdb"));
  });
  afterEach(async () => {
    await tables.close();
    await rm(dir, { recursive: true, force: true });
  });

  const sockets = async () => (await readdir(dir)).filter((name) => name.endsWith(".sock"));

  it("is refused while its owner lives and free after its release", async () => {
    const lock = await takeOwnership(dir, tables);
    await expect(takeOwnership(dir, tables)).rejects.toThrow(`in use by process ${process.pid}`);
    await lock.release();
    const next = await takeOwnership(dir, tables);
    await next.release();
    expect(await sockets()).toEqual([]);
  });

  it("goes to exactly one of many who find the old owner dead at once", async () => {
    tables.exclusively(() => tables.meta.put("owner", Buffer.from("dead-beef 1")));
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => takeOwnership(dir, tables)));
    const locks = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(locks.length).toBe(1);
    expect((await sockets()).length).toBe(1);
    await locks[0]?.release();
  });

  it("is taken over from an owner whose socket nobody listens on, and leaves nothing of it behind", async () => {
    tables.exclusively(() => tables.meta.put("owner", Buffer.from("dead-beef 1")));
    const lock = await takeOwnership(dir, tables);
    expect((await sockets()).length).toBe(1);
    await lock.release();
  });
});
