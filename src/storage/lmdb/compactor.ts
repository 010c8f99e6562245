// Removes history below the compacted revision, in steps small enough to ride along with the writers' commits.

import type { Revision } from "../engine.ts";
import type { StorageError } from "../storage-error.ts";
import type { HousekeepingStep } from "./committer.ts";
import { decodeLogRow, decodeRevision, encodeHistoryKey, encodeRevision } from "./rows.ts";
import { putMetaRevision, type Tables } from "./tables.ts";

const ROWS_PER_STEP = 250;
const FIRST_REVISION_KEY = encodeRevision(0);

export class Compactor {
  readonly #tables: Tables;
  /** Revisions at which lists are still being read. */
  readonly #pins = new Set<{ readonly revision: Revision }>();
  #compacted: Revision;
  #recorded: Revision;
  #waiting: Array<{ readonly resolve: () => void; readonly reject: (error: unknown) => void }> = [];

  constructor(tables: Tables, compacted: Revision) {
    this.#tables = tables;
    this.#compacted = compacted;
    this.#recorded = compacted;
  }

  /** Reads and watches below this revision are refused. */
  get compacted(): Revision {
    return this.#compacted;
  }

  /** Refuses older reads from now on. Resolves when that is on disk; rows vanish later, step by step. */
  request(revision: Revision): Promise<void> {
    this.#compacted = Math.max(this.#compacted, revision);
    if (this.#recorded >= revision) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Fails those who still wait: there will be no more steps. */
  abandon(error: StorageError): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Keeps what a read at this revision needs until the returned function is called. */
  pin(revision: Revision): () => void {
    const pin = { revision };
    this.#pins.add(pin);
    return () => this.#pins.delete(pin);
  }

  /** The next step, or undefined when there is nothing to do now. */
  step(): HousekeepingStep | undefined {
    // Rows go only after the revision that hides them is on disk: a crash must not uncover half of a history.
    if (this.#recorded < this.#compacted) return this.#recordStep(this.#compacted);
    const rows = this.#rowsUpTo(this.#removableUpTo());
    if (rows.length === 0) return undefined;
    return {
      write: () => {
        for (const row of rows) {
          this.#tables.log.remove(encodeRevision(row.revision));
          this.#tables.history.remove(encodeHistoryKey(row.key, row.revision));
        }
      },
      committed: () => undefined,
      failed: () => undefined,
    };
  }

  #recordStep(revision: Revision): HousekeepingStep {
    const waiting = this.#waiting.splice(0);
    return {
      write: () => putMetaRevision(this.#tables, "compacted", revision),
      committed: () => {
        this.#recorded = revision;
        for (const { resolve } of waiting) resolve();
      },
      failed: (error) => {
        for (const { reject } of waiting) reject(error);
      },
    };
  }

  #removableUpTo(): Revision {
    let limit = this.#recorded;
    for (const pin of this.#pins) limit = Math.min(limit, pin.revision);
    return limit;
  }

  #rowsUpTo(limit: Revision): Array<{ readonly revision: Revision; readonly key: string }> {
    const range = { start: FIRST_REVISION_KEY, end: encodeRevision(limit + 1), limit: ROWS_PER_STEP };
    const rows = [];
    for (const { key, value } of this.#tables.log.getRange(range)) {
      rows.push({ revision: decodeRevision(key), key: decodeLogRow(value).key });
    }
    return rows;
  }
}
