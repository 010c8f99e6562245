// The file of a container's log. Who may write to the folders of logs may have put something else in its place.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Whoever opens a pipe waits for ever otherwise. */
const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

/** Fails when it cannot be opened, or is no plain file. Some runtimes leave a link to it: `ownOnly` refuses those. */
export async function openLog(path: string, { ownOnly = false } = {}): Promise<FileHandle> {
  const file = await open(path, ownOnly ? AT_ONCE | constants.O_NOFOLLOW : AT_ONCE);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a plain file`);
}
