// What the sources export, and who imports it; read as text, like the imports.

import { basename } from "node:path";
import { importsOf, type Source } from "./sources.testing.ts";

export interface Export {
  readonly source: Source;
  readonly name: string;
  /** Paths of the files that import it, tests included. */
  readonly importers: readonly string[];
}

/** Every export of `sources`, and which of all files import it. */
export function exportsOf(sources: readonly Source[], files: readonly Source[]): Export[] {
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { target, names } of namedImports(file)) {
      for (const name of names) {
        const key = `${target} ${name}`;
        importers.set(key, (importers.get(key) ?? new Set()).add(file.path));
      }
    }
  }
  return sources.flatMap((source) =>
    [...exportedNames(source)].map((name) => ({
      source,
      name,
      importers: [...(importers.get(`${source.path} ${name}`) ?? []), ...(importers.get(`${source.path} *`) ?? [])],
    })),
  );
}

/** Whether the file that exports a name also uses it: a part that has a test of its own. */
export function usesItself({ source, name }: Export): boolean {
  const code = source.text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  return (code.match(new RegExp(`\\b${name}\\b`, "g")) ?? []).length > 1;
}

const DECLARED = /^export (?:abstract )?(?:async )?(?:const|function\*?|class|type|interface) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;

function exportedNames({ text }: Source): Set<string> {
  const listed = [...text.matchAll(LISTED)].flatMap((match) => namesIn(match[1]!).map(({ there }) => there));
  return new Set([...[...text.matchAll(DECLARED)].map((match) => match[1]!), ...listed]);
}

const IMPORTED = /^(?:import|export) (?:type )?\{([^}]*)\}\s*from "([^"]+)"/gm;
const UNPACKED = /\{([^{}]*)\} = await import\(\s*"([^"]+)"/g;
const PICKED = /\bimport\("([^"]+)"\)\.(\w+)/g;

function namedImports(file: Source): { target: string; names: string[] }[] {
  const target = (specifier: string) => resolved(file, specifier);
  const found = [
    ...[...file.text.matchAll(IMPORTED)].map((match) => ({
      target: target(match[2]!),
      names: namesIn(match[1]!).map(({ here }) => here),
    })),
    ...[...file.text.matchAll(UNPACKED)].map((match) => ({
      target: target(match[2]!),
      names: match[1]!.split(",").map((name) => name.split(":")[0]!.trim()),
    })),
    ...[...file.text.matchAll(PICKED)].map((match) => ({ target: target(match[1]!), names: [match[2]!] })),
  ];
  // Whoever imports a file otherwise takes all of it.
  const named = new Set(found.map((each) => each.target));
  const whole = importsOf(file).filter((each) => !named.has(each.target));
  return [...found, ...whole.map((each) => ({ target: each.target, names: ["*"] }))];
}

const resolved = (file: Source, specifier: string): string =>
  importsOf({ ...file, text: `import "${specifier}"` })[0]!.target;

/** `a as b`: the name in the file that has it, and the one that others see. */
function namesIn(list: string): { here: string; there: string }[] {
  return list
    .split(",")
    .map((part) => part.trim().replace(/^type /, ""))
    .filter((part) => part !== "")
    .map((part) => {
      const [here, there] = part.split(" as ");
      return { here: here!, there: there ?? here! };
    });
}

export const isTestingFile = (path: string): boolean => basename(path).includes(".testing.");
