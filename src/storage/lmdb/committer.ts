// Group commit: writers that wait together share one transaction and one sync. Compares, numbers, commits, publishes.
//
//   submit  submit  submit ──┐ while a commit is under way, writers queue
//                            ▼
//   judge each against the committed state and the batch so far -> revision or refusal
//   one LMDB transaction, synced                                 -> nothing is answered before
//   publish the changes in revision order, then answer the writers
//
// The process owns the data directory (owner-lock.ts), and one batch is under way at a time: the state that a batch is
// judged against cannot change before it commits.

import { afterThisTurn, nextTurn } from "../../base/next-turn.ts";
import type { Change, Revision, StoredEntry } from "../engine.ts";
import { guardGone, StorageError } from "../storage-error.ts";
import { isGivenUp, SMALL_COMMIT_BYTES, translateLmdbError } from "./lmdb-errors.ts";
import {
  decodeEntryRow,
  encodeEntryRow,
  encodeExpiryKey,
  encodeHistoryKey,
  encodeLogRow,
  encodeRevision,
} from "./rows.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import { putMetaRevision, readMetaRevision, type Tables } from "./tables.ts";

const MAX_QUEUED_WRITES = 20_000;
const MAX_QUEUED_BYTES = 512 * 1024 ** 2;
const MAX_BATCH_WRITES = 2_000;
const MAX_BATCH_BYTES = 32 * 1024 ** 2;
/** How often a batch is begun that LMDB gives up before anything of it is written. */
const MAX_TRIES = 3;
/**
 * What stays free beyond what is written. Creates are refused first: with what is left then, leases are renewed, deletions are
 * noted, carried out and compacted, and there comes to be room again. LMDB must not find out by itself that there is none: it
 * reports that in a buffer that may be too short.
 */
const FREE_AFTER_CREATE_BYTES = 8 * 1024 ** 2;
const FREE_AFTER_UPDATE_BYTES = 4 * 1024 ** 2;
/** A value is kept as the newest and in the history, in pages of which a part stays empty. */
const BYTES_PER_BYTE = 4;

interface PendingWrite {
  readonly key: string;
  /** Undefined deletes. */
  readonly value: Uint8Array | undefined;
  /** The revision that the key must have; undefined: it must not exist. */
  readonly expected: Revision | undefined;
  /** A key that must be there. */
  readonly guard?: string | undefined;
  readonly expiresAtMs?: number | undefined;
  readonly attachment?: unknown;
}

/** One small step of housekeeping that rides along with a commit. */
export interface HousekeepingStep {
  write(): void;
  committed(): void;
  failed(error: StorageError): void;
}

interface CommitterDeps {
  readonly tables: Tables;
  readonly reader: SnapshotReader;
  /** The next step, or undefined when there is nothing to do. */
  readonly housekeeping: () => HousekeepingStep | undefined;
  /** Called in revision order, synchronously, when the change is durable and before its writer is answered. */
  readonly publish: (change: Change) => void;
  /** Called when no more writes can be taken, ever. */
  readonly lost: (error: StorageError) => void;
}

interface Queued {
  readonly request: PendingWrite;
  readonly resolve: (revision: Revision) => void;
  readonly reject: (error: unknown) => void;
}

interface Acceptance {
  readonly change: Change;
  /** The new row, undefined for a delete, and the one that it replaces. */
  readonly row: Buffer | undefined;
  readonly replaced: Buffer | undefined;
}

interface Verdict {
  readonly queued: Queued;
  readonly outcome: Acceptance | { readonly refusal: StorageError };
}

export class Committer {
  readonly #deps: CommitterDeps;
  #queue: Queued[] = [];
  #queuedBytes = 0;
  #revision: Revision;
  #scheduled = false;
  #running: Promise<void> | undefined;
  #housekeepingWanted = false;
  #draining = false;
  #failure: StorageError | undefined;

  constructor(deps: CommitterDeps, revision: Revision) {
    this.#deps = deps;
    this.#revision = revision;
  }

  /** Whether a batch is being written: what LMDB shows may then be ahead of what was published. */
  get committing(): boolean {
    return this.#running !== undefined;
  }

