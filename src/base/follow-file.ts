// The content of a file as it changes: told of at once where the system says so, and looked at every so often anyway.

import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { BackgroundLoop } from "./background-loop.ts";
import type { Clock } from "./clock.ts";
import { readSmallFile } from "./read-small-file.ts";

interface FollowOptions {
  readonly clock: Clock;
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
  readonly #watcher: FSWatcher | undefined;
  readonly #loop: BackgroundLoop;

  constructor(path: string, { clock, known, intervalMs, onContent, onError }: FollowOptions) {
    this.#path = path;
    let last = known;
    this.#loop = new BackgroundLoop({
      clock,
      settleMs: SETTLE_MS,
      everyMs: intervalMs,
      onError: (error) => onError(error as Error),
      reconcile: async () => {
        const content = await readSmallFile(path);
        if (this.#loop.closed || Buffer.compare(content, last) === 0) return "done";
        last = content;
        onContent(content);
        return "done";
      },
    });
    this.#loop.enqueue("", intervalMs);
    this.#watcher = this.#watchFolder();
  }

  /** Reads the file now. */
  look(): Promise<void> {
    return this.#loop.settle();
  }

  close(): void {
    this.#loop.close();
    this.#watcher?.close();
  }

  /** The folder and not the file: a file that is replaced by another of its name must not be lost. */
  #watchFolder(): FSWatcher | undefined {
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, () => this.#loop.enqueue());
      // Where the system cannot watch, the interval finds changes too.
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }
}
