import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureHostPath } from "./host-path.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "plinth-host-"));
  writeFileSync(join(directory, "file"), "");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a path of the node", () => {
  it("is taken as it is without a type", async () => {
    expect(await ensureHostPath({ path: join(directory, "absent") })).toBe(join(directory, "absent"));
  });

  it("is made where it may be", async () => {
    await ensureHostPath({ path: join(directory, "a/b"), type: "DirectoryOrCreate" });
    await ensureHostPath({ path: join(directory, "c"), type: "FileOrCreate" });
    expect([statSync(join(directory, "a/b")).isDirectory(), statSync(join(directory, "c")).isFile()]).toEqual([
      true,
      true,
    ]);
  });

  it.each([
    ["Directory", "file", "is not a directory"],
    ["Directory", "absent", "is not a directory"],
    ["DirectoryOrCreate", "file", "is not a directory"],
    ["File", ".", "is not a file"],
    ["Socket", "file", "is not a socket file"],
    ["CharDevice", "file", "is not a character device"],
    ["BlockDevice", "file", "is not a block device"],
  ] as const)("of type %s is not %s", async (type, name, message) => {
    await expect(ensureHostPath({ path: join(directory, name), type })).rejects.toThrow(message);
  });

  it("never leads upwards", async () => {
    await expect(ensureHostPath({ path: "/tmp/../etc" })).rejects.toThrow('contains ".."');
  });
});
