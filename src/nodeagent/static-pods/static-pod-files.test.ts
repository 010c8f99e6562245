import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { StaticPodFiles } from "./static-pod-files.ts";

let directory: string;
let files: StaticPodFiles;
let told: string[][];
let problems: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "plinth-static-"));
  told = [];
  problems = [];
});
afterEach(() => {
  files.close();
  rmSync(directory, { recursive: true, force: true });
});

async function follow(path = directory): Promise<void> {
  files = new StaticPodFiles({
    clock: systemClock,
    path,
    intervalMs: 50,
    read: (content) => {
      const name = Buffer.from(content).toString("utf8");
      if (name === "broken") throw new Error("broken");
      return { metadata: { name } } as Pod;
    },
    onPods: (pods) => void told.push(pods.map(({ metadata }) => metadata.name ?? "")),
    onProblem: (file) => void problems.push(file.slice(directory.length)),
  });
  await files.start();
}
const write = (name: string, content: string) => writeFileSync(join(directory, name), content);
const until = (pods: string[]) => vi.waitFor(() => expect(told.at(-1)).toEqual(pods));

describe("files of static pods", () => {
  it("are read at the start, in the order of their names", async () => {
    write("b.yaml", "two");
    write("a.yaml", "one");
    write(".hidden", "three");
    mkdirSync(join(directory, "folder"));
    await follow();
    expect(told).toEqual([["one", "two"]]);
  });

  it("are followed", async () => {
    await follow();
    write("a.yaml", "one");
    await until(["one"]);
    write("a.yaml", "other");
    await until(["other"]);
    rmSync(join(directory, "a.yaml"));
    await until([]);
  });

  it("do not disturb each other, and a broken one is told of once", async () => {
    write("a.yaml", "broken");
    write("b.yaml", "two");
    await follow();
    expect(told).toEqual([["two"]]);
    write("c.yaml", "three");
    await until(["two", "three"]);
    expect(problems).toEqual(["/a.yaml"]);
  });

  it.each(["a.yaml", ""])("stay while nobody can tell what has become of them: %j", async (name) => {
    const folder = join(directory, "manifests");
    mkdirSync(folder);
    write("manifests/a.yaml", "one");
    await follow(folder);
    // As of a disk that fails, or a server that is silent: there, but it cannot be looked at.
    const path = join(folder, name);
    renameSync(path, join(directory, "moved"));
    symlinkSync(path, path);
    await vi.waitFor(() => expect(problems).toContain(path.slice(directory.length).replace(/\/$/, "")));
    expect(told).toEqual([["one"]]);
    rmSync(path);
    await until([]);
  });

  it("may be one file, or none yet", async () => {
    await follow(join(directory, "pod.yaml"));
    expect(told).toEqual([[]]);
    write("pod.yaml", "one");
    await until(["one"]);
  });
});
