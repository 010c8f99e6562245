// What all tests run when they run together is made of the sources as they are.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../scripts/compile-sources.mjs");

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "plinth-sources-"));
  mkdirSync(join(project, "src/inner"), { recursive: true });
});
afterEach(() => rmSync(project, { recursive: true }));

const write = (file: string, text: string) => writeFileSync(join(project, "src", file), text);
const compiled = async () => {
  const { compileSources } = (await import(SCRIPT)) as { compileSources(project: string): Promise<string> };
  const folder = await compileSources(project);
  const modules = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".mjs"));
  // Node keeps a module by its name.
  const { text } = await import(/* @vite-ignore */ `${join(folder, "top.mjs")}?${Math.random()}`);
  return [modules.toSorted(), text];
};

it("the sources are compiled anew: what has changed, and without what is gone", async () => {
  write("top.ts", 'import { word } from "./inner/word.ts";\nexport const text: string = "a " + word;\n');
  write("inner/word.ts", 'export const word = "word";\n');
  write("inner/gone.ts", "export {};\n");
  for (const file of ["top.test.ts", "inner/word.testing.ts"]) write(file, "export {};\n");
  expect(await compiled()).toEqual([["inner/gone.mjs", "inner/word.mjs", "top.mjs"], "a word"]);
  rmSync(join(project, "src/inner/gone.ts"));
  write("top.ts", 'export const text: string = "another";\n');
  expect(await compiled()).toEqual([["inner/word.mjs", "top.mjs"], "another"]);
});
