// Files that flags name, read when the server starts.

import { readSmallFileSync } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";

/** Fails with StartError, naming flag and file. */
export function readFlagFile<T>(flag: string, path: string, parse: (text: string) => T): T {
  try {
    return parse(readSmallFileSync(path).toString("utf8"));
  } catch (error) {
    throw new StartError(`--${flag} ${path}: ${(error as Error).message}`);
  }
}
