import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeOwnership } from "./take-ownership.ts";

const gid = process.getgid!();
let folder: string;
let volume: string;
let outside: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-ownership-"));
  [volume, outside] = [join(folder, "volume"), join(folder, "outside")];
  for (const directory of [join(volume, "a"), outside]) mkdirSync(directory, { recursive: true });
  for (const file of [join(volume, "a", "f"), join(outside, "f")]) writeFileSync(file, "", { mode: 0o400 });
  chmodSync(outside, 0o700);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

describe("the files of a volume", () => {
  it("become the group's, and their directories make new ones its own", async () => {
    execFileSync("mkfifo", ["-m", "600", join(volume, "pipe")]);
    await takeOwnership(volume, gid, "Always");
    expect(["", "a", "a/f", "pipe"].map((path) => modeOf(join(volume, path)))).toEqual(["2775", "2775", "660", "660"]);
    expect(lstatSync(join(volume, "a/f")).gid).toBe(gid);
  });

  it("are left alone where the volume is the group's, unless that is not asked for", async () => {
    chmodSync(volume, 0o2770);
    await takeOwnership(volume, gid, "OnRootMismatch");
    expect(modeOf(join(volume, "a/f"))).toBe("400");
    await takeOwnership(volume, gid, undefined);
    expect(modeOf(join(volume, "a/f"))).toBe("660");
  });

  it("are those of the volume, whatever links stand in it", async () => {
    symlinkSync(outside, join(volume, "link"));
    await takeOwnership(volume, gid, "Always");
    expect([modeOf(outside), modeOf(join(outside, "f"))]).toEqual(["700", "400"]);
    expect(readlinkSync(join(volume, "link"))).toBe(outside);
  });

  it("are those of the volume while others put links in their place", async () => {
    const swap = `const fs = require("node:fs");
      const [path, next, target] = ${JSON.stringify([join(volume, "g"), join(folder, "next"), join(outside, "f")])};
      for (let at = 0; ; at = (at + 1) % 20) {
        fs.symlinkSync(target, next);
        fs.renameSync(next, path + at);
        fs.writeFileSync(next, "", { mode: 0o400 });
        fs.renameSync(next, path + ((at + 10) % 20));
      }`;
    const other = new Worker(swap, { eval: true });
    try {
      for (let times = 0; times < 200; times += 1) await takeOwnership(volume, gid, "Always");
    } finally {
      await other.terminate();
    }
    expect([modeOf(outside), modeOf(join(outside, "f"))]).toEqual(["700", "400"]);
  });
});
