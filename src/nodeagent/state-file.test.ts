import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { StartError } from "../base/start-error.ts";
import { PodRecord } from "./pods/pod-records.ts";
import { readStateFile, writeStateFile } from "./state-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "state-"));
  file = join(folder, "state");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a state file", () => {
  it("is read as it was written, also where a link leads", async () => {
    await writeStateFile(file, "one");
    symlinkSync(file, `${file}.link`);
    expect(await readStateFile(`${file}.link`)).toBe("one");
  });

  it("that is not there, or empty, is none", async () => {
    expect(await readStateFile(file)).toBeUndefined();
    writeFileSync(file, "");
    expect(await readStateFile(file)).toBeUndefined();
  });

  it.each([
    ["a folder", () => mkdirSync(file), "is not a plain file"],
    ["a pipe", () => execFileSync("mkfifo", [file]), "is not a plain file"],
    ["a link to itself", () => symlinkSync(file, file), "too many symbolic links"],
    ["a device", () => symlinkSync("/dev/zero", file), "has more than 16777216 bytes"],
    ["a huge file", makeHuge, "has more than 16777216 bytes"],
  ])("in whose place stands %s ends a start in one line", async (_what, make, problem) => {
    make();
    const record = new PodRecord({ file, clock: systemClock, onError: () => undefined });
    for (const read of [() => readStateFile(file), () => record.open()]) {
      const error = await read().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      expect(error).toBeInstanceOf(StartError);
      expect((error as Error).message).toContain(problem);
    }
  });

  it("is written though a pipe was left where it is prepared", async () => {
    execFileSync("mkfifo", [`${file}.tmp`]);
    await writeStateFile(file, "one");
    expect(readFileSync(file, "utf8")).toBe("one");
  });
});

function makeHuge(): void {
  writeFileSync(file, "");
  truncateSync(file, 2 ** 40);
}
