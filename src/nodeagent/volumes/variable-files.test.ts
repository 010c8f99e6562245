import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FactError } from "../containers/pod-facts.ts";
import { readVariableFiles } from "./variable-files.ts";

let directory: string;
let volume: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "plinth-variables-"));
  volume = join(directory, "volume");
  mkdirSync(join(volume, "sub"), { recursive: true });
  writeFileSync(join(volume, "sub", "file"), "A=one\n");
  writeFileSync(join(directory, "secret"), "A=secret\n");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const read = async (path: string, volumeName = "v") => {
  const files = [{ volumeName, path }];
  return (await readVariableFiles(files, new Map([["v", { path: volume }]])))(files[0]!);
};

describe("a file of variables", () => {
  it.each(["sub/file", "./sub//file", "/sub/file", "link"])("is read from the volume at %s", async (path) => {
    symlinkSync("sub/file", join(volume, "link"));
    expect(await read(path)).toBe("A=one\n");
  });

  it("is read each time anew", async () => {
    await read("sub/file");
    writeFileSync(join(volume, "sub", "file"), "A=two\n");
    expect(await read("sub/file")).toBe("A=two\n");
  });

  it.each([
    ["absent", "there is none"],
    ["absent/file", "there is none"],
    ["sub", "it is not a plain file"],
    ["pipe", "it is not a plain file"],
    ["up", "it does not stay in its volume"],
    ["../secret", "it does not stay in its volume"],
    ["absolute", "it does not stay in its volume"],
    ["sub/file/more", "it does not stay in its volume"],
    ["large", "it has more than 1048576 bytes"],
  ])("at %s is none: %s", async (path, why) => {
    symlinkSync("../secret", join(volume, "up"));
    symlinkSync(join(directory, "secret"), join(volume, "absolute"));
    execFileSync("mkfifo", [join(volume, "pipe")]);
    writeFileSync(join(volume, "large"), Buffer.alloc(1024 * 1024 + 1, "#"));
    const problem = await read(path).catch((error: unknown) => error);
    expect(problem).toEqual(new FactError(`couldn't parse env file "${path}" of the volume "v": ${why}`));
  });

  it("of a volume that is not there is none, and of several each has its own problem", async () => {
    await expect(read("sub/file", "w")).rejects.toThrow('cannot find the volume "w" referenced by FileKeyRef');
    const [good, bad] = ["sub/file", "absent"].map((path) => ({ volumeName: "v", path }));
    const textOf = await readVariableFiles([bad!, good!], new Map([["v", { path: volume }]]));
    expect(textOf(good!)).toBe("A=one\n");
    expect(() => textOf(bad!)).toThrow("there is none");
  });
});
