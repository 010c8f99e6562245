import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { isWaitedFor, LockFile } from "./lock-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const acquire = (path: string, options: { signal?: AbortSignal; onWait?: () => void } = {}) =>
  LockFile.acquire(path, {
    signal: options.signal ?? new AbortController().signal,
    onWait: options.onWait ?? (() => undefined),
  });

describe("a lock file", () => {
  it("keeps a second holder waiting until the first has released it", async () => {
    const path = join(folder, "lock");
    const first = await acquire(path);
    let waits: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    const second = acquire(path, { onWait: waits });
    await waiting;
    await first.release();
    await (await second).release();
  });

  it("is no matter to holders of another one", async () => {
    const locks = await Promise.all([acquire(join(folder, "a")), acquire(join(folder, "b"))]);
    await Promise.all(locks.map((lock) => lock.release()));
  });

  it("is not waited for any more once the signal is aborted", async () => {
    const path = join(folder, "lock");
    const first = await acquire(path);
    const stop = new AbortController();
    const second = acquire(path, { signal: stop.signal, onWait: () => stop.abort(new Error("given up")) });
    await expect(second).rejects.toThrow("given up");
    await first.release();
  });

  it("tells its holder that another process waits for it", async () => {
    const path = join(folder, "lock");
    const lock = await acquire(path);
    const contended = new Promise<void>((resolve) => lock.onContention(systemClock, resolve));
    const other = spawn("flock", ["--exclusive", path, "true"], { stdio: "ignore" });
    await contended;
    await lock.release();
    await new Promise((resolve) => other.on("exit", resolve));
  });

  it("names the flag when it cannot be made", async () => {
    await expect(acquire(join(folder, "none/lock"))).rejects.toThrow(/^--lock-file: ENOENT/);
  });
});

describe("the kernel's list of locks", () => {
  const locks =
    "1: FLOCK  ADVISORY  WRITE 8315 fe:00:5464173 0 EOF\n2: FLOCK  ADVISORY  WRITE 5062 fe:00:77 0 EOF\n2: -> FLOCK  ADVISORY  WRITE 6560 fe:00:77 0 EOF\n";
  it("shows who waits", () => {
    expect(isWaitedFor(locks, 77)).toBe(true);
    expect(isWaitedFor(locks, 5464173)).toBe(false);
    expect(isWaitedFor(locks, 7)).toBe(false);
  });
});
