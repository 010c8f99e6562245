// A file that only grows at its end, and is put aside when it is long enough.
//
//   audit.log                                   the present one
//   audit-2026-01-31T10-20-30.400.log           put aside then
//   audit-2026-01-31T09-00-00.000.log.gz        the same, compressed

import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { makeDirectory } from "../base/make-directory.ts";

interface RotatingFileOptions {
  readonly path: string;
  /** 0: it grows for ever. */
  readonly maxSizeBytes: number;
  /** Files that were put aside; 0 keeps all. */
  readonly maxBackups: number;
  /** 0 keeps them for ever. */
  readonly maxAgeMs: number;
  readonly compress: boolean;
  readonly nowMs: () => number;
  readonly onError: (error: Error) => void;
}

/** What is waiting to be written beyond this is refused: the disk does not keep up. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** What waits beyond this goes with a further write. */
const MAX_WRITE_CHARS = 4 * 1024 * 1024;
/** Events hold who did what: nobody else's business. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

interface WaitingLine {
  readonly text: string;
  readonly written: () => void;
  readonly lost: (error: unknown) => void;
}

export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #handle: FileHandle | undefined;
  #sizeBytes = 0;
  /** It ends in the middle of a line: the disk was full, or a process ended. */
  #isCut = false;
  #waiting: WaitingLine[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #tidied: Promise<void> = Promise.resolve();

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /** Makes the file and its folder where there are none. Fails when nothing could be written. */
  async make(): Promise<void> {
    await makeDirectory(dirname(this.#options.path), FOLDER_MODE);
    await this.#opened();
    await this.#reopenLater();
  }

  /** Lines that are written in one turn share one write, and fail with it. */
  append(line: string): Promise<void> {
    if (this.#waitingBytes > MAX_WAITING_BYTES) return Promise.reject(new Error("too much is waiting to be written"));
    return new Promise((written, lost) => {
      this.#waiting.push({ text: line, written, lost });
      this.#waitingBytes += line.length;
      // What comes while a write is under way goes with the next one.
      this.#writing ??= Promise.resolve().then(() => this.#write());
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
    // The process may end after this: no file is left half compressed.
    await this.#tidied;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#nextLines();
      try {
        await this.#writeBytes(Buffer.from(lines.map(({ text }) => text).join("")));
        for (const { written } of lines) written();
      } catch (error) {
        for (const { lost } of lines) lost(error);
        await this.#reopenLater();
      }
    }
    this.#writing = undefined;
  }

  /** Those that one write takes, one at least. */
  #nextLines(): WaitingLine[] {
    let count = 0;
    let chars = 0;
    do chars += this.#waiting[count++]!.text.length;
    while (chars + (this.#waiting[count]?.text.length ?? Number.POSITIVE_INFINITY) <= MAX_WRITE_CHARS);
    this.#waitingBytes -= chars;
    return this.#waiting.splice(0, count);
  }

  async #writeBytes(bytes: Uint8Array): Promise<void> {
    const { maxSizeBytes } = this.#options;
    let handle = await this.#opened();
    if (maxSizeBytes > 0 && this.#sizeBytes > 0 && this.#sizeBytes + bytes.length > maxSizeBytes) {
      await this.#putAside();
      handle = await this.#opened();
    }
    // What comes next must not be unreadable with what was cut.
    const whole = this.#isCut ? Buffer.concat([END_OF_LINE, bytes]) : bytes;
    await handle.appendFile(whole);
    this.#isCut = false;
    this.#sizeBytes += whole.length;
  }

  /** What stands in it is found out then. */
  async #reopenLater(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  async #opened(): Promise<FileHandle> {
    if (this.#handle === undefined) {
      const { path } = this.#options;
      this.#handle = await open(path, "a", FILE_MODE);
      const found = await this.#handle.stat();
      this.#sizeBytes = found.size;
      this.#isCut = found.isFile() && found.size > 0 && !(await endsWithLine(path, found.size));
    }
    return this.#handle;
  }

  async #putAside(): Promise<void> {
    const { path, compress, nowMs, onError } = this.#options;
    await this.#handle?.close();
    this.#handle = undefined;
    const time = new Date(nowMs()).toISOString().replaceAll(":", "-").replace("Z", "");
    const aside = join(dirname(path), `${stem(path)}-${time}${extname(path)}`);
    await rename(path, aside);
    // Nobody waits for the tidying; one after the other, so that none removes what another is compressing.
    this.#tidied = this.#tidied
      .then(() => (compress ? compressFile(aside) : undefined))
      .then(() => this.#removeOld())
      .catch(onError);
  }

  async #removeOld(): Promise<void> {
    const { path, maxBackups, maxAgeMs, nowMs } = this.#options;
    const prefix = `${stem(path)}-`;
    const names = (await readdir(dirname(path)))
      .map((name) => ({ name, atMs: timeIn(name, prefix, extname(path)) }))
      .filter(({ atMs }) => atMs !== undefined)
      .sort((a, b) => b.atMs! - a.atMs!);
    for (const [index, { name, atMs }] of names.entries()) {
      const tooMany = maxBackups > 0 && index >= maxBackups;
      const tooOld = maxAgeMs > 0 && atMs! < nowMs() - maxAgeMs;
      if (tooMany || tooOld) await rm(join(dirname(path), name), { force: true });
    }
  }
}

const END_OF_LINE = Buffer.from("\n");

async function endsWithLine(path: string, sizeBytes: number): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined);
  // Whoever may only write cannot tell.
  if (file === undefined) return true;
  try {
    const last = Buffer.alloc(END_OF_LINE.length);
    await file.read(last, 0, last.length, sizeBytes - last.length);
    return last.equals(END_OF_LINE);
  } finally {
    await file.close();
  }
}

const stem = (path: string): string => basename(path, extname(path));

function timeIn(name: string, prefix: string, extension: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length);
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})(.*)$/.exec(rest);
  if (match === null || (match[5] !== extension && match[5] !== `${extension}.gz`)) return undefined;
  return Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
}

async function compressFile(path: string): Promise<void> {
  await pipeline(createReadStream(path), createGzip(), createWriteStream(`${path}.gz`, { mode: FILE_MODE }));
  await rm(path);
}
