// ARCHITECTURE.md names files and folders: each is where it says.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const text = readFileSync("ARCHITECTURE.md", "utf8");

/** Below which folders a short name is looked for. */
const ROOTS = ["", "src", "src/apiserver", "src/registry"];

/** What is written like a path and is none. */
const NO_PATH = new Set(["plinth/testing", "console/", "group/version", "/readyz"]);

const isThere = (name: string, roots: readonly string[]): boolean =>
  roots.some((root) => [name, `${name}.ts`].some((path) => existsSync(join(root, path))));

/** The walks of a write and a read: every word with a slash in them, except the paths of requests. */
const walks = text.split("```").filter((block) => /^\n(?:POST|GET) \//.test(block));
const inWalks = walks.flatMap((block) =>
  block
    .replace(/^.*(?:POST|GET) \/.*$/gm, "")
    .split(/[\s,:;()]+/)
    .filter((word) => /^[a-z][\w-]*\/[\w/-]*$/.test(word)),
);

/** Of the map of the code. */
const isRow = (line: string): boolean => /^\| `(?:src|test|bench)/.test(line);
const rows = text.split("\n").filter(isRow);
const prose = text
  .split("```")
  .filter((_, index) => index % 2 === 0)
  .join("\n")
  .split("\n")
  .filter((line) => !isRow(line));
const inProse = prose.flatMap((line) => [...line.matchAll(/`([a-z][\w.-]*\/[\w./-]*)`/g)].map(([, name]) => name!));

describe("ARCHITECTURE.md", () => {
  it("walks through files that exist", () => {
    expect(inWalks.length).toBeGreaterThan(40);
    expect(inWalks.filter((name) => !isThere(name, ROOTS))).toEqual([]);
  });

  it("speaks of files that exist", () => {
    expect(inProse.length).toBeGreaterThan(20);
    expect(inProse.filter((name) => !NO_PATH.has(name) && !isThere(name, ROOTS))).toEqual([]);
  });

  it("maps folders that exist, with the sub-folders that they have", () => {
    expect(rows.length).toBeGreaterThan(20);
    const missing = rows.flatMap((row) => {
      const [, folders = "", ...rest] = row.split("|");
      const places = [...folders.matchAll(/`([^`]+)`/g)].map(([, place]) => place!);
      const inside = [...rest.join("|").matchAll(/`([\w-]+\/)`/g)].map(([, name]) => name!);
      return [
        ...places.filter((place) => !existsSync(place)),
        ...inside.filter((name) => !isThere(name, [...places, ...places.map((place) => join(place, "handlers"))])),
      ];
    });
    expect(missing).toEqual([]);
  });
});
