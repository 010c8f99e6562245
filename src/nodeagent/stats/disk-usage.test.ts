import { linkSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { diskUsage } from "./disk-usage.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plinth-usage-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the usage of a directory", () => {
  it("counts files and directories at any depth, files with two names once, and follows no link", async () => {
    const directory = join(root, "volume");
    mkdirSync(join(directory, "a/b"), { recursive: true });
    writeFileSync(join(directory, "a/b/file"), Buffer.alloc(100_000, 1));
    linkSync(join(directory, "a/b/file"), join(directory, "again"));
    writeFileSync(join(root, "outside"), Buffer.alloc(5_000_000, 1));
    symlinkSync(join(root, "outside"), join(directory, "link"));
    const { bytes, inodes } = await diskUsage(directory);
    expect(inodes).toBe(5);
    const blocks = (path: string) => statSync(path).blocks * 512;
    const file = blocks(join(directory, "a/b/file"));
    const folders = ["", "a", "a/b"].reduce((sum, path) => sum + blocks(join(directory, path)), 0);
    expect(bytes).toBeGreaterThanOrEqual(file + folders);
    expect(bytes).toBeLessThan(file + folders + 100_000);
  });

  it("is nothing where there is no directory", async () => {
    expect(await diskUsage(join(root, "missing"))).toEqual({ bytes: 0, inodes: 0 });
  });
});
