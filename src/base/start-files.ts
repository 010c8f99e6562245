// Files that the server reads when it starts. Processes that serve as one must have the same ones, however late one of them
// starts, and whatever has become of the files: whoever was first hands on what it has read, and of those that are followed
// what is in force.

import { readSmallFileSync } from "./read-small-file.ts";

/** Reads a whole file, as `readSmallFileSync` does. */
export type ReadFile = (path: string, maxBytes?: number) => Buffer;

export class StartFiles {
  readonly #contents: Map<string, Uint8Array>;

  /** `handed`: what another process has read, by path. */
  constructor(handed: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#contents = new Map(handed);
  }

  /** Each file is read once. */
  readonly read: ReadFile = (path, maxBytes) => {
    const known = this.#contents.get(path);
    if (known !== undefined) return Buffer.from(known);
    const content = readSmallFileSync(path, maxBytes);
    this.#contents.set(path, content);
    return content;
  };

  /** By path, for others. */
  get contents(): ReadonlyMap<string, Uint8Array> {
    return this.#contents;
  }

  /** Files that have changed: their new content is in force. */
  keep(contents: ReadonlyMap<string, Uint8Array>): void {
    for (const [path, content] of contents) this.#contents.set(path, content);
  }

  /** Reads files as they are now. What comes of them is in force, unless it fails. */
  async anew<T>(load: (read: ReadFile) => Promise<T>): Promise<T> {
    const now = new StartFiles();
    const loaded = await load(now.read);
    this.keep(now.contents);
    return loaded;
  }
}
