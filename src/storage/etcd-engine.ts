// The etcd engine: the storage contract on an etcd cluster (3.4 or newer) that several servers may share.

import { type Clock, systemClock } from "../base/clock.ts";
import type { EntryOptions, ListOptions, ListPage, Revision, StorageEngine, StoredEntry, WatchSink } from "./engine.ts";
import { Attachments } from "./etcd/attachments.ts";
import { ChangeStream, type EtcdLog } from "./etcd/change-stream.ts";
import { EtcdConnection, type EtcdTls } from "./etcd/connection.ts";
import { EtcdFailure, toStorageError } from "./etcd/failure.ts";
import { KeySpace } from "./etcd/keys.ts";
import { grantLease, LeasePool } from "./etcd/leases.ts";
import { compactMethod } from "./etcd/messages.ts";
import type { WriteIntent } from "./etcd/outcome.ts";
import { EtcdReader } from "./etcd/reader.ts";
import { WatchHub } from "./etcd/watch-hub.ts";
import { EtcdWriter } from "./etcd/writer.ts";
import { StorageError } from "./storage-error.ts";

interface EtcdEngineOptions {
  /** "https://host:port", "http://host:port" or "host:port" (TLS when `tls` is given). The first is preferred. */
  readonly endpoints: readonly string[];
  /** Stands before every key in etcd; invisible to the caller. Default "". */
  readonly prefix?: string;
  readonly tls?: EtcdTls;
  /** How long one operation may take, all tries and endpoints together. Default 15 s. */
  readonly requestTimeoutMs?: number;
  /** How long one endpoint may take to answer before another is tried. Default 5 s: what etcd itself grants a commit. */
  readonly tryTimeoutMs?: number;
  readonly clock?: Clock;
  readonly log?: EtcdLog;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 15_000;
const DEFAULT_TRY_TIMEOUT_MS = 5_000;

/** Connects and reads the current revision. Fails with Unavailable when no endpoint answers in time. */
export async function openEtcdEngine(options: EtcdEngineOptions): Promise<StorageEngine> {
  const connection = new EtcdConnection({
    endpoints: options.endpoints,
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    tryTimeoutMs: options.tryTimeoutMs ?? DEFAULT_TRY_TIMEOUT_MS,
    clock: systemClock,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  try {
    const engine = new EtcdEngine(connection, options);
    await engine.start();
    return engine;
  } catch (error) {
    connection.close();
    throw error;
  }
}

class EtcdEngine implements StorageEngine {
  readonly #connection: EtcdConnection;
  readonly #reader: EtcdReader;
  readonly #writer: EtcdWriter;
  readonly #hub: WatchHub;
  readonly #begun = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(connection: EtcdConnection, options: EtcdEngineOptions) {
    const keys = new KeySpace(options.prefix ?? "");
    const attachments = new Attachments();
    const leases = new LeasePool((ttlSeconds) => grantLease(connection, ttlSeconds), options.clock ?? systemClock);
    const reader = new EtcdReader(connection, keys);
    const log = options.log ?? { warn: () => undefined };
    this.#connection = connection;
    this.#reader = reader;
    this.#writer = new EtcdWriter({ connection, keys, reader, leases, attachments });
    const streamDeps = { connection, keys, attachments, log };
    this.#hub = new WatchHub({
      currentRevision: () => reader.currentRevision(),
      openStream: (after, changes, refuseCompactedAfter) =>
        new ChangeStream(streamDeps, after, changes, refuseCompactedAfter),
    });
    reader.onFailure = (failure) => {
      log.warn({ reason: failure.message }, "the store was put back, nothing is read or written any more");
      this.#hub.close(failure);
    };
  }

  async start(): Promise<void> {
    this.#hub.start(await this.#reader.currentRevision());
  }

  get failure(): StorageError | undefined {
    return this.#reader.failure;
  }

  currentRevision(): Promise<Revision> {
    return this.#begin(() => this.#reader.currentRevision());
  }

  get(key: string, revision?: Revision): Promise<StoredEntry | undefined> {
    return this.#begin(async () => {
      const entry = await this.#reader.get(key, revision);
      return entry === undefined ? undefined : { key, value: entry.value, revision: entry.revision };
    });
  }

  list(prefix: string, options?: ListOptions): Promise<ListPage> {
    return this.#begin(() => this.#reader.list(prefix, options));
  }

  count(prefix: string): Promise<number> {
    return this.#begin(() => this.#reader.count(prefix));
  }

  create(key: string, value: Uint8Array, options?: EntryOptions): Promise<Revision> {
    return this.#write({ type: "create", key, expected: 0, value }, options);
  }

  update(key: string, value: Uint8Array, expected: Revision, options?: EntryOptions): Promise<Revision> {
    return this.#write({ type: "update", key, expected, value }, options);
  }

  delete(key: string, expected: Revision, options?: EntryOptions): Promise<Revision> {
    return this.#write({ type: "delete", key, expected, value: undefined }, options);
  }

  async watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    if (this.#closing !== undefined) throw closed();
    if (this.failure !== undefined) throw this.failure;
    await this.#hub.watch(prefix, after, sink, signal);
  }

  requestProgress(): Promise<void> {
    return this.#begin(async () => this.#hub.requestProgress(await this.#reader.currentRevision()));
  }

  compact(revision: Revision): Promise<void> {
    return this.#begin(async () => {
      try {
        await this.#connection.callRepeatable(compactMethod, { revision });
      } catch (failure) {
        // Compacted that far already, perhaps by the lost first try.
        const done = failure instanceof EtcdFailure && failure.kind === "compacted";
        if (!done) throw await this.#reader.explain(failure, revision);
      }
      this.#hub.compacted(revision);
      this.#reader.observeCompaction(revision);
    });
  }

  compactedRevision(): Promise<Revision> {
    return this.#begin(() => this.#reader.compactedRevision());
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  #write(intent: WriteIntent, options: EntryOptions | undefined): Promise<Revision> {
    return this.#begin(() => this.#writer.write(intent, options));
  }

  async #begin<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.#closing !== undefined) throw closed();
    if (this.failure !== undefined) throw this.failure;
    const running = operation();
    this.#begun.add(running);
    try {
      return await running;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      this.#begun.delete(running);
    }
  }

  async #finish(): Promise<void> {
    this.#connection.startClosing();
    await Promise.allSettled([...this.#begun]);
    this.#hub.close();
    this.#connection.close();
  }
}

function closed(): StorageError {
  return new StorageError("Closed", "the store has been closed");
}
