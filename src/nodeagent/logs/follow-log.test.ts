import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { followLog } from "./follow-log.ts";

const line = (text: string) => `2030-01-01T00:00:00.000000000Z stdout F ${text}\n`;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-logs-"));
  path = join(folder, "0.log");
  writeFileSync(path, ["one", "two", "three"].map(line).join(""));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is read while the container writes `more` after every line that has been read. */
async function readWhileWriting(tailLines: number | undefined, more: string): Promise<string[]> {
  const { signal } = new AbortController();
  const isRunning = async () => true;
  const texts: string[] = [];
  for await (const { text } of followLog({ path, tailLines, follow: false, isRunning, clock: systemClock, signal })) {
    texts.push(text.toString().trimEnd());
    if (texts.length > 10) break;
    appendFileSync(path, more);
  }
  return texts;
}

describe("a log that is read without following it", () => {
  it.each([
    [0, []],
    [1, ["three"]],
    [2, ["two", "three"]],
    [9, ["one", "two", "three"]],
    [undefined, ["one", "two", "three"]],
  ])("ends where it ended when it was asked for, however much is written meanwhile (tail %s)", async (tail, texts) => {
    expect(await readWhileWriting(tail, line("more"))).toEqual(texts);
  });

  it("has a line whole that was half written then", async () => {
    appendFileSync(path, line("four").slice(0, -3));
    expect(await readWhileWriting(2, `ur\n${line("more")}`)).toEqual(["three", "four"]);
  });
});
