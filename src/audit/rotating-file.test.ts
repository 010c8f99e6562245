import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RotatingFile } from "./rotating-file.ts";

describe("a rotating file", () => {
  let folder: string;
  let nowMs = Date.UTC(2026, 0, 1);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rotating-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const fileWith = (more: object) =>
    new RotatingFile({
      path: join(folder, "audit.log"),
      maxSizeBytes: 10,
      maxBackups: 0,
      maxAgeMs: 0,
      compress: false,
      nowMs: () => {
        nowMs += 1000;
        return nowMs;
      },
      onError: (error) => expect.fail(error.message),
      ...more,
    });

  it("is made with its folder before there is anything to write", async () => {
    const path = join(folder, "a", "b", "audit.log");
    const file = fileWith({ path });
    await file.make();
    expect(readFileSync(path, "utf8")).toBe("");
    await file.append("a\n");
    await file.close();
    expect(readFileSync(path, "utf8")).toBe("a\n");
  });

  it("keeps lines in their order, however many are written at once", async () => {
    const file = fileWith({ maxSizeBytes: 0 });
    await Promise.all(["a\n", "b\n", "c\n"].map((line) => file.append(line)));
    await file.close();
    expect(readFileSync(join(folder, "audit.log"), "utf8")).toBe("a\nb\nc\n");
  });

  it("is put aside before it grows beyond its size, and only so many are kept", async () => {
    const file = fileWith({ maxBackups: 2 });
    for (const line of ["11111\n", "22222\n", "33333\n", "44444\n"]) await file.append(line);
    await file.close();
    await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(3));
    const kept = readdirSync(folder).filter((name) => name !== "audit.log");
    expect(kept.map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["22222\n", "33333\n"]);
    expect(readFileSync(join(folder, "audit.log"), "utf8")).toBe("44444\n");
  });

  it("begins a line of its own behind one that a process has not written to its end", async () => {
    const path = join(folder, "audit.log");
    writeFileSync(path, "whole\nhal");
    for (const line of ["a\n", "b\n"]) {
      const file = fileWith({ maxSizeBytes: 0 });
      await file.append(line);
      await file.close();
    }
    expect(readFileSync(path, "utf8")).toBe("whole\nhal\na\nb\n");
  });

  it("begins a line of its own behind one for which the disk had no room", async () => {
    const path = join(folder, "audit.log");
    const handle = await open(path, "a");
    const full = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "appendFile");
    await handle.close();
    const file = fileWith({ maxSizeBytes: 0 });
    await file.append("a\n");
    full.mockImplementationOnce(async function (this: FileHandle) {
      await this.write("bb");
      throw new Error("ENOSPC");
    });
    await expect(file.append("bbbb\n")).rejects.toThrow("ENOSPC");
    await file.append("c\n");
    await file.append("d\n");
    await file.close();
    full.mockRestore();
    expect(readFileSync(path, "utf8")).toBe("a\nbb\nc\nd\n");
  });

  it("takes what waits in pieces, where that is much", async () => {
    const file = fileWith({ maxSizeBytes: 4 * 1024 * 1024 });
    const lines = ["1", "2", "3"].map((digit) => `${digit.repeat(3 * 1024 * 1024)}\n`);
    await Promise.all(lines.map((line) => file.append(line)));
    await file.close();
    const found = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(found.sort().map((text) => text[0])).toEqual(["1", "2", "3"]);
  });

  it("says of every line of a write that failed that it is lost, and writes those that come later", async () => {
    const path = join(folder, "later", "audit.log");
    const file = fileWith({ path });
    const outcomes = await Promise.allSettled(["a\n", "b\n"].map((line) => file.append(line)));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    mkdirSync(join(folder, "later"));
    await file.append("c\n");
    await file.close();
    expect(readFileSync(path, "utf8")).toBe("c\n");
  });

  it("compresses what is put aside", async () => {
    const file = fileWith({ compress: true });
    for (const line of ["11111\n", "22222\n"]) await file.append(line);
    await file.close();
    await vi.waitFor(() => expect(readdirSync(folder).filter((name) => name.endsWith(".log.gz"))).toHaveLength(1));
    await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(2));
  });
});
