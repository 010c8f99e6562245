// Files that flags name, read when the server starts.

import { readFileSync } from "node:fs";
import { StartError } from "../base/start-error.ts";

/** Fails with StartError, naming flag and file. */
export function readFlagFile<T>(flag: string, path: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new StartError(`--${flag} ${path}: ${(error as Error).message}`);
  }
}
