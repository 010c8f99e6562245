import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StartFiles } from "./start-files.ts";

describe("files that are read when the server starts", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "plinth-start-files-"));
    path = join(folder, "a");
    writeFileSync(path, "first");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("are those of whoever was first, until the start is over", () => {
    const first = new StartFiles();
    first.read(path);
    writeFileSync(path, "second");
    const next = new StartFiles(first.contents);
    expect(String(next.read(path))).toBe("first");
    next.startIsOver();
    expect(String(next.read(path))).toBe("second");
  });

  it("are handed on as they were read last", () => {
    const first = new StartFiles();
    first.read(path);
    writeFileSync(path, "second");
    first.read(path);
    expect(String(first.contents.get(path))).toBe("second");
  });

  it("are read where nobody has handed them on", () => {
    expect(String(new StartFiles(new Map([["/b", Buffer.from("b")]])).read(path))).toBe("first");
  });
});
