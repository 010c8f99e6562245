// Keeps the log of a container from filling the disk: a log that is too large is put aside and begun anew, older ones are
// compressed, and only so many are kept.
//
//   main/0.log                        what the runtime writes to
//   main/0.log.20300101-000000        put aside last
//   main/0.log.20291231-235900.gz     before that

import { createWriteStream, type Dirent } from "node:fs";
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { openLog } from "./open-log.ts";

interface RotateOptions {
  readonly maxBytes: number;
  /** With the one that is written to. */
  readonly maxFiles: number;
  readonly nowMs: number;
  /** Has the runtime open the log anew. */
  readonly reopen: () => Promise<void>;
}

/** Says whether the log was put aside. What is no plain file, a link for instance, is somebody else's to look after. */
export async function rotateLog(log: string, { maxBytes, maxFiles, nowMs, reopen }: RotateOptions): Promise<boolean> {
  const found = await lstat(log).catch(() => undefined);
  if (!found?.isFile() || found.size <= maxBytes) return false;
  await tidy(log, maxFiles);
  const aside = `${log}.${stamp(nowMs)}`;
  await rename(log, aside);
  try {
    await reopen();
  } catch (error) {
    // The runtime goes on writing to the same file: it must be found under its name.
    await rename(aside, log);
    throw error;
  }
  return true;
}

/** Room for one more: the one that is put aside next stays as it is, those before it are compressed. */
async function tidy(log: string, maxFiles: number): Promise<void> {
  const folder = dirname(log);
  const prefix = `${basename(log)}.`;
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) => entry.name.startsWith(prefix) && !entry.isDirectory(),
  );
  const isLog = (entry: Dirent) => entry.isFile() && !entry.name.endsWith(".tmp");
  const unfit = entries.filter((entry) => !isLog(entry)).map(({ name }) => name);
  const kept = entries
    .filter(isLog)
    .map(({ name }) => name)
    .sort();
  const old = kept.slice(0, Math.max(0, kept.length - Math.max(0, maxFiles - 2)));
  for (const name of [...unfit, ...old]) await rm(join(folder, name), { force: true });
  for (const name of kept.slice(old.length)) if (!name.endsWith(".gz")) await compress(join(folder, name));
}

/** Neither what it reads nor what it writes may be a link, however late that was put there. */
async function compress(file: string): Promise<void> {
  const unfinished = `${file}.tmp`;
  const source = await openLog(file, { ownOnly: true });
  await pipeline(source.createReadStream(), createGzip(), createWriteStream(unfinished, { flags: "wx", mode: 0o640 }));
  await rename(unfinished, `${file}.gz`);
  await rm(file, { force: true });
}

/** In the order of time: 20300101-000000. */
function stamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
}
