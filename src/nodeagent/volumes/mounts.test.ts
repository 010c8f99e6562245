// Only root may mount.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bindOpenFile, isMounted, mountFilesystem, mountMemory, unmountBelow } from "./mounts.ts";

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

  it.skipIf(!existsSync("/dev/fuse"))("is found and taken away where nobody answers for it", async () => {
    const directory = join(link, "silent");
    mkdirSync(directory);
    // A file system whose server says nothing: whoever looks at its root waits.
    const options = "fd=3,rootmode=40000,user_id=0,group_id=0";
    const script = `exec 3<>/dev/fuse; mount -i -t fuse -o ${options} silent ${directory} && echo done; read _`;
    const server = spawn("bash", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
    try {
      expect(String((await once(server.stdout, "data"))[0])).toBe("done\n");
      expect(await isMounted(directory)).toBe(true);
      await mountFilesystem({ type: "tmpfs", source: "tmpfs", directory, options: [] });
      await unmountBelow(directory);
      expect(await isMounted(directory)).toBe(false);
    } finally {
      // What waits for it hears that it is gone.
      server.stdin.end("\n");
      await once(server, "exit");
    }
  });
});
