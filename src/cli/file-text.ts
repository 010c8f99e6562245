// Files that command lines name, and what is wrong with them.

import { readSmallFileSync } from "../base/read-small-file.ts";
import { CliError } from "./flags.ts";

/** What files of objects may have: they are read whole, and decoding takes many times as much. */
export const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/** Fails with CliError. */
export function fileText(file: string, maxBytes?: number): string {
  return fileBytes(file, maxBytes).toString("utf8");
}

/** Fails with CliError. */
export function fileBytes(file: string, maxBytes?: number): Buffer {
  try {
    return readSmallFileSync(file, maxBytes);
  } catch (error) {
    throw new CliError(fileProblem(error));
  }
}

/** `/no/file: no such file or directory`, where the system has more to say about itself. */
export function fileProblem(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [, problem, path] = /^E[A-Z]+: ([^,]+), \w+ '([^']*)'/.exec(text) ?? [];
  return problem === undefined ? text : `${path}: ${problem}`;
}
