// The sources of the project as text, and what they import.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export interface Source {
  /** From the root of the project, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly isTest: boolean;
}

export interface Import {
  readonly from: Source;
  /** A path from the root of the project, a package, or node:something. */
  readonly target: string;
}

/** Every TypeScript file below src, or below another folder of the project. */
export function readSources(folder = "src"): Source[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  return files.map((file) => {
    const path = `${folder}/${file.replaceAll("\\", "/")}`;
    return { path, text: readFileSync(join(ROOT, path), "utf8"), isTest: /\.(?:test|testing)\.ts$/.test(path) };
  });
}

/** Static, re-exporting, type-only and dynamic imports. */
export function importsOf(source: Source): Import[] {
  const specifiers = [...source.text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3]!);
  return specifiers.map((specifier) => ({
    from: source,
    target: specifier.startsWith(".") ? resolveFrom(source, specifier) : specifier,
  }));
}

// The keyword stands at the start of a line, or the call has its parenthesis: text that only mentions imports does not count.
const IMPORT = /^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)"|^\}\s*from\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

function resolveFrom(source: Source, specifier: string): string {
  return relative(ROOT, resolve(ROOT, dirname(source.path), specifier)).replaceAll("\\", "/");
}

/** src/storage/lmdb/engine.ts -> storage */
export function folderOf(path: string): string {
  return path.split("/")[1]!;
}
