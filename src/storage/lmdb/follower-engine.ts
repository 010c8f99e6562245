// A second process at an embedded store: reads the tables that the owner writes, from the same memory, and has the owner
// write. Keeps the storage contract: what any process was told of is here in every later read and watch.
//
//   read   which revision is on disk?  -> shown here already: at once; else wait for the owner to say that it is durable
//   write  to the owner -> commit -> notice "revision 42 is durable, your write was 42" -> shown to watches -> answered

import type { Duplex } from "node:stream";
import { afterThisTurn, nextTurn } from "../../base/next-turn.ts";
import {
  BY_PEER,
  type Change,
  type EntryOptions,
  type ListOptions,
  type ListPage,
  type Revision,
  type StorageEngine,
  type StoredEntry,
  type WatchSink,
} from "../engine.ts";
import { revisionGone } from "../live-watchers.ts";
import { StorageError } from "../storage-error.ts";
import {
  encodeFrame,
  type FollowerRequest,
  FrameReader,
  type OwnerNotice,
  type RequestResult,
  type StorageProblem,
} from "./follower-messages.ts";
import { checkWritable, PublishedReads } from "./published-reads.ts";
import { readMetaRevision, type Tables } from "./tables.ts";

/** More than these wait for the owner's answer only when it is stuck. */
const MAX_PENDING_BYTES = 512 * 1024 ** 2;

interface FollowerDeps {
  /** Opened for reading only. */
  readonly tables: Tables;
  /** The line to the owner; see serveFollower. */
  readonly stream: Duplex;
  /** Called once when nothing can be followed here any more, although the store may take writes: not when it has failed. */
  readonly onLost?: ((failure: StorageError) => void) | undefined;
}

interface Pending {
  readonly key: string;
  readonly sizeBytes: number;
  readonly attachment: unknown;
  resolve(revision: Revision): void;
  reject(error: StorageError): void;
}

type RequestOf<Type extends FollowerRequest["type"]> = Omit<Extract<FollowerRequest, { type: Type }>, "id">;

export class FollowerEngine implements StorageEngine {
  readonly #tables: Tables;
  readonly #stream: Duplex;
  readonly #onLost: FollowerDeps["onLost"];
  readonly #reads: PublishedReads;
  readonly #pending = new Map<number, Pending>();
  readonly #notices: OwnerNotice[] = [];
  /** Of own writes whose changes have not been shown yet. */
  readonly #attachments = new Map<Revision, unknown>();
  #waiting: { readonly revision: Revision; resolve(revision: Revision): void; reject(error: unknown): void }[] = [];
  #outgoing: Buffer[] = [];
  #pendingBytes = 0;
  #nextId = 1;
  #showing = false;
  #failure: StorageError | undefined;
  #closing: Promise<void> | undefined;

