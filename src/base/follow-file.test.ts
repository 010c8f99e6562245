import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { FollowedFile } from "./follow-file.ts";

describe("a followed file", () => {
  let folder: string;
  let path: string;
  const contents: string[] = [];
  const onError = vi.fn();
  let file: FollowedFile;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "follow-"));
    path = join(folder, "f");
    writeFileSync(path, "one");
    contents.length = 0;
    onError.mockReset();
    file = new FollowedFile(path, {
      clock: systemClock,
      known: Buffer.from("one"),
      intervalMs: 3_600_000,
      onContent: (content) => contents.push(Buffer.from(content).toString()),
      onError,
    });
  });
  afterEach(() => {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("tells of a file that took its place", async () => {
    writeFileSync(`${path}.new`, "two");
    renameSync(`${path}.new`, path);
    await vi.waitFor(() => expect(contents).toEqual(["two"]), { timeout: 5000 });
  });

  it("says nothing of what it knows already", async () => {
    await file.look();
    writeFileSync(path, "two");
    await file.look();
    await file.look();
    expect(contents).toEqual(["two"]);
  });

  it("says when the file cannot be read, and goes on", async () => {
    rmSync(path);
    await file.look();
    expect(onError).toHaveBeenCalled();
    writeFileSync(path, "three");
    await file.look();
    expect(contents).toContain("three");
  });

  it.each([
    ["is far too long", () => truncateSync(path, 5 * 1024 * 1024)],
    ["became a pipe", () => execFileSync("sh", ["-c", 'rm "$1" && mkfifo "$1"', "sh", path])],
  ])("does not read what %s, and goes on", async (_, spoil) => {
    spoil();
    await file.look();
    expect([onError.mock.calls.length > 0, contents]).toEqual([true, []]);
    rmSync(path);
    writeFileSync(path, "three");
    await file.look();
    expect(contents).toEqual(["three"]);
  });

  it("says nothing after its end", async () => {
    file.close();
    writeFileSync(path, "two");
    await file.look();
    expect(contents).toEqual([]);
  });
});
