// Reads of the LMDB tables at one revision: the newest published one, or any other inside the window.

import type { Revision, StoredEntry } from "../engine.ts";
import { compareBytes } from "../ordered-keys.ts";
import {
  decodeEntryRow,
  decodeHistoryKey,
  decodeRevision,
  encodeHistoryKey,
  endOfPrefix,
  historyPrefix,
} from "./rows.ts";
import { readMetaRevision, type Tables } from "./tables.ts";

/** So many rows of one key are stepped over before a seek is cheaper. */
const SEEK_AFTER_ROWS = 16;

export class SnapshotReader {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The entry as it stood at `revision`, whatever has been committed since. */
  get(key: string, revision: Revision): StoredEntry | undefined {
    const row = this.#tables.current.getBinary(key);
    if (row !== undefined && decodeRevision(row) <= revision) return decodeEntryRow(key, row);
    return this.#fromHistory(key, revision);
  }

  /** The entry now; only while no commit is under way. */
  getNewest(key: string): StoredEntry | undefined {
    const row = this.#tables.current.getBinary(key);
    return row === undefined ? undefined : decodeEntryRow(key, row);
  }

  /** What `current` holds, committed but perhaps not yet published. For the committer only. */
  committed(key: string): Buffer | undefined {
    return this.#tables.current.getBinary(key);
  }

  /** What a key held just before the commit `revision`. */
  previous(key: string, revision: Revision): StoredEntry | undefined {
    const row = this.#tables.history.getBinary(encodeHistoryKey(key, revision));
    return row === undefined ? undefined : decodeEntryRow(key, row);
  }

  /**
   * At most `limit` entries with `prefix`, strictly after `after`, as they stood at `revision`; none after their values have
   * `maxBytes`. Reads one LMDB snapshot.
   */
  entries(
    prefix: string,
    after: string | undefined,
    revision: Revision,
    limit: number,
    maxBytes: number,
  ): StoredEntry[] {
    const all =
      this.#snapshotRevision() === revision
        ? this.#currentEntries(prefix, after, limit)
        : merge(this.#oldCurrentEntries(prefix, after, revision), this.#historyEntries(prefix, after, revision));
    return take(all, limit, maxBytes);
  }

  /** How many keys `entries` would give without a limit. */
  count(prefix: string, after: string | undefined, revision: Revision): number {
    if (this.#snapshotRevision() === revision) {
      return this.#tables.current.getKeysCount(rangeBelow(Buffer.from(prefix), after && Buffer.from(after)));
    }
    let count = 0;
    for (const _ of this.#oldCurrentEntries(prefix, after, revision)) count++;
    for (const _ of this.#historyEntries(prefix, after, revision)) count++;
    return count;
  }

  /** The revision of the newest commit on disk: during a commit it may be ahead of the published one. */
  #snapshotRevision(): Revision | undefined {
    return readMetaRevision(this.#tables, "revision");
  }

  #fromHistory(key: string, revision: Revision): StoredEntry | undefined {
    const start = encodeHistoryKey(key, revision + 1);
    const end = encodeHistoryKey(key, Number.MAX_SAFE_INTEGER);
    for (const { value } of this.#tables.history.getRange({ start, end, limit: 1 })) {
      return decodeRevision(value) <= revision ? decodeEntryRow(key, value) : undefined;
    }
    return undefined;
  }

  *#currentEntries(prefix: string, after: string | undefined, limit: number): Generator<StoredEntry> {
    const range = rangeBelow(Buffer.from(prefix), after && Buffer.from(after));
    for (const { key, value } of this.#tables.current.getRange({ ...range, limit })) {
      yield decodeEntryRow(String(key), value);
    }
  }

  *#oldCurrentEntries(prefix: string, after: string | undefined, revision: Revision): Generator<StoredEntry> {
    const range = rangeBelow(Buffer.from(prefix), after && Buffer.from(after));
    for (const { key, value } of this.#tables.current.getRange(range)) {
      if (decodeRevision(value) <= revision) yield decodeEntryRow(String(key), value);
    }
  }

  /** The entries that were visible at `revision` and have been replaced since. */
  *#historyEntries(prefix: string, after: string | undefined, revision: Revision): Generator<StoredEntry> {
    const { end, start: firstOfPrefix } = rangeBelow(historyPrefix(prefix));
    let start = firstOfPrefix;
    if (after !== undefined && compareBytes(after, prefix) >= 0) {
      start = encodeHistoryKey(after, Number.MAX_SAFE_INTEGER);
    }
    for (let next: Buffer | undefined = start; next !== undefined; ) {
      next = yield* this.#historyRun(next, end, revision);
    }
  }

  /** Steps through history until a key with many rows makes a seek worthwhile; returns where to continue. */
  *#historyRun(start: Buffer, end: Buffer | undefined, revision: Revision): Generator<StoredEntry, Buffer | undefined> {
    let key: string | undefined;
    let decided = false;
    let skipped = 0;
    for (const bytes of this.#tables.history.getKeys(end === undefined ? { start } : { start, end })) {
      const row = decodeHistoryKey(bytes);
      if (row.key !== key) {
        key = row.key;
        decided = false;
        skipped = 0;
      }
      if (!decided && row.replacedAt > revision) {
        decided = true;
        const value = this.#tables.history.getBinary(bytes);
        if (value !== undefined && decodeRevision(value) <= revision) yield decodeEntryRow(key, value);
      } else if (++skipped >= SEEK_AFTER_ROWS) {
        return encodeHistoryKey(key, decided ? Number.MAX_SAFE_INTEGER : revision + 1);
      }
    }
    return undefined;
  }
}

interface KeyRange {
  readonly start: Buffer;
  readonly end?: Buffer;
  readonly exclusiveStart?: boolean;
}

function rangeBelow(prefix: Buffer, after?: Buffer | ""): KeyRange {
  const end = endOfPrefix(prefix);
  const startsLater = after !== undefined && after !== "" && Buffer.compare(after, prefix) >= 0;
  const start = startsLater ? after : prefix;
  return {
    // LMDB has no empty key: the first possible one stands for "from the beginning".
    start: start.length === 0 ? FIRST_KEY : start,
    ...(end === undefined ? {} : { end }),
    ...(startsLater ? { exclusiveStart: true } : {}),
  };
}

const FIRST_KEY = Buffer.from([0]);

/** Two streams in key order without common keys, as one. */
function* merge(left: Generator<StoredEntry>, right: Generator<StoredEntry>): Generator<StoredEntry> {
  try {
    let a = left.next();
    let b = right.next();
    while (a.done !== true || b.done !== true) {
      if (b.done === true || (a.done !== true && compareBytes(a.value.key, b.value.key) < 0)) {
        if (a.done !== true) yield a.value;
        a = left.next();
      } else {
        yield b.value;
        b = right.next();
      }
    }
  } finally {
    left.return(undefined);
    right.return(undefined);
  }
}

function take(entries: Generator<StoredEntry>, limit: number, maxBytes: number): StoredEntry[] {
  const taken: StoredEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    taken.push(entry);
    bytes += entry.value.length;
    if (taken.length >= limit || bytes >= maxBytes) break;
  }
  return taken;
}
