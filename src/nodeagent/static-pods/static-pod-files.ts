// The files of static pods, followed: told of at once where the system says so, and looked at every so often anyway.

import { type FSWatcher, watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { Pod } from "../../kinds/core/pod.ts";

interface StaticPodFilesOptions {
  readonly clock: Clock;
  /** A directory, or one file. */
  readonly path: string;
  readonly intervalMs: number;
  readonly read: (content: Uint8Array, file: string) => Pod;
  /** All pods that there are now; told of after the first look too when there are none. */
  readonly onPods: (pods: readonly Pod[]) => void;
  /** A file that holds no pod, told of once until it changes. */
  readonly onProblem: (file: string, error: unknown) => void;
}

/** Files beyond these are not read: a manifest has a few kilobytes. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 1_000;
/** Editors write in several strokes: a look waits until they are done. */
const SETTLE_MS = 50;

export class StaticPodFiles {
  readonly #options: StaticPodFilesOptions;
  readonly #loop: BackgroundLoop;
  /** What each file held when it was read last: a file is read anew when it has changed. Undefined before the first look. */
  #known: ReadonlyMap<string, Known> | undefined;
  #watcher: FSWatcher | undefined;

  constructor(options: StaticPodFilesOptions) {
    this.#options = options;
    this.#loop = new BackgroundLoop({
      clock: options.clock,
      settleMs: SETTLE_MS,
      everyMs: options.intervalMs,
      onError: (error) => options.onProblem(options.path, error),
      reconcile: async () => {
        await this.#look();
        return "done";
      },
    });
  }

  /** Resolves when the files have been read once. */
  async start(): Promise<void> {
    try {
      this.#watcher = watch(this.#options.path, { persistent: false }, () => this.#loop.enqueue());
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // Where the system cannot watch, the interval finds changes too.
    }
    await this.#loop.settle();
  }

  close(): void {
    this.#loop.close();
    this.#watcher?.close();
  }

  async #look(): Promise<void> {
    const next = new Map<string, Known>();
    for (const file of await filesAt(this.#options.path)) {
      const known = await this.#read(file);
      if (known !== undefined) next.set(file, known);
    }
    const before = this.#known;
    const changed = next.size !== before?.size || [...next].some(([file, known]) => before.get(file) !== known);
    this.#known = next;
    if (changed) this.#options.onPods([...next.values()].flatMap(({ pod }) => pod ?? []));
  }

  /** The same value as before when the file is. */
  async #read(file: string): Promise<Known | undefined> {
    const before = this.#known?.get(file);
    let content: Buffer;
    try {
      content = await readSmallFile(file, MAX_FILE_BYTES);
    } catch (error) {
      // Gone since the directory was read; anything else is told of.
      if (isMissing(error)) return undefined;
      this.#options.onProblem(file, error);
      return before;
    }
    if (before?.content.equals(content)) return before;
    try {
      return { content, pod: this.#options.read(content, file) };
    } catch (error) {
      this.#options.onProblem(file, error);
      return { content };
    }
  }
}

interface Known {
  readonly content: Buffer;
  readonly pod?: Pod;
}

/**
 * In the order of their names; those that begin with a dot are somebody's work in progress. Fails where it cannot be
 * known: pods of files that cannot be read now run on.
 */
async function filesAt(path: string): Promise<string[]> {
  const found = await kindOf(path);
  if (found === "nothing") return [];
  if (found !== "directory") return [path];
  const names = (await readdir(path)).filter((name) => !name.startsWith(".")).sort();
  const files: string[] = [];
  for (const name of names.slice(0, MAX_FILES)) {
    const file = join(path, name);
    // One that nobody can tell of is told of when it is read.
    if ((await kindOf(file).catch(() => "file")) === "file") files.push(file);
  }
  return files;
}

async function kindOf(path: string): Promise<"directory" | "file" | "other" | "nothing"> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return "directory";
    return found.isFile() ? "file" : "other";
  } catch (error) {
    if (isMissing(error)) return "nothing";
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
