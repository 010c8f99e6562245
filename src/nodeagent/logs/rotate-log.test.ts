import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rotateLog } from "./rotate-log.ts";

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-logs-"));
  log = join(folder, "0.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const START_MS = Date.parse("2030-01-01T00:00:00Z");
const rotate = (minute: number, reopen = async () => writeFileSync(log, "")) =>
  rotateLog(log, { maxBytes: 5, maxFiles: 3, nowMs: START_MS + minute * 60_000, reopen });

describe("the log of a container", () => {
  it("is left alone while it is small, or not there", async () => {
    expect(await rotate(0)).toBe(false);
    writeFileSync(log, "12345");
    expect(await rotate(0)).toBe(false);
  });

  it("is put aside, compressed later, and removed in the end", async () => {
    for (const minute of [0, 1, 2, 3]) {
      writeFileSync(log, `lines of ${minute}`);
      expect(await rotate(minute)).toBe(true);
    }
    expect(readdirSync(folder).sort()).toEqual(["0.log", "0.log.20300101-000200.gz", "0.log.20300101-000300"]);
    expect(gunzipSync(readFileSync(join(folder, "0.log.20300101-000200.gz"))).toString()).toBe("lines of 2");
    expect(readFileSync(join(folder, "0.log.20300101-000300"), "utf8")).toBe("lines of 3");
  });

  it("is nothing else that somebody has put in its place: links are not followed, pipes not waited for", async () => {
    const aside = (second: number) => `${log}.20300101-00000${second}`;
    const secret = join(folder, "secret");
    writeFileSync(secret, "no line of this log");
    symlinkSync(secret, aside(1));
    execFileSync("mkfifo", [aside(2)]);
    mkdirSync(aside(3));
    writeFileSync(aside(4), "lines");
    symlinkSync(secret, `${aside(4)}.tmp`);
    writeFileSync(log, "too large");
    expect(await rotate(1)).toBe(true);
    const left = readdirSync(folder).sort();
    expect(left.map((name) => name.replace(basename(log), ""))).toEqual([
      "",
      ".20300101-000003",
      ".20300101-000004.gz",
      ".20300101-000100",
      "secret",
    ]);
    expect(readFileSync(secret, "utf8")).toBe("no line of this log");
    rmSync(log);
    symlinkSync(secret, log);
    expect(await rotate(2)).toBe(false);
  });

  it("stays where it is when the runtime does not follow", async () => {
    writeFileSync(log, "too large");
    await expect(rotate(0, async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(readdirSync(folder)).toEqual(["0.log"]);
  });
});
