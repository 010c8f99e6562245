import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SubPathError, withSubPath } from "./sub-path.ts";

let directory: string;
let volume: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "plinth-subpath-")));
  volume = join(directory, "volume");
  mkdirSync(volume);
  // Not what the mask of this process would leave of it.
  chmodSync(volume, 0o2777);
  mkdirSync(join(directory, "secret"));
  writeFileSync(join(directory, "secret", "key"), "k");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const openSubPath = (from: string, subPath: string) => withSubPath(from, subPath, async (path) => path);

describe("a part of a volume", () => {
  it("is made where it is missing, with the mode of the volume", async () => {
    expect(await openSubPath(volume, "a/b")).toBe(join(volume, "a/b"));
    expect(statSync(join(volume, "a/b")).mode & 0o7777).toBe(0o2777);
  });

  it("is not made for who asks for one that is there", async () => {
    const use = async (path: string) => path;
    await expect(withSubPath(volume, "a/b", use, { makes: false })).rejects.toMatchObject({ code: "ENOENT" });
    expect(existsSync(join(volume, "a"))).toBe(false);
  });

  it.each(["a", "./a/", "a//."])("is found under %j", async (subPath) => {
    mkdirSync(join(volume, "a"));
    expect(await openSubPath(volume, subPath)).toBe(join(volume, "a"));
  });

  it("may be a file, and the volume may be reached by a link", async () => {
    writeFileSync(join(volume, "f"), "x");
    symlinkSync(volume, join(directory, "link"));
    expect(await openSubPath(join(directory, "link"), "f")).toBe(join(volume, "f"));
  });

  it("may be behind a link that stays inside, as the keys of a ConfigMap are", async () => {
    mkdirSync(join(volume, "..v1"));
    writeFileSync(join(volume, "..v1/key"), "x");
    symlinkSync("..v1", join(volume, "..data"));
    symlinkSync("..data/key", join(volume, "key"));
    expect(await openSubPath(volume, "key")).toBe(join(volume, "..v1/key"));
  });

  it.each(["/etc", "../secret", "a/../../secret", "a\0b"])("cannot be named outside: %j", async (subPath) => {
    await expect(openSubPath(volume, subPath)).rejects.toThrow(SubPathError);
  });

  it.each<[string, string, string]>([
    ["to another directory", "../secret", "escape"],
    ["to the root", "/", "escape"],
    ["in the middle", "../secret", "escape/key"],
    ["to nothing", "../absent", "escape"],
    ["to nothing, in the middle", "../absent", "escape/x"],
  ])("cannot be reached over a link %s", async (_, target, subPath) => {
    symlinkSync(target, join(volume, "escape"));
    await expect(openSubPath(volume, subPath)).rejects.toThrow(SubPathError);
  });

  it("cannot lie below a file", async () => {
    writeFileSync(join(volume, "f"), "x");
    await expect(openSubPath(volume, "f/x")).rejects.toThrow(SubPathError);
  });
});