  /** Why no more writes are taken; undefined as long as they are. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  submit(request: PendingWrite): Promise<Revision> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const sizeBytes = request.value?.length ?? 0;
    if (this.#queue.length >= MAX_QUEUED_WRITES || this.#queuedBytes + sizeBytes > MAX_QUEUED_BYTES) {
      return Promise.reject(new StorageError("Unavailable", "too many writes are waiting for the disk"));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#queuedBytes += sizeBytes;
      this.#schedule();
    });
  }

  /** Has housekeeping run soon, with the next batch or alone. */
  requestHousekeeping(): void {
    if (this.#draining || this.#failure !== undefined) return;
    this.#housekeepingWanted = true;
    this.#schedule();
  }

  /** Ends housekeeping; resolves when everything that was submitted has been answered. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#queue.length > 0 || this.#running !== undefined) {
      await (this.#running ?? nextTurn());
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#running !== undefined) return;
    this.#scheduled = true;
    // At the end of this event turn, so that all who arrived in it share the commit.
    afterThisTurn(() => {
      this.#scheduled = false;
      this.#running = this.#runBatch().finally(() => {
        this.#running = undefined;
        if (this.#queue.length > 0 || this.#wantsHousekeeping()) this.#schedule();
      });
    });
  }

  #wantsHousekeeping(): boolean {
    return this.#housekeepingWanted && !this.#draining;
  }

  async #runBatch(): Promise<void> {
    const roomBytes = this.#deps.tables.roomBytes();
    const batch = this.#refuseWithoutRoom(this.#takeBatch(), roomBytes);
    let begun = false;
    try {
      this.#checkOwnership();
      const verdicts = this.#judge(batch);
      begun = true;
      await this.#write(verdicts, roomBytes);
      for (const { outcome } of verdicts) {
        if ("refusal" in outcome) continue;
        this.#revision = outcome.change.revision;
        this.#deps.publish(outcome.change);
      }
      for (const { queued, outcome } of verdicts) {
        if ("refusal" in outcome) queued.reject(outcome.refusal);
        else queued.resolve(outcome.change.revision);
      }
    } catch (error) {
      const failure = this.#fail(error);
      // Where more can be written it is known that nothing was.
      const told = begun && this.#failure !== undefined ? undecided(failure) : failure;
      // Refusals too: they may rest on a write of this batch that did not happen.
      for (const queued of batch) queued.reject(told);
    }
  }

  #takeBatch(): Queued[] {
    let sizeBytes = 0;
    let length = 0;
    while (length < this.#queue.length && length < MAX_BATCH_WRITES && sizeBytes < MAX_BATCH_BYTES) {
      sizeBytes += this.#queue[length++]?.request.value?.length ?? 0;
    }
    const batch = this.#queue.slice(0, length);
    this.#queue = this.#queue.slice(length);
    this.#queuedBytes -= sizeBytes;
    return batch;
  }

  /** Those of the batch for which there is room. */
  #refuseWithoutRoom(batch: readonly Queued[], roomBytes: number): readonly Queued[] {
    const sizeBytes = batch.reduce((sum, { request }) => sum + (request.value?.length ?? 0), 0);
    const leftBytes = roomBytes - BYTES_PER_BYTE * sizeBytes;
    if (leftBytes >= FREE_AFTER_CREATE_BYTES) return batch;
    return batch.filter(({ request, reject }) => {
      const fits = leftBytes >= freeAfter(request);
      if (!fits) reject(noSpace(roomBytes));
      return fits;
    });
  }

