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
/** A stretch ends after so many rows that were looked at, whether they are entries of it or not, or so many bytes of them. */
const ROWS_PER_STRETCH = 500;
const BYTES_PER_STRETCH = 1024 * 1024;
/** LMDB itself counts, and does so quickly. */
const KEYS_PER_COUNT = 5_000;

/** A part of a list. */
interface Stretch {
  readonly entries: readonly StoredEntry[];
  /** What follows begins after this key; undefined when nothing does. */
  readonly until: string | undefined;
}

interface CountedStretch {
  readonly count: number;
  readonly until: string | undefined;
}

/** A row that was looked at, with its entry where that is the one that was visible. */
interface Row {
  readonly key: string;
  readonly entry: StoredEntry | undefined;
  readonly bytes: number;
}

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
   * The first entries with `prefix`, strictly after `after`, as they stood at `revision`: at most `limit`, and as many as are found
   * within bounded work. Reads one LMDB snapshot.
   */
  stretch(prefix: string, after: string | undefined, revision: Revision, limit: number): Stretch {
    const current = this.#currentRows(prefix, after, revision);
    const rows = this.#isNewest(revision) ? current : merge(current, this.#historyRows(prefix, after, revision));
    const entries: StoredEntry[] = [];
    let [until, looked, bytes]: [string | undefined, number, number] = [undefined, 0, 0];
    for (const { key, entry, bytes: ofRow } of rows) {
      // One key may have several rows, of which one at most is the entry.
      const isNext = key !== until;
      if (isNext && (entries.length >= limit || looked >= ROWS_PER_STRETCH || bytes >= BYTES_PER_STRETCH))
        return { entries, until };
      until = key;
      looked += 1;
      bytes += ofRow;
      if (entry !== undefined) entries.push(entry);
    }
    return { entries, until: undefined };
  }

  /** How many entries a stretch without a limit has; where nothing has changed since, without reading them. */
  countStretch(prefix: string, after: string | undefined, revision: Revision): CountedStretch {
    if (!this.#isNewest(revision)) {
      const { entries, until } = this.stretch(prefix, after, revision, Number.POSITIVE_INFINITY);
      return { count: entries.length, until };
    }
    const range = rangeBelow(Buffer.from(prefix), after && Buffer.from(after));
    const { current } = this.#tables;
    for (const key of current.getKeys({ ...range, offset: KEYS_PER_COUNT, limit: 1 }))
      return { count: KEYS_PER_COUNT + 1, until: String(key) };
    return { count: current.getKeysCount(range), until: undefined };
  }

  /** Whether what is on disk now is what stood at `revision`: during a commit it may be ahead of what is published. */
  #isNewest(revision: Revision): boolean {
    return readMetaRevision(this.#tables, "revision") === revision;
  }

  #fromHistory(key: string, revision: Revision): StoredEntry | undefined {
    const start = encodeHistoryKey(key, revision + 1);
    const end = encodeHistoryKey(key, Number.MAX_SAFE_INTEGER);
    for (const { value } of this.#tables.history.getRange({ start, end, limit: 1 })) {
      return decodeRevision(value) <= revision ? decodeEntryRow(key, value) : undefined;
    }
    return undefined;
  }

  *#currentRows(prefix: string, after: string | undefined, revision: Revision): Generator<Row> {
    const range = rangeBelow(Buffer.from(prefix), after && Buffer.from(after));
    for (const { key, value } of this.#tables.current.getRange(range)) {
      yield rowOf(String(key), value, revision);
    }
  }

  /** With the entries that were visible at `revision` and have been replaced since. */
  *#historyRows(prefix: string, after: string | undefined, revision: Revision): Generator<Row> {
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
  *#historyRun(start: Buffer, end: Buffer | undefined, revision: Revision): Generator<Row, Buffer | undefined> {
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
        yield rowOf(key, this.#tables.history.getBinary(bytes), revision);
        continue;
      }
      yield { key, entry: undefined, bytes: 0 };
      if (++skipped >= SEEK_AFTER_ROWS) {
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

function rowOf(key: string, value: Uint8Array | undefined, revision: Revision): Row {
  const isVisible = value !== undefined && decodeRevision(value) <= revision;
  return { key, entry: isVisible ? decodeEntryRow(key, value) : undefined, bytes: value?.length ?? 0 };
}

/** Two streams in key order, as one. */
function* merge(left: Generator<Row>, right: Generator<Row>): Generator<Row> {
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
