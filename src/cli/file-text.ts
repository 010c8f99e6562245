// Files that command lines name, and what is wrong with them.

import { readFileSync } from "node:fs";
import { CliError } from "./flags.ts";

/** Fails with CliError. */
export function fileText(file: string): string {
  return fileBytes(file).toString("utf8");
}

/** Fails with CliError. */
export function fileBytes(file: string): Buffer {
  try {
    return readFileSync(file);
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
