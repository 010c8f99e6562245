// Reads: get, list in pages at one revision, count, and the store's revisions. All linearizable.

import type { ListOptions, ListPage, Revision, StoredEntry } from "../engine.ts";
import { StorageError } from "../storage-error.ts";
import type { EtcdConnection } from "./connection.ts";
import { EtcdFailure, toStorageError } from "./failure.ts";
import { ALL_KEYS, type KeySpace } from "./keys.ts";
import {
  type KeyValue,
  type RangeRequest,
  type RangeResponse,
  rangeMethod,
  toNumber,
  watchMethod,
} from "./messages.ts";

/** An entry with the revision at which the key came into being: a later one means that it was deleted in between. */
export interface DatedEntry extends StoredEntry {
  readonly createRevision: Revision;
}

// A page of a list is sized by what the entries before it weighed, so that no answer becomes huge.
const FIRST_PAGE_ENTRIES = 250;
const MAX_PAGE_ENTRIES = 5_000;
const PAGE_TARGET_BYTES = 4 * 1024 * 1024;
// A list without a given revision starts anew when the one it began with is compacted under it.
const LIST_RESTARTS = 3;

const EMPTY = Buffer.alloc(0);

export class EtcdReader {
  readonly #connection: EtcdConnection;
  readonly #keys: KeySpace;
  #newestSeen: Revision = 0;
  #newestCompacted: Revision = 0;
  #failure: StorageError | undefined;
  /** Told once, when an older copy has been put in the place of the store. */
  onFailure: ((failure: StorageError) => void) | undefined;
  #revisionInFlight: Promise<Revision> | undefined;
  #revisionNext: Promise<Revision> | undefined;

  constructor(connection: EtcdConnection, keys: KeySpace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** The newest revision that any answer so far has named. */
  get newestSeen(): Revision {
    return this.#newestSeen;
  }

  /** Why nothing that this process knows of the store is true any more. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  observe(revision: Revision): void {
    if (revision > this.#newestSeen) this.#newestSeen = revision;
  }

  observeCompaction(revision: Revision): void {
    if (revision > this.#newestCompacted) this.#newestCompacted = revision;
  }

  /** Callers that come while a request is under way share the next one: theirs must start after they asked. */
  currentRevision(): Promise<Revision> {
    if (this.#revisionInFlight === undefined) return this.#startRevision();
    const begin = () => this.#startRevision();
    this.#revisionNext ??= this.#revisionInFlight.then(begin, begin);
    return this.#revisionNext;
  }

  async get(key: string, revision?: Revision): Promise<DatedEntry | undefined> {
    const request = {
      key: this.#keys.toBytes(key),
      ...(revision === undefined ? {} : { revision: atLeastOne(revision) }),
    };
    const [entry] = (await this.#range(request)).kvs;
    return entry === undefined ? undefined : { key, ...datedValue(entry) };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListPage> {
    for (let restarts = 0; ; restarts++) {
      try {
        return await this.#listOnce(prefix, options);
      } catch (error) {
        const compactedMeanwhile = error instanceof StorageError && error.code === "RevisionGone";
        if (!compactedMeanwhile || options.revision !== undefined || restarts === LIST_RESTARTS) throw error;
      }
    }
  }

  async count(prefix: string): Promise<number> {
    return toNumber((await this.#range({ ...this.#keys.range(prefix, undefined), countOnly: true })).count);
  }

  /** The oldest revision at which reads are possible. */
  async compactedRevision(): Promise<Revision> {
    try {
      await this.#connection.callRepeatable(rangeMethod, { key: ALL_KEYS.key, revision: 1, countOnly: true });
      return 1;
    } catch (failure) {
      if (!(failure instanceof EtcdFailure) || failure.kind !== "compacted") throw toStorageError(failure);
      return await this.#askCompactedRevision();
    }
  }

  /** Names the revision from which reads work, respectively the newest one. */
  async explain(failure: unknown, asked: Revision): Promise<unknown> {
    if (!(failure instanceof EtcdFailure)) return failure;
    if (failure.kind === "compacted") {
      const oldest = asked < this.#newestCompacted ? this.#newestCompacted : await this.#askCompactedRevision();
      return revisionGone(oldest, failure);
    }
    if (failure.kind === "future") {
      return toStorageError(failure, { revision: await this.currentRevision() });
    }
    return toStorageError(failure);
  }

  async #listOnce(prefix: string, options: ListOptions): Promise<ListPage> {
    const wanted = options.limit ?? Number.POSITIVE_INFINITY;
    const entries: StoredEntry[] = [];
    let after = options.after;
    let revision = options.revision === undefined ? undefined : atLeastOne(options.revision);
    let sizeBytes = 0;
    for (;;) {
      const limit = Math.min(wanted - entries.length, nextPageEntries(entries.length, sizeBytes));
      const response = await this.#range({
        ...this.#keys.range(prefix, after),
        // etcd takes a limit of 0 as "all".
        ...(limit > 0 ? { limit } : { countOnly: true }),
        ...(revision === undefined ? {} : { revision }),
      });
      revision ??= toNumber(response.header?.revision);
      for (const entry of response.kvs) {
        const key = this.#keys.fromBytes(entry.key) ?? "";
        entries.push({ key, value: entry.value ?? EMPTY, revision: toNumber(entry.modRevision) });
        sizeBytes += entry.key.length + (entry.value?.length ?? 0);
      }
      const remainingCount = toNumber(response.count) - response.kvs.length;
      if (remainingCount === 0 || entries.length >= wanted) {
        return { entries, revision, more: remainingCount > 0, remainingCount };
      }
      after = entries.at(-1)?.key ?? after;
    }
  }

  async #range(request: RangeRequest): Promise<RangeResponse> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = this.#newestSeen;
    try {
      const response = await this.#connection.callRepeatable(rangeMethod, request);
      const revision = toNumber(response.header?.revision);
      // A read sees all that was answered before it began.
      if (revision < before) throw this.#wentBack(before, revision);
      this.observe(revision);
      return response;
    } catch (failure) {
      throw await this.explain(failure, request.revision ?? 0);
    }
  }

  #wentBack(from: Revision, to: Revision): StorageError {
    if (this.#failure === undefined) {
      const message = `etcd has gone back from revision ${from} to ${to}: an older copy is in its place, start this server again`;
      this.#failure = new StorageError("Unavailable", message);
      this.onFailure?.(this.#failure);
    }
    return this.#failure;
  }

  #startRevision(): Promise<Revision> {
    this.#revisionNext = undefined;
    const asked = this.#range({ key: ALL_KEYS.key, countOnly: true }).then((response) =>
      toNumber(response.header?.revision),
    );
    this.#revisionInFlight = asked;
    const done = () => {
      if (this.#revisionInFlight === asked) this.#revisionInFlight = undefined;
    };
    asked.then(done, done);
    return asked;
  }

  /** etcd names its compacted revision only to a watch that starts below it. */
  async #askCompactedRevision(): Promise<Revision> {
    const retry = this.#connection.retries();
    for (;;) {
      try {
        const revision = await this.#watchFromTheBeginning();
        this.observeCompaction(revision);
        return revision;
      } catch (failure) {
        await retry.afterFailure(failure).catch((final: unknown) => Promise.reject(toStorageError(final)));
      }
    }
  }

