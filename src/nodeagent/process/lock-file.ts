// The lock file: of two agents with the same one, the second waits. Requirements: document 3, "Node-agent local files and
// sockets" (lock file). The kernel keeps the lock (flock) with the open file, so that it ends with the process, however
// that ends. Node has no call for it: the `flock` tool locks the open file that it is handed, and the lock stays with it.

import { spawn } from "node:child_process";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import type { Clock, Timer } from "../../base/clock.ts";
import { StartError } from "../../base/start-error.ts";

const CONTENTION_LOOK_MS = 500;

export class LockFile {
  readonly #path: string;
  readonly #file: FileHandle;
  #watching: Timer | undefined;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Waits for as long as another process has it; `onWait` is told then. Fails with StartError. */
  static async acquire(
    path: string,
    options: { readonly signal: AbortSignal; readonly onWait: () => void },
  ): Promise<LockFile> {
    const file = await open(path, "a+", 0o600).catch((error: Error) => {
      throw new StartError(`--lock-file: ${error.message}`);
    });
    try {
      if (!(await lock(file, ["--nonblock"], options.signal))) {
        options.onWait();
        await lock(file, [], options.signal);
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    return new LockFile(path, file);
  }

  /** Calls back once when another process waits for the lock, or the file is replaced or removed. */
  onContention(clock: Clock, contended: () => void): void {
    const look = async () => {
      if (!(await this.#isContended()) || this.#watching === undefined) return;
      this.#watching.cancel();
      this.#watching = undefined;
      contended();
    };
    this.#watching = clock.every(CONTENTION_LOOK_MS, () => void look());
  }

  async release(): Promise<void> {
    this.#watching?.cancel();
    this.#watching = undefined;
    await this.#file.close();
  }

  async #isContended(): Promise<boolean> {
    const [own, now] = await Promise.all([this.#file.stat(), stat(this.#path).catch(() => undefined)]);
    if (now === undefined || now.ino !== own.ino) return true;
    return isWaitedFor(await readFile("/proc/locks", "utf8").catch(() => ""), own.ino);
  }
}

/** Lines of those who wait look like "2: -> FLOCK  ADVISORY  WRITE 6560 fe:00:5327100 0 EOF". */
export function isWaitedFor(locks: string, inode: number): boolean {
  return locks.split("\n").some((line) => /^\d+:\s*->\s*FLOCK\b/.test(line) && line.includes(`:${inode} `));
}

/** Whether the lock was had; false only with --nonblock. */
function lock(file: FileHandle, flags: readonly string[], signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // The file arrives as descriptor 3 of the tool.
    const child = spawn("flock", ["--exclusive", ...flags, "3"], {
      stdio: ["ignore", "ignore", "ignore", file.fd],
      signal,
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(signal.reason);
      else reject(new StartError(`--lock-file needs the tool flock of util-linux: ${error.message}`));
    });
    child.on("exit", (code) =>
      code === 0 || code === 1 ? resolve(code === 0) : reject(new StartError("--lock-file: flock failed")),
    );
  });
}
