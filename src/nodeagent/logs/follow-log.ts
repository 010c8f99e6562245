// The lines of a container's log, to where the file ended when they were asked for, or as long as the container runs. A file
// that is rotated away is read to its end, then the new one from its beginning.

import type { FSWatcher } from "node:fs";
import { watch } from "node:fs";
import { type FileHandle, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { type LogLine, parseLogLine } from "./log-line.ts";
import { tailOffset } from "./log-tail.ts";
import { openLog } from "./open-log.ts";

interface FollowLogOptions {
  readonly path: string;
  readonly tailLines: number | undefined;
  readonly follow: boolean;
  /** Asked at the end of the file: once it is false, what has been written is all there will be. */
  readonly isRunning: () => Promise<boolean>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const READ_BYTES = 64 * 1024;
/** A runtime splits longer lines itself; one that does not is cut. */
const MAX_LINE_BYTES = 1024 * 1024;
/** How often the end of a file is looked at where the system does not tell of changes. */
const LOOK_EVERY_MS = 1_000;
const NEWLINE = 0x0a;

/** Ends with the signal too. Fails when the file cannot be opened. */
export async function* followLog(options: FollowLogOptions): AsyncGenerator<LogLine, void> {
  const { path, follow, isRunning, signal } = options;
  let file = await openLog(path);
  const changes = follow ? new Changes(path) : undefined;
  try {
    const { size } = await file.stat();
    const reader = new LineReader(
      options.tailLines === undefined ? 0 : await tailOffset(file, size, options.tailLines),
      // What is written meanwhile would make the last lines more than were asked for, and may never end.
      follow ? Number.POSITIVE_INFINITY : size,
    );
    for (;;) {
      // Asked before the last read: what was written until then is read.
      const goesOn = follow && !signal.aborted && (await isRunning());
      for await (const line of reader.lines(file)) {
        if (signal.aborted) return;
        yield line;
      }
      const next = follow ? await rotated(file, path) : undefined;
      if (next !== undefined) {
        const old = file;
        file = next;
        try {
          // What came between the last read and the rotation is in no other file.
          yield* reader.lines(old);
        } finally {
          await old.close();
        }
        reader.restart();
        continue;
      }
      if (!goesOn) return;
      await changes?.next(options.clock, signal);
    }
  } finally {
    changes?.close();
    await file.close();
  }
}

/** The file that now has the path, when it is another one. */
async function rotated(file: FileHandle, path: string): Promise<FileHandle | undefined> {
  const [own, now] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  if (now === undefined || now.ino === own.ino) return undefined;
  return await openLog(path).catch(() => undefined);
}

class LineReader {
  #offset: number;
  readonly #endOffset: number;
  #rest = Buffer.alloc(0);
  readonly #chunk = Buffer.alloc(READ_BYTES);

  /** Lines that begin at `endOffset` or after it are not read. */
  constructor(offset: number, endOffset: number) {
    this.#offset = offset;
    this.#endOffset = endOffset;
  }

  restart(): void {
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
  }

  /** The whole lines from where the last call ended. */
  async *lines(file: FileHandle): AsyncGenerator<LogLine, void> {
    for (;;) {
      const { bytesRead } = await file.read(this.#chunk, 0, READ_BYTES, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      let data = Buffer.concat([this.#rest, this.#chunk.subarray(0, bytesRead)]);
      for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE)) {
        if (this.#offset - data.length >= this.#endOffset) return;
        const line = parseLogLine(data.subarray(0, end));
        if (line !== undefined) yield line;
        data = data.subarray(end + 1);
      }
      this.#rest = data.length > MAX_LINE_BYTES ? Buffer.alloc(0) : Buffer.from(data);
    }
  }
}

/** Tells that something happened to a file; the folder is watched, because rotation replaces the file. */
class Changes {
  readonly #watcher: FSWatcher | undefined;
  #wake: () => void = () => undefined;

  constructor(path: string) {
    try {
      this.#watcher = watch(dirname(path), { persistent: false }, () => this.#wake());
      this.#watcher.on("error", () => undefined);
    } catch {
      // Too many watches: the clock alone has to do.
      this.#watcher = undefined;
    }
  }

  /** Waits for a change, at most for a moment. */
  async next(clock: Clock, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        timer.cancel();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = clock.setTimer(LOOK_EVERY_MS, done);
      this.#wake = done;
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }

  close(): void {
    this.#watcher?.close();
  }
}
