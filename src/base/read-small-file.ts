// A file that is read whole while everybody waits for it, and that others may have put something else in the place of.

import { readFile, stat } from "node:fs/promises";

/** Fails unless it is a plain file of at most so many bytes: a pipe would be waited for without end. */
export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error(`${path} is not a plain file`);
  if (found.size > maxBytes) throw new Error(`${path} has ${found.size} bytes, more than ${maxBytes}`);
  return readFile(path);
}
