import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileContent, writeFiles } from "./atomic-directory.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "plinth-volume-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const files = (contents: Record<string, string>, mode = 0o644) =>
  new Map(
    Object.entries(contents).map(([path, text]): [string, FileContent] => [path, { bytes: Buffer.from(text), mode }]),
  );
const text = (path: string) => readFileSync(join(directory, path), "utf8");

describe("a directory that changes as a whole", () => {
  it("holds the files, with their modes, behind one link", async () => {
    expect(await writeFiles(directory, files({ a: "1", "sub/b": "2" }, 0o400), { version: "v1" })).toBe(true);
    expect([text("a"), text("sub/b")]).toEqual(["1", "2"]);
    expect(statSync(join(directory, "a")).mode & 0o777).toBe(0o400);
    expect(readlinkSync(join(directory, "..data"))).toBe("..v1");
    expect(lstatSync(join(directory, "sub")).isSymbolicLink()).toBe(true);
  });

  it("is left alone when nothing has changed", async () => {
    await writeFiles(directory, files({ a: "1" }), { version: "v1" });
    expect(await writeFiles(directory, files({ a: "1" }), { version: "v2" })).toBe(false);
    expect(readlinkSync(join(directory, "..data"))).toBe("..v1");
  });

  it.each<[string, Record<string, string>, number]>([
    ["a content", { a: "2", b: "x" }, 0o644],
    ["a mode", { a: "1", b: "x" }, 0o600],
    ["a file more", { a: "1", b: "x", c: "y" }, 0o644],
    ["a file less", { a: "1" }, 0o644],
  ])("is made anew when %s changes", async (_, contents, mode) => {
    await writeFiles(directory, files({ a: "1", b: "x" }), { version: "v1" });
    expect(await writeFiles(directory, files(contents, mode), { version: "v2" })).toBe(true);
    const shown = readdirSync(directory).filter((name) => !name.startsWith(".."));
    expect(Object.fromEntries(shown.map((name) => [name, text(name)]))).toEqual(contents);
    expect(existsSync(join(directory, "..v1"))).toBe(false);
  });

  it("may be empty", async () => {
    await writeFiles(directory, files({ a: "1" }), { version: "v1" });
    await writeFiles(directory, files({}), { version: "v2" });
    expect(readdirSync(directory).sort()).toEqual(["..data", "..v2"]);
  });

  it("leaves nothing of files that cannot stand beside one another", async () => {
    await writeFiles(directory, files({ a: "1" }), { version: "v1" });
    await expect(writeFiles(directory, files({ b: "1", "b/c": "2" }), { version: "v2" })).rejects.toThrow();
    expect(readdirSync(directory).sort()).toEqual(["..data", "..v1", "a"]);
  });

  it("goes on where an earlier write was cut off", async () => {
    await writeFiles(directory, files({ a: "1" }), { version: "v1" });
    await writeFiles(directory, files({ a: "2" }), { version: "..data_tmp_left" }).catch(() => undefined);
    await writeFiles(directory, files({ a: "3" }), { version: "v3" });
    expect(text("a")).toBe("3");
  });

  it.each(["/etc/passwd", "../a", "a/../../b", "..data", "", "a\0b"])(
    "never writes outside of itself: %j",
    async (path) => {
      await expect(writeFiles(directory, files({ [path]: "x" }), { version: "v1" })).rejects.toThrow(
        "does not stay in the volume",
      );
      expect(readdirSync(directory)).toEqual([]);
    },
  );
});
