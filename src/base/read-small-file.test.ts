import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSmallFile, readSmallFileSync } from "./read-small-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "small-"));
  path = join(folder, "f");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Both readers: what they read, or why not. */
async function read(file: string, maxBytes?: number): Promise<string[]> {
  const sync = await Promise.resolve()
    .then(() => readSmallFileSync(file, maxBytes).toString())
    .catch((error: Error) => error.message);
  const later = await readSmallFile(file, maxBytes).then(String, (error: Error) => error.message);
  return [sync, later];
}

describe("a small file", () => {
  it.each(["", "x", "x".repeat(200_000)])("is read whole", async (text) => {
    writeFileSync(path, text);
    symlinkSync(path, `${path}.link`);
    expect(await read(path)).toEqual([text, text]);
    expect(await read(`${path}.link`)).toEqual([text, text]);
  });

  it("is read whole though it does not say how long it is", async () => {
    const [sync, later] = await read("/proc/self/status");
    expect(sync).toContain("VmRSS");
    expect(later).toContain("VmRSS");
  });

  it("may be the one that holds nothing", async () => {
    expect(await read("/dev/null")).toEqual(["", ""]);
  });

  it.each([
    ["one that is too large", () => truncateSync(writeEmpty(), 11), "has more than 10 bytes"],
    ["a folder", () => mkdirSync(path), "is not a plain file"],
    ["a pipe that nobody writes to", () => execFileSync("mkfifo", [path]), "is not a plain file"],
    ["a device that never ends", () => symlinkSync("/dev/zero", path), "has more than 10 bytes"],
  ])("is refused in a sentence: %s", async (_what, make, problem) => {
    make();
    expect(await read(path, 10)).toEqual([`${path} ${problem}`, `${path} ${problem}`]);
  });

  it("is no socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await read(path)).toEqual([`${path} is not a plain file`, `${path} is not a plain file`]);
    await new Promise((resolve) => server.close(resolve));
  });

  it("may be what a shell hands over", () => {
    buildSync({ entryPoints: [join(import.meta.dirname, "read-small-file.ts")], outfile: path, format: "cjs" });
    const script = `const { readSmallFile, readSmallFileSync } = require(${JSON.stringify(path)});
      const count = readSmallFileSync(process.argv[1]).length;
      readSmallFile(process.argv[2]).then(({ length }) => console.log(count, length));`;
    const shell = '"$0" -e "$1" <(head -c 100000 /dev/zero) /dev/stdin < <(head -c 70000 /dev/zero)';
    const out = execFileSync("bash", ["-c", shell, process.execPath, script], { encoding: "utf8" });
    expect(out).toBe("100000 70000\n");
  });
});

function writeEmpty(): string {
  writeFileSync(path, "");
  return path;
}
