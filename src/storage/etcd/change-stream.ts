// One watch over every key of the store, from a revision on, for ever: it survives lost connections and resumes exactly
// after what it delivered. etcd numbers commits without holes, so every revision must come; one that does not come has been
// compacted, and the reader is told so.

import type { Change, Revision } from "../engine.ts";
import type { Attachments } from "./attachments.ts";
import type { EtcdConnection, EtcdStream } from "./connection.ts";
import { EtcdFailure } from "./failure.ts";
import { ALL_KEYS, type KeySpace } from "./keys.ts";
import {
  EVENT_DELETE,
  type KeyValue,
  toNumber,
  type WatchEvent,
  type WatchRequest,
  type WatchResponse,
  watchMethod,
} from "./messages.ts";

interface ChangeStreamDeps {
  readonly connection: EtcdConnection;
  readonly keys: KeySpace;
  readonly attachments: Attachments;
  readonly log: EtcdLog;
}

export interface EtcdLog {
  warn(fields: object, message: string): void;
}

export interface ChangeReader {
  /** All changes of the engine's keys up to and with `position`, in order, since the last call. */
  changes(changes: readonly Change[], position: Revision): void;
  /** History after what was delivered is lost; the stream has ended. `oldest` is where reads start to be possible. */
  gone(oldest: Revision): void;
}

const FIRST_BACKOFF_MS = 20;
const MAX_BACKOFF_MS = 1_000;
// How long a server may take to acknowledge a watch before another is tried.
const CREATE_TIMEOUT_MS = 10_000;

type StreamEnd = "stopped" | "gone" | "lost";

export class ChangeStream {
  readonly #deps: ChangeStreamDeps;
  readonly #reader: ChangeReader;
  #position: Revision;
  #startRevision: Revision;
  #stopped = false;
  #stream: EtcdStream<WatchRequest, WatchResponse> | undefined;
  #wakeUp: (() => void) | undefined;

  /**
   * Starts after `after`. etcd refuses to start below its compacted revision; `refuseCompactedAfter` makes it refuse also
   * when `after` itself lies just below (at the price of a slower start), for readers that may come from far back.
   */
  constructor(deps: ChangeStreamDeps, after: Revision, reader: ChangeReader, refuseCompactedAfter: boolean) {
    this.#deps = deps;
    this.#reader = reader;
    this.#position = Math.max(1, after);
    this.#startRevision = refuseCompactedAfter ? this.#position : this.#position + 1;
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#stream?.cancel();
    this.#wakeUp?.();
  }

  async #run(): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS;
    while (!this.#stopped) {
      const positionBefore = this.#position;
      const end = await this.#follow().catch((failure: unknown) => {
        if (!(failure instanceof EtcdFailure)) throw failure;
        this.#warn("cannot watch etcd, trying again", failure.message);
        return "lost" as const;
      });
      if (end !== "lost") return;
      if (this.#position > positionBefore) backoffMs = FIRST_BACKOFF_MS;
      await this.#pause(backoffMs);
      backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
    }
  }

  async #follow(): Promise<StreamEnd> {
    const stream = await this.#deps.connection.openStream(watchMethod);
    if (this.#stopped) {
      stream.cancel();
      return "stopped";
    }
    this.#stream = stream;
    return await new Promise<StreamEnd>((resolve) => {
      const fragments: WatchEvent[] = [];
      const finish = (end: StreamEnd) => {
        clearTimeout(timer);
        // Its end may be told once more when the next stream stands.
        if (this.#stream === stream) this.#stream = undefined;
        resolve(this.#stopped && end === "lost" ? "stopped" : end);
        stream.cancel();
      };
      const timer = setTimeout(() => {
        stream.blame();
        finish("lost");
      }, CREATE_TIMEOUT_MS);

      stream.onEnd((failure) => {
        if (!this.#stopped && this.#stream === stream) this.#warn("the watch on etcd broke, resuming", failure.message);
        finish("lost");
      });
      stream.onMessage((message) => {
        if (this.#stopped || this.#stream !== stream) return;
        if (message.created === true) clearTimeout(timer);
        if (message.canceled === true) {
          finish(this.#onCancelled(stream, message));
          return;
        }
        for (const event of message.events) fragments.push(event);
        if (message.fragment === true || message.created === true) return;
        if (!this.#deliver(fragments.splice(0), message)) finish("gone");
      });
      stream.send({
        createRequest: {
          ...ALL_KEYS,
          startRevision: this.#startRevision,
          prevKv: true,
          fragment: true,
          progressNotify: true,
        },
      });
    });
  }

  #onCancelled(stream: EtcdStream<WatchRequest, WatchResponse>, message: WatchResponse): StreamEnd {
    const compacted = toNumber(message.compactRevision);
    if (compacted > 0) {
      this.#gone(compacted);
      return "gone";
    }
    this.#warn("etcd cancelled the watch, trying again", message.cancelReason ?? "");
    stream.blame();
    return "lost";
  }

  /** False when history is lost. */
  #deliver(events: readonly WatchEvent[], message: WatchResponse): boolean {
    const changes: Change[] = [];
    let reached = this.#position;
    for (const event of events) {
      const revision = toNumber(event.kv.modRevision);
      if (revision <= this.#position) continue;
      if (revision > reached + 1) return this.#lostHistory(changes, reached, revision);
      reached = revision;
      const key = this.#deps.keys.fromBytes(event.kv.key);
      if (key === undefined) continue;
      const change = this.#change(key, revision, event);
      if (change === undefined) return this.#lostHistory([], this.#position, revision);
      changes.push(change);
    }
    // Without events it is a progress notification: everything up to the header's revision has been sent.
    if (events.length === 0) reached = Math.max(reached, toNumber(message.header?.revision));
    if (reached > this.#position) {
      this.#position = reached;
      this.#startRevision = reached + 1;
      this.#reader.changes(changes, reached);
    }
    return true;
  }

  #lostHistory(changes: readonly Change[], reached: Revision, next: Revision): false {
    if (changes.length > 0) this.#reader.changes(changes, reached);
    this.#warn("etcd skipped revisions: history was compacted under the watch", `after ${reached} came ${next}`);
    this.#gone(next);
    return false;
  }

  /** undefined when what the key held before is compacted, so that the change cannot be told truly. */
  #change(key: string, revision: Revision, event: WatchEvent): Change | undefined {
    const { kv } = event;
    const before = event.prevKv ?? undefined;
    const isDelete = event.type === EVENT_DELETE;
    const hadPrevious = isDelete || toNumber(kv.createRevision) < revision;
    if (hadPrevious && before === undefined) return undefined;
    const previous =
      before === undefined ? undefined : { key, value: ownBytes(before), revision: toNumber(before.modRevision) };
    const value = isDelete ? undefined : ownBytes(kv);
    const attachment = this.#deps.attachments.find(key, previous?.revision ?? 0, value, revision);
    const change = { type: isDelete ? "delete" : "put", key, revision, value, previous } as const;
    return attachment === undefined ? change : { ...change, attachment };
  }

  #gone(oldest: Revision): void {
    this.#stopped = true;
    this.#reader.gone(oldest);
  }

  #warn(message: string, reason: string): void {
    this.#deps.log.warn({ reason, position: this.#position }, message);
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }
}

/** A copy, so that a value kept in a cache does not keep the whole message alive. */
function ownBytes(entry: KeyValue): Uint8Array {
  return Buffer.from(entry.value ?? []);
}
