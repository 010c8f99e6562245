// Archives of real programs are read, ours are read by them, and hostile ones write nothing outside of their place.

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { extractTar } from "./extract-tar.ts";
import { readTar } from "./read-tar.ts";
import { writeTar } from "./write-tar.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tar-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LONG = `${"long-".repeat(40)}name`;

/** In pieces of odd sizes, as networks deliver them. */
async function* inPieces(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function piecesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

const bytesOf = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> => Buffer.concat(await piecesOf(pieces));

function makeTree(): void {
  mkdirSync(join(folder, "web/inner", LONG), { recursive: true });
  writeFileSync(join(folder, "web/a.txt"), "hello\n", { mode: 0o600 });
  writeFileSync(join(folder, "web/empty"), "");
  writeFileSync(join(folder, "web/inner", LONG, "deep"), Buffer.alloc(100_000, "x"));
}

describe("a tar archive", () => {
  it.each([
    ["gnu", ["--format=gnu"]],
    ["pax", ["--format=pax"]],
    ["ustar", ["--format=ustar", "--exclude=*long-*"]],
  ])("of format %s is read", async (_, flags) => {
    makeTree();
    const bytes = execFileSync("tar", [...flags, "-cf", "-", "-C", folder, "./web"]);
    const target = join(folder, "out");
    const files = await extractTar(inPieces(bytes), {
      root: "web",
      target,
      targetOfFile: target,
      onSkipped: () => expect.unreachable(),
    });
    expect(files).toBe(flags.length > 1 ? 2 : 3);
    expect(readFileSync(join(target, "a.txt"), "utf8")).toBe("hello\n");
    expect(statSync(join(target, "a.txt")).mode & 0o777).toBe(0o600);
    if (flags.length === 1) expect(statSync(join(target, "inner", LONG, "deep")).size).toBe(100_000);
  });

  it("that is written is read by tar", async () => {
    makeTree();
    symlinkSync("a.txt", join(folder, "web/link"));
    const bytes = await bytesOf(writeTar(join(folder, "web"), "copy"));
    mkdirSync(join(folder, "out"));
    expect(spawnSync("tar", ["-xf", "-", "-C", join(folder, "out")], { input: bytes }).status).toBe(0);
    expect(spawnSync("diff", ["-r", join(folder, "web"), join(folder, "out/copy")]).status).toBe(0);
    expect(statSync(join(folder, "out/copy/a.txt")).mode & 0o777).toBe(0o600);
  });

  it("that ends in the middle, or is none, fails", async () => {
    makeTree();
    const bytes = await bytesOf(writeTar(join(folder, "web"), "web"));
    const read = async (some: Uint8Array): Promise<void> => {
      for await (const { content } of readTar(inPieces(some))) for await (const _ of content);
    };
    await expect(read(bytes.subarray(0, bytes.length / 2))).rejects.toThrow("ends in the middle");
    await expect(read(Buffer.alloc(1024, "no archive at all"))).rejects.toThrow("no tar archive");
    const huge = Buffer.from(bytes.subarray(0, 512));
    huge.fill(0xff, 124, 136);
    await expect(read(huge)).rejects.toThrow();
  });
});

describe("a hostile archive", () => {
  /** One entry, as attackers write them. */
  async function entry(name: string, type = "0", target = ""): Promise<Buffer> {
    writeFileSync(join(folder, "payload"), "owned");
    const [header = Buffer.alloc(0), ...rest] = await piecesOf(writeTar(join(folder, "payload"), "x"));
    const block = Buffer.from(header);
    block.fill(0, 0, 100).write(name, 0);
    block.write(type, 156);
    block.fill(0, 157, 257).write(target, 157);
    block.fill(" ", 148, 156);
    let sum = 0;
    for (const byte of block) sum += byte;
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return Buffer.concat([block, ...rest.slice(0, -1)]);
  }

  it.each(["../out.txt", "/tmp/out.txt", "web/../../out.txt", "other/out.txt", "web/a/../../../out.txt"])(
    "cannot write %s",
    async (name) => {
      const skipped: string[] = [];
      const target = join(folder, "a/b");
      const onSkipped = (skip: string): void => void skipped.push(skip);
      const bytes = Buffer.concat([await entry(name), Buffer.alloc(1024)]);
      expect(await extractTar(inPieces(bytes), { root: "web", target, targetOfFile: target, onSkipped })).toBe(0);
      expect(skipped).toEqual([name]);
      expect(readdirSync(folder)).toEqual(["payload"]);
    },
  );

  it("cannot write through a link that it brings, nor through one that is there", async () => {
    mkdirSync(join(folder, "safe"));
    const target = join(folder, "target");
    const bytes = Buffer.concat([
      await entry("web/link", "2", join(folder, "safe")),
      await entry("web/link/owned"),
      Buffer.alloc(1024),
    ]);
    const skipped: string[] = [];
    const options = { root: "web", target, targetOfFile: target, onSkipped: (name: string) => void skipped.push(name) };
    expect(await extractTar(inPieces(bytes), options)).toBe(1);
    expect([skipped, statSync(join(target, "link")).isDirectory()]).toEqual([["web/link"], true]);
    rmSync(target, { recursive: true });
    mkdirSync(target);
    symlinkSync(join(folder, "safe"), join(target, "link"));
    const again = Buffer.concat([await entry("web/link/owned"), Buffer.alloc(1024)]);
    await expect(extractTar(inPieces(again), options)).rejects.toThrow("it is no folder");
    symlinkSync(join(folder, "safe/new"), join(target, "file"));
    const file = Buffer.concat([await entry("web/file"), Buffer.alloc(1024)]);
    await expect(extractTar(inPieces(file), options)).rejects.toThrow("cannot write");
    expect(readdirSync(join(folder, "safe"))).toEqual([]);
  });

  it("cannot make us keep a name of any length", async () => {
    const block = await entry("x", "L");
    block.write("77777777777\0", 124);
    block.fill(" ", 148, 156);
    let sum = 0;
    for (const byte of block.subarray(0, 512)) sum += byte;
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const read = async (): Promise<void> => {
      for await (const _ of readTar(inPieces(block)));
    };
    await expect(read()).rejects.toThrow("too long");
    expect(existsSync(join(folder, "x"))).toBe(false);
  });
});
