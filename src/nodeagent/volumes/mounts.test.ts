// Only root may mount.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bindOpenFile, mountMemory, unmountBelow } from "./mounts.ts";

let folder: string;
let data: string;
/** The same folder behind a link. */
let link: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-mounts-"));
  data = join(folder, "data");
  link = join(folder, "link");
  mkdirSync(data);
  mkdirSync(join(folder, "real"));
  symlinkSync("real", link);
  writeFileSync(join(data, "kept"), "x");
});
afterEach(async () => {
  await unmountBelow(folder);
  rmSync(folder, { recursive: true, force: true });
});

async function bind(path: string, target: string): Promise<void> {
  const handle = await open(path);
  try {
    await bindOpenFile(handle.fd, target);
  } finally {
    await handle.close();
  }
}

describe.skipIf(process.getuid?.() !== 0)("what is mounted", () => {
  it("is found and taken away behind a link too, so that nothing in it is removed with its place", async () => {
    const target = join(link, "part");
    await bind(data, target);
    expect(readdirSync(target)).toEqual(["kept"]);
    await unmountBelow(link);
    rmSync(join(folder, "real"), { recursive: true });
    expect(readFileSync(join(data, "kept"), "utf8")).toBe("x");
  });

  it("gives way to what is shown there next, a directory or a file, and stays whole", async () => {
    const target = join(link, "part");
    await bind(data, target);
    await bind(data, target);
    await bind(join(data, "kept"), target);
    expect(readFileSync(target, "utf8")).toBe("x");
    await bind(data, target);
    expect(readdirSync(target)).toEqual(["kept"]);
    await unmountBelow(folder);
    expect([readdirSync(target), readdirSync(data)]).toEqual([[], ["kept"]]);
  });

  it("is memory once, however often it is asked for", async () => {
    const memory = join(link, "memory");
    mkdirSync(memory);
    await mountMemory(memory, 2 ** 20);
    await mountMemory(memory, 2 ** 20);
    const points = readFileSync("/proc/self/mounts", "utf8").split("\n");
    expect(points.filter((line) => line.includes(join(folder, "real/memory")))).toHaveLength(1);
  });
});
