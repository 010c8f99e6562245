// What every file of the project keeps to: names, first lines, the lock file.

import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, readSources } from "./sources.testing.ts";

const sources = readSources();
const paths = (list: typeof sources) => list.map(({ path }) => path);

describe("source files", () => {
  it("have names in kebab-case that say what they hold", () => {
    const wrong = sources.filter(({ path }) => {
      const name = basename(path);
      return (
        !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)?\.ts$/.test(name) || /^(?:utils?|helpers?|common|misc)\.ts$/.test(name)
      );
    });
    expect(paths(wrong)).toEqual([]);
  });

  it("begin with a comment that says what they are", () => {
    expect(paths(sources.filter(({ isTest, text }) => !isTest && !/^\/\/ \S/.test(text)))).toEqual([]);
  });

  it("leave nothing for later and switch no check off", () => {
    const unfinished = /\b(?:TODO|FIXME|XXX)\b|@ts-(?:ignore|nocheck|expect-error)/;
    expect(paths(sources.filter(({ text }) => unfinished.test(text)))).toEqual([]);
  });

  it("put no list on the stack: what a client sends may be longer than the stack is deep", () => {
    const spread = /\.(?:push|unshift)\(\s*\.\.\.|\b(?:Math\.(?:max|min)|String\.from\w+)\(\s*\.\.\./;
    const code = (text: string) => text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
    expect(paths(sources.filter(({ isTest, text }) => !isTest && spread.test(code(text))))).toEqual([]);
  });
});

describe("the project", () => {
  it("has a lock file that names no registry", () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
      packages: Record<string, { resolved?: string; link?: boolean }>;
    };
    const withAddress = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
    expect(withAddress.map(([name]) => name)).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThan(50);
  });

  it("has launchers that can be executed", () => {
    for (const file of ["bin/plinth", "bin/pctl", ".ci/run"])
      expect(statSync(join(ROOT, file)).mode & 0o111, file).toBe(0o111);
  });
});