  constructor({ tables, stream, onLost }: FollowerDeps) {
    this.#tables = tables;
    this.#stream = stream;
    this.#onLost = onLost;
    tables.refresh();
    this.#reads = new PublishedReads(
      {
        tables,
        compacted: () => this.#compacted(),
        pin: (revision) => () => this.#checkKept(revision),
        checkOpen: () => this.#checkOpen(),
      },
      readMetaRevision(tables, "revision") ?? 1,
    );
    const reader = new FrameReader<OwnerNotice>((notice) => {
      this.#notices.push(notice);
      if (!this.#showing) void this.#show();
    });
    stream.on("data", (chunk: Buffer) => reader.push(chunk));
    stream.on("error", () => this.#loseStore(lostOwner()));
    stream.on("close", () => this.#loseStore(lostOwner()));
  }

  get failure(): StorageError | undefined {
    return this.#failure;
  }

  currentRevision(): Revision | Promise<Revision> {
    this.#checkOpen();
    const committed = this.#committed();
    const { revision } = this.#reads;
    if (committed <= revision) return revision;
    if (this.#failure !== undefined) throw this.#failure;
    return new Promise((resolve, reject) => this.#waiting.push({ revision: committed, resolve, reject }));
  }

  get newestKnown(): Revision | undefined {
    if (this.#closing !== undefined) return undefined;
    const { revision } = this.#reads;
    return this.#committed() <= revision ? revision : undefined;
  }

  async get(key: string, revision?: Revision): Promise<StoredEntry | undefined> {
    const newest = await this.currentRevision();
    this.#checkOpen();
    return this.#reads.get(key, revision ?? newest, false);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListPage> {
    await this.currentRevision();
    this.#checkOpen();
    return this.#reads.list(prefix, options);
  }

  async count(prefix: string): Promise<number> {
    await this.currentRevision();
    this.#checkOpen();
    return this.#reads.count(prefix);
  }

  create(key: string, value: Uint8Array, options: EntryOptions = {}): Promise<Revision> {
    return this.#write({ type: "write", key }, value, options);
  }

  update(key: string, value: Uint8Array, expected: Revision, options: EntryOptions = {}): Promise<Revision> {
    return this.#write({ type: "write", key, expected }, value, options);
  }

  delete(key: string, expected: Revision, { attachment, guard }: EntryOptions = {}): Promise<Revision> {
    return this.#write({ type: "write", key, expected, isDelete: true }, undefined, { attachment, guard });
  }

  async watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    this.#checkOpen();
    await this.#reads.watch(prefix, after, sink, signal);
  }

  async requestProgress(): Promise<void> {
    await this.currentRevision();
    this.#reads.progress();
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    await this.#request({ type: "compact", revision }, undefined, { key: "", attachment: undefined });
  }

  async compactedRevision(): Promise<Revision> {
    this.#checkOpen();
    this.#tables.refresh();
    return this.#compacted();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // What was submitted is answered first.
    while (this.#pending.size > 0 && this.#failure === undefined) await nextTurn();
    const closed = new StorageError("Closed", "the storage engine is closed");
    this.#reads.endAll(closed);
    this.#lose(closed);
    this.#stream.destroy();
    await nextTurn();
    await this.#tables.close();
  }

  async #write(request: RequestOf<"write">, value: Uint8Array | undefined, options: EntryOptions): Promise<Revision> {
    this.#checkOpen();
    const { key } = request;
    checkWritable(key, value);
    const { ttlSeconds, guard, attachment } = options;
    const more = { ...(ttlSeconds === undefined ? {} : { ttlSeconds }), ...(guard === undefined ? {} : { guard }) };
    try {
      return await this.#request({ ...request, ...more }, value, { key, attachment });
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "RevisionMismatch") throw error;
      const current = this.#reads.get(key, undefined, false);
      throw new StorageError(error.code, error.message, { key, ...(current === undefined ? {} : { current }) });
    }
  }

  #request(
    request: RequestOf<"write"> | RequestOf<"compact">,
    value: Uint8Array | undefined,
    about: Pick<Pending, "key" | "attachment">,
  ): Promise<Revision> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const sizeBytes = value?.length ?? 0;
    if (this.#pendingBytes + sizeBytes > MAX_PENDING_BYTES)
      return Promise.reject(new StorageError("Unavailable", "too many writes are waiting for the disk"));
    const id = this.#nextId;
    this.#nextId += 1;
    this.#pendingBytes += sizeBytes;
    // All who write in one turn share one message, and with it one commit.
    if (this.#outgoing.push(encodeFrame({ ...request, id } as FollowerRequest, value)) === 1) {
      afterThisTurn(() => {
        this.#stream.write(Buffer.concat(this.#outgoing));
        this.#outgoing = [];
      });
    }
    return new Promise((resolve, reject) => this.#pending.set(id, { ...about, sizeBytes, resolve, reject }));
  }

  /** Shows what has become durable, in order, and answers those who wait for it. */
  async #show(): Promise<void> {
    this.#showing = true;
    try {
      for (let notice = this.#notices.shift(); notice !== undefined; notice = this.#notices.shift()) {
        for (const result of notice.results) this.#keepAttachment(result);
        this.#tables.refresh();
        while (this.#reads.revision < notice.revision && this.#closing === undefined) {
          this.#showSome(notice.revision);
          if (this.#reads.revision < notice.revision) await nextTurn();
        }
        for (const result of notice.results) this.#settle(result);
        this.#settleWaiting();
        if (notice.failure !== undefined) this.#lose(errorOf(notice.failure));
      }
    } catch (error) {
      this.#loseStore(error instanceof StorageError ? error : new StorageError("Unavailable", String(error)));
    } finally {
      this.#showing = false;
    }
  }

  #showSome(upTo: Revision): void {
    const compacted = this.#compacted();
    if (compacted > this.#reads.revision) {
      // The owner has not waited: the changes up to there are being removed.
      const reached = Math.min(compacted, upTo);
      for (const revision of this.#attachments.keys()) if (revision <= reached) this.#attachments.delete(revision);
      this.#reads.skipTo(reached);
      return;
    }
    const show = (change: Change): void => {
      const attachment = this.#attachments.get(change.revision) ?? BY_PEER;
      this.#attachments.delete(change.revision);
      this.#reads.publish({ ...change, attachment });
    };
    this.#reads.replayUpTo(upTo, "", this.#reads.revision, { change: show }, () => true);
  }

  #keepAttachment(result: RequestResult): void {
    const attachment = this.#pending.get(result.id)?.attachment;
    if (attachment !== undefined && "revision" in result && result.revision > this.#reads.revision)
      this.#attachments.set(result.revision, attachment);
  }

  #settle(result: RequestResult): void {
    const pending = this.#pending.get(result.id);
    if (pending === undefined) return;
    this.#pending.delete(result.id);
    this.#pendingBytes -= pending.sizeBytes;
    if ("revision" in result) pending.resolve(result.revision);
    else pending.reject(errorOf(result.error, pending.key));
  }

  #settleWaiting(): void {
    if (this.#waiting.length === 0) return;
    const { revision } = this.#reads;
    const reached = this.#waiting.filter((each) => each.revision <= revision);
    this.#waiting = this.#waiting.filter((each) => each.revision > revision);
    for (const each of reached) each.resolve(revision);
  }

  /** Nothing is written, and nothing new is shown, from now on. */
  #lose(failure: StorageError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    for (const pending of this.#pending.values()) pending.reject(undecided(failure));
    for (const each of this.#waiting.splice(0)) each.reject(failure);
    this.#pending.clear();
    this.#attachments.clear();
    this.#reads.endAfterAll(failure);
  }

  /** The same, for a reason that others at this store do not have. */
  #loseStore(failure: StorageError): void {
    if (this.#failure !== undefined) return;
    this.#lose(failure);
    if (this.#closing === undefined) this.#onLost?.(failure);
  }

  /** What is on disk, shown here or not. */
  #committed(): Revision {
    this.#tables.refresh();
    return readMetaRevision(this.#tables, "revision") ?? 0;
  }

  #compacted(): Revision {
    return readMetaRevision(this.#tables, "compacted") ?? 1;
  }

  /** The owner does not know who reads here: what it has removed meanwhile was perhaps not all found. */
  #checkKept(revision: Revision): void {
    this.#tables.refresh();
    const compacted = this.#compacted();
    if (revision < compacted) throw revisionGone(revision, compacted);
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new StorageError("Closed", "the storage engine is closed");
  }
}

function errorOf({ code, message, revision }: StorageProblem, key?: string): StorageError {
  return new StorageError(code, message, {
    ...(key === undefined ? {} : { key }),
    ...(revision === undefined ? {} : { revision }),
  });
}

/** The owner has been sent it, and has not said what became of it. */
const undecided = (failure: StorageError): StorageError =>
  new StorageError("Undecided", `${failure.message}; whether it was written is not known`, { cause: failure });

function lostOwner(): StorageError {
  return new StorageError("Unavailable", "the process that owns the store has ended");
}
