// Keys with a ttl: finds those whose time is up and has them deleted like any other key.

import type { Clock, Timer } from "../../base/clock.ts";
import { afterThisTurn } from "../../base/next-turn.ts";
import type { Revision } from "../engine.ts";
import { isStorageError } from "../storage-error.ts";
import type { HousekeepingStep } from "./committer.ts";
import { decodeExpiryKey, encodeExpiryKey } from "./rows.ts";
import type { Tables } from "./tables.ts";

const ROWS_PER_SWEEP = 500;
const FIRST_ROW = encodeExpiryKey(0, 0);

interface ExpiryDeps {
  readonly tables: Tables;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Deletes the key if it is still at this revision, like any writer. */
  readonly delete: (key: string, expected: Revision) => Promise<Revision>;
  readonly requestHousekeeping: () => void;
}

export class Expiry {
  readonly #deps: ExpiryDeps;
  readonly #timer: Timer;
  #sweeping = false;
  #stopped = false;
  /** Rows of `expiry` that have been dealt with and wait to be removed. */
  #done: Buffer[] = [];

  constructor(deps: ExpiryDeps) {
    this.#deps = deps;
    this.#timer = deps.clock.every(deps.intervalMs, () => void this.sweep());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer.cancel();
  }

  /** Deletes some of what has expired by the clock. What fails now is found again by the next sweep. */
  async sweep(): Promise<void> {
    if (this.#sweeping || this.#stopped) return;
    // Also when their removal was asked for: other housekeeping may have failed before it came to that.
    if (this.#done.length > 0) return this.#deps.requestHousekeeping();
    const due = this.#due();
    if (due.length === 0) return;
    this.#sweeping = true;
    await Promise.all(due.map((row) => this.#expire(row)));
    this.#sweeping = false;
    if (this.#done.length > 0) this.#deps.requestHousekeeping();
  }

  /** Removes the rows that have been dealt with. */
  step(): HousekeepingStep | undefined {
    if (this.#done.length === 0) return undefined;
    const rows = this.#done;
    return {
      write: () => {
        for (const row of rows) this.#deps.tables.expiry.remove(row);
      },
      committed: () => {
        this.#done = [];
        // There may be more than one sweep takes.
        if (rows.length >= ROWS_PER_SWEEP) afterThisTurn(() => void this.sweep());
      },
      failed: () => {
        this.#done = [];
      },
    };
  }

  #due(): Array<{ readonly row: Buffer; readonly key: string }> {
    const end = encodeExpiryKey(this.#deps.clock.nowMs() + 1, 0);
    const range = { start: FIRST_ROW, end, limit: ROWS_PER_SWEEP };
    try {
      return [...this.#deps.tables.expiry.getRange(range)].map(({ key, value }) => ({
        row: Buffer.from(key),
        key: value.toString("utf8"),
      }));
    } catch {
      // A store that cannot be read says so to everybody who has asked for something.
      return [];
    }
  }

  async #expire({ row, key }: { readonly row: Buffer; readonly key: string }): Promise<void> {
    try {
      await this.#deps.delete(key, decodeExpiryKey(row).revision);
      this.#done.push(row);
    } catch (error) {
      // Deleted or written again since: that write has its own row, or none.
      if (isStorageError(error, "KeyNotFound", "RevisionMismatch")) this.#done.push(row);
    }
  }
}
