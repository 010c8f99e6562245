import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDirectory } from "./make-directory.ts";

describe("makeDirectory", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "make-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it("makes what is missing on the way, with the mode, and leaves alone what is there", async () => {
    await makeDirectory(join(dir, "a/b"), 0o700);
    await makeDirectory(join(dir, "a/b"), 0o777);
    expect(statSync(join(dir, "a/b")).mode & 0o777).toBe(0o700);
  });

  it("fails where something else stands in the way", async () => {
    writeFileSync(join(dir, "file"), "");
    await expect(makeDirectory(join(dir, "file"), 0o700)).rejects.toThrow("EEXIST");
    await expect(makeDirectory(join(dir, "file/below"), 0o700)).rejects.toThrow("EEXIST");
  });

  it.runIf(process.platform === "linux")("fails where the kernel lets nobody make anything", async () => {
    await expect(makeDirectory("/proc/plinth/store", 0o700)).rejects.toThrow("/proc/plinth");
  });
});
