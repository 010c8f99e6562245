// Files that flags name.

import { readFileSync } from "node:fs";
import { CliError } from "./flags.ts";

/** Fails with CliError. */
export function fileText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}