  async #watchFromTheBeginning(): Promise<Revision> {
    const stream = await this.#connection.openStream(watchMethod);
    return await new Promise<Revision>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new EtcdFailure("transient", false, `etcd at ${stream.endpoint} did not name its compacted revision`));
        stream.cancel();
      }, this.#connection.requestTimeoutMs);
      stream.onMessage((message) => {
        const revision = toNumber(message.compactRevision);
        if (revision === 0) return;
        clearTimeout(timer);
        resolve(revision);
        stream.cancel();
      });
      stream.onEnd((failure) => {
        clearTimeout(timer);
        reject(failure);
      });
      stream.send({ createRequest: { key: ALL_KEYS.key, rangeEnd: Uint8Array.of(1), startRevision: 1 } });
    });
  }
}

export function revisionGone(oldest: Revision, cause?: unknown): StorageError {
  return new StorageError("RevisionGone", `history before revision ${oldest} has been compacted`, {
    revision: oldest,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function datedValue(entry: KeyValue): Omit<DatedEntry, "key"> {
  return {
    value: entry.value ?? EMPTY,
    revision: toNumber(entry.modRevision),
    createRevision: toNumber(entry.createRevision),
  };
}

/** etcd reads revision 0 as "now"; for us it is a revision before the first. */
function atLeastOne(revision: Revision): Revision {
  return Math.max(1, revision);
}

function nextPageEntries(seenEntries: number, seenBytes: number): number {
  if (seenEntries === 0) return FIRST_PAGE_ENTRIES;
  const averageBytes = Math.max(1, seenBytes / seenEntries);
  return Math.max(1, Math.min(MAX_PAGE_ENTRIES, Math.floor(PAGE_TARGET_BYTES / averageBytes)));
}
