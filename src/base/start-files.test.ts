import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ReadFile, StartFiles } from "./start-files.ts";

describe("files that are read when the server starts", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "plinth-start-files-"));
    path = join(folder, "a");
    writeFileSync(path, "first");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("are those of whoever was first, though they have changed or gone", () => {
    const first = new StartFiles();
    first.read(path);
    writeFileSync(path, "second");
    expect(String(first.read(path))).toBe("first");
    const next = new StartFiles(first.contents);
    expect(String(next.read(path))).toBe("first");
    rmSync(path);
    expect(String(next.read(path))).toBe("first");
  });

  it("are handed on as they are in force", () => {
    const first = new StartFiles();
    first.read(path);
    first.keep(new Map([[path, Buffer.from("second")]]));
    expect(String(new StartFiles(first.contents).read(path))).toBe("second");
  });

  it("are handed on as they are read anew, unless nothing comes of them", async () => {
    const files = new StartFiles(new Map([[path, Buffer.from("handed")]]));
    const nothing = (read: ReadFile) => Promise.reject(new Error(String(read(path))));
    await expect(files.anew(nothing)).rejects.toThrow("first");
    expect(String(files.read(path))).toBe("handed");
    expect(await files.anew(async (read) => String(read(path)))).toBe("first");
    expect(String(files.read(path))).toBe("first");
  });

  it("are read where nobody has handed them on", () => {
    expect(String(new StartFiles(new Map([["/b", Buffer.from("b")]])).read(path))).toBe("first");
  });
});
