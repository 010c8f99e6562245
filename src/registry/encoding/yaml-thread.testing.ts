// The program of the thread for long YAML, for tests of the sources: the thread runs no TypeScript.

import { join } from "node:path";
import { buildSync } from "esbuild";

let text: string | undefined;

/** As the build makes it. */
export function yamlThreadOfSources(): string {
  text ??= buildSync({
    entryPoints: [join(import.meta.dirname, "yaml-thread-main.ts")],
    bundle: true,
    platform: "node",
    write: false,
  }).outputFiles[0]!.text;
  return text;
}
