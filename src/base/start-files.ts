// Files that are read when the server starts and are not followed. Processes that serve as one must have the same ones, however
// late one of them starts: whoever was first hands on what it has read.

import { readSmallFileSync } from "./read-small-file.ts";

/** Reads a whole file, as `readSmallFileSync` does. */
export type ReadFile = (path: string, maxBytes?: number) => Buffer;

export class StartFiles {
  readonly #read = new Map<string, Buffer>();
  #handed: ReadonlyMap<string, Uint8Array>;

  /** `handed`: what another process has read, by path. */
  constructor(handed: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#handed = handed;
  }

  readonly read: ReadFile = (path, maxBytes) => {
    const handed = this.#handed.get(path);
    if (handed !== undefined) return Buffer.from(handed);
    const content = readSmallFileSync(path, maxBytes);
    this.#read.set(path, content);
    return content;
  };

  /** By path: what this process has read last, for others. */
  get contents(): ReadonlyMap<string, Uint8Array> {
    return this.#read;
  }

  /** From now on files are read as they are: by those who read again what a changed configuration names. */
  startIsOver(): void {
    this.#handed = new Map();
  }
}
