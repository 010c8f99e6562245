// The content of a file as it changes: told of at once where the system says so, and looked at every so often anyway.

import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

export interface FollowOptions {
  /** The content that is known already: only others are reported. */
  readonly known: Uint8Array;
  readonly intervalMs: number;
  readonly onContent: (content: Uint8Array) => void;
  /** The file could not be read; what was read last stays good. */
  readonly onError: (error: Error) => void;
}

/** Editors and mounts write in several strokes: a look waits until they are done. */
const SETTLE_MS = 50;

/** Ends with close(). */
export class FollowedFile {
  readonly #path: string;
  readonly #options: FollowOptions;
  readonly #watcher: FSWatcher | undefined;
  readonly #timer: NodeJS.Timeout;
  #last: Uint8Array;
  #pending: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(path: string, options: FollowOptions) {
    this.#path = path;
    this.#options = options;
    this.#last = options.known;
    this.#timer = setInterval(() => void this.look(), options.intervalMs).unref();
    this.#watcher = this.#watchFolder();
  }

  /** Reads the file now. */
  async look(): Promise<void> {
    let content: Uint8Array;
    try {
      content = await readFile(this.#path);
    } catch (error) {
      if (!this.#closed) this.#options.onError(error as Error);
      return;
    }
    if (this.#closed || Buffer.compare(content, this.#last) === 0) return;
    this.#last = content;
    this.#options.onContent(content);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#pending);
    this.#watcher?.close();
  }

  /** The folder and not the file: a file that is replaced by another of its name must not be lost. */
  #watchFolder(): FSWatcher | undefined {
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, () => {
        this.#pending ??= setTimeout(() => {
          this.#pending = undefined;
          void this.look();
        }, SETTLE_MS).unref();
      });
      // Where the system cannot watch, the interval finds changes too.
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }
}
