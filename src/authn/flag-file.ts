// Files that flags name, read when the server starts.

import { readSmallFileSync } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import type { ReadFile } from "../base/start-files.ts";

/** Fails with StartError, naming flag and file. */
export function readFlagFile<T>(
  flag: string,
  path: string,
  parse: (text: string) => T,
  readStartFile: ReadFile = readSmallFileSync,
): T {
  try {
    return parse(readStartFile(path).toString("utf8"));
  } catch (error) {
    throw new StartError(`--${flag} ${path}: ${(error as Error).message}`);
  }
}
