// Nothing is exported for nobody. See CONTRIBUTING.md.

import { describe, expect, it } from "vitest";
import { type Export, exportsOf, isTestingFile, usesItself } from "./exports.testing.ts";
import { readSources } from "./sources.testing.ts";

/** What programs and other projects start from: package.json and scripts/build.mjs name them. */
const ENTRIES = ["src/client/index.ts", "src/testing/index.ts", "src/cmd/plinth.ts", "src/cli/pctl.ts"];

const sources = readSources();
const files = [...sources, ...readSources("test"), ...readSources("bench"), ...readSources("examples")];
const isTest = (path: string) => !path.startsWith("src/") || /\.test\.ts$/.test(path);
const exported = exportsOf(
  sources.filter(({ path }) => !isTest(path) && !ENTRIES.includes(path)),
  files,
);

describe("exports", () => {
  it("are found, with who imports them", () => {
    expect(exported.length).toBeGreaterThan(3_000);
    const known = exported.find(({ source, name }) => source.path === "src/base/json.ts" && name === "isObject");
    expect(known?.importers.length).toBeGreaterThan(10);
  });

  it("are imported by somebody: drop the word `export`, or the code", () => {
    expect(shown(exported.filter(({ importers }) => importers.length === 0))).toEqual([]);
  });

  it("are used by the product, or in their own file, not by tests alone: code for tests stands in *.testing.ts", () => {
    const lonely = exported.filter(
      (each) =>
        !isTestingFile(each.source.path) &&
        each.importers.every((path) => isTest(path) || isTestingFile(path)) &&
        !usesItself(each) &&
        !isReexport(each),
    );
    expect(shown(lonely)).toEqual([]);
  });
});

/** The face of a folder passes on what its parts use. */
function isReexport({ source, name }: Export): boolean {
  return new RegExp(`^export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\}\\s*from`, "m").test(source.text);
}

const shown = (list: readonly Export[]): string[] => list.map(({ source, name }) => `${source.path}: ${name}`).sort();