  #checkOwnership(): void {
    const onDisk = readMetaRevision(this.#deps.tables, "revision");
    if (onDisk === this.#revision) return;
    const message = `the store is at revision ${onDisk}, expected ${this.#revision}: another process has written to it`;
    throw new StorageError("Unavailable", message);
  }

  #judge(batch: readonly Queued[]): Verdict[] {
    const rows = new Map<string, Buffer | undefined>();
    let revision = this.#revision;
    return batch.map((queued): Verdict => {
      const { key, value, expected, guard, attachment } = queued.request;
      const rowOf = (of: string) => (rows.has(of) ? rows.get(of) : this.#deps.reader.committed(of));
      const held = rowOf(key);
      const previous = held === undefined ? undefined : decodeEntryRow(key, held);
      const refusal =
        guard !== undefined && rowOf(guard) === undefined ? guardGone(key, guard) : refuse(key, previous, expected);
      if (refusal !== undefined) return { queued, outcome: { refusal } };

      revision++;
      const row = value === undefined ? undefined : encodeEntryRow(revision, value);
      rows.set(key, row);
      const change: Change = {
        type: row === undefined ? "delete" : "put",
        key,
        revision,
        value: row === undefined ? undefined : decodeEntryRow(key, row).value,
        previous,
        ...(attachment === undefined ? {} : { attachment }),
      };
      return { queued, outcome: { change, row, replaced: held } };
    });
  }

  async #write(verdicts: readonly Verdict[], roomBytes: number): Promise<void> {
    const step = this.#wantsHousekeeping() ? this.#deps.housekeeping() : undefined;
    this.#housekeepingWanted = step !== undefined;
    const accepted = verdicts.flatMap(({ queued, outcome }) =>
      "refusal" in outcome ? [] : [{ request: queued.request, ...outcome }],
    );
    const last = accepted.at(-1);
    if (last === undefined && step === undefined) return;
    const { tables } = this.#deps;
    try {
      if (roomBytes < SMALL_COMMIT_BYTES) throw noSpace(roomBytes);
      await this.#commit(() => {
        for (const write of accepted) writeChange(tables, write.request, write);
        if (last !== undefined) putMetaRevision(tables, "revision", last.change.revision);
        step?.write();
      });
    } catch (error) {
      step?.failed(translateLmdbError(error, tables.roomBytes));
      throw error;
    }
    tables.refresh();
    step?.committed();
  }

  /** `write` may be called several times: each time nothing is there of what it has written before. */
  async #commit(write: () => void): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#deps.tables.commit(write);
        return;
      } catch (error) {
        if (!isGivenUp(error) || tries === MAX_TRIES || !this.#stillWritable()) throw error;
      }
    }
  }

  /** A full disk may get room again; after anything else nobody knows what is on disk, so no more writes are taken. */
  #fail(error: unknown): StorageError {
    const failure = translateLmdbError(error, this.#deps.tables.roomBytes);
    this.#housekeepingWanted = false;
    if (failure.code !== "NoSpace" || !this.#stillWritable()) {
      this.#failure = new StorageError("Unavailable", `the store takes no more writes: ${failure.message}`, {
        cause: error,
      });
      for (const queued of this.#queue.splice(0)) queued.reject(this.#failure);
      this.#queuedBytes = 0;
      this.#deps.lost(this.#failure);
    }
    return failure;
  }

  #stillWritable(): boolean {
    try {
      this.#deps.tables.exclusively(() => undefined);
      this.#deps.tables.refresh();
      return readMetaRevision(this.#deps.tables, "revision") === this.#revision;
    } catch {
      return false;
    }
  }
}

function freeAfter({ value, expected }: PendingWrite): number {
  if (value === undefined) return Number.NEGATIVE_INFINITY;
  return expected === undefined ? FREE_AFTER_CREATE_BYTES : FREE_AFTER_UPDATE_BYTES;
}

const undecided = (failure: StorageError): StorageError =>
  new StorageError("Undecided", `${failure.message}; whether it was written shows when the store is opened again`, {
    cause: failure,
  });

function noSpace(roomBytes: number): StorageError {
  const left = Math.floor(roomBytes / 1024);
  return new StorageError("NoSpace", `no space to write: the disk has ${left} KiB left, and some are kept for deletes`);
}

function refuse(
  key: string,
  current: StoredEntry | undefined,
  expected: Revision | undefined,
): StorageError | undefined {
  if (expected === undefined) {
    return current === undefined ? undefined : new StorageError("KeyExists", `key exists: ${key}`, { key });
  }
  if (current === undefined) return new StorageError("KeyNotFound", `key not found: ${key}`, { key });
  if (current.revision === expected) return undefined;
  const message = `${key} is at revision ${current.revision}, not ${expected}`;
  return new StorageError("RevisionMismatch", message, { key, current });
}

function writeChange(tables: Tables, request: PendingWrite, { change, row, replaced }: Acceptance): void {
  const { key, revision } = change;
  if (replaced !== undefined) tables.history.put(encodeHistoryKey(key, revision), replaced);
  if (row === undefined) tables.current.remove(key);
  else tables.current.put(key, row);
  tables.log.put(encodeRevision(revision), encodeLogRow(change.type, key));
  if (row !== undefined && request.expiresAtMs !== undefined) {
    tables.expiry.put(encodeExpiryKey(request.expiresAtMs, revision), Buffer.from(key));
  }
}
