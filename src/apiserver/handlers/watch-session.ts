// One open watch: what its client is sent, and when it ends. Requirements: document 1, "Events".

import { type Clock, systemClock, type Timer } from "../../base/clock.ts";
import { atOnceWhileShort, inTurns, Pace, type Steps } from "../../base/steps.ts";
import { nextWorkTurn, turnIsLong } from "../../base/work-turns.ts";
import type { BodyWriter } from "../../http/message.ts";
import type { EventEncoder } from "../../registry/encoding/encode-event.ts";
import type { CacheEvent, CacheItem, CacheWatch, EventType } from "../../registry/items.ts";
import { toWatchError } from "../../registry/watch-errors.ts";
import { LARGE_BYTES, turnOf } from "../../registry/write.ts";
import { type Conversion, ConvertedEvents, selected } from "./converted-events.ts";
import { FlushRounds } from "./flush-rounds.ts";
import { LateEvents } from "./late-events.ts";

/** A client that lags behind by more than this is cut off; it lists again or resumes. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** What it has missed is not replayed any further while it lags behind by more than this. */
const MAX_REPLAYED_BYTES = MAX_QUEUED_BYTES / 4;
/** In another form than they are stored in, so many small objects take a millisecond or so. */
const INITIAL_PER_STEP = 16;
/** Before a watch ends by its timeout, as upstream. */
const LAST_BOOKMARK_MS = 2_000;

/**
 * Gathers what happens in one turn of the loop into one write, and ends for many reasons, once. The connection is given no
 * more than it has room for: frames that wait here are shared by all who are sent them, what waits there is joined and
 * encrypted for each client.
 */
export class WatchSession {
  readonly #clock: Clock;
  readonly #writer: BodyWriter;
  readonly #encode: EventEncoder;
  readonly #done: () => void;
  readonly #conversion: Conversion | undefined;
  readonly #converted: ConvertedEvents | undefined;
  readonly #late: LateEvents;
  #watch: CacheWatch | undefined;
  #pending: Uint8Array[] = [];
  #scheduled = false;
  #held = false;
  #lagging = false;
  #caughtUp: (() => void) | undefined;
  #bookmarks: Timer | undefined;
  #lastBookmark: Timer | undefined;
  #endsAtMs = 0;
  #timeout: Timer | undefined;
  pendingBytes = 0;
  over = false;

  constructor(
    clock: Clock,
    writer: BodyWriter,
    encode: EventEncoder,
    done: () => void,
    conversion: Conversion | undefined,
  ) {
    this.#clock = clock;
    this.#writer = writer;
    this.#encode = encode;
    this.#done = done;
    this.#conversion = conversion;
    if (conversion !== undefined) {
      this.#converted = new ConvertedEvents({
        ...conversion,
        encode: (type, item, event) => encode.converted(type, item, event),
        turn: () => turnOf(writer),
        deliver: (frame) => this.#queue(frame),
        fail: (error) => this.fail(error),
      });
    }
    this.#late = new LateEvents({
      ready: () => encode.ready(),
      encode: (event, type) => encode.eventInSteps(event, type),
      turn: () => turnOf(writer),
      deliver: (frame) => this.#queue(frame),
      fail: (error) => this.fail(error),
    });
    writer.signal.addEventListener("abort", () => this.#end(), { once: true });
    if (writer.signal.aborted) this.#end();
  }

  /** Initial events are sent in pieces of about this size. */
  get chunkBytes(): number {
    return this.#writer.chunkBytes;
  }

  attach(watch: CacheWatch): void {
    this.#watch = watch;
    if (this.over) watch.close();
  }

  /** Live events wait until the initial state has been sent. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.flush();
  }

  event(event: CacheEvent, type: EventType): void {
    if (this.over) return;
    if (this.#converted !== undefined) {
      if (!this.#converted.push(event, type)) this.#end();
    } else if (this.#late.idle && !this.#encode.takesLong(event, type)) this.#encodeEvent(event, type);
    else if (!this.#late.push(event, type)) this.#end();
  }

  #encodeEvent(event: CacheEvent, type: EventType): void {
    let frame: Uint8Array;
    try {
      frame = this.#encode.event(event, type);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#queue(frame);
  }

  drained(): Promise<void> | undefined {
    if (this.over || this.#queuedBytes <= MAX_REPLAYED_BYTES) return undefined;
    return new Promise((resolve) => {
      this.#caughtUp = resolve;
      if (this.#pending.length === 0) this.#waitForRoom();
    });
  }

  get #queuedBytes(): number {
    return this.pendingBytes + this.#writer.queuedBytes;
  }

  /** The cache cannot go on, and all who follow it hear of that at once: they end in turns. */
  ended(reason: Error | "closed"): void {
    const end = () => (reason === "closed" ? this.#end() : this.fail(reason));
    if (turnIsLong()) void nextWorkTurn().then(end);
    else end();
  }

  async initial(items: readonly CacheItem[]): Promise<void> {
    if (this.over || items.length === 0) return;
    if (!(await this.#writeInitial(items))) await this.#writer.drained();
  }

  /** Apart, so that nobody holds the events while a client that does not read is waited for. */
  async #writeInitial(items: readonly CacheItem[]): Promise<boolean> {
    const turn = () => turnOf(this.#writer);
    const frames =
      this.#conversion === undefined
        ? await atOnceWhileShort(this.#initialFrames(items), turn)
        : await inTurns(this.#convertedFrames(await selected(this.#conversion, items)), turn);
    return this.over || frames.length === 0 || this.#write(frames);
  }

  *#convertedFrames(items: readonly CacheItem[]): Steps<Uint8Array[]> {
    const frames: Uint8Array[] = [];
    for (const item of items) frames.push(yield* this.#encode.converted("ADDED", item));
    return frames;
  }

  *#initialFrames(items: readonly CacheItem[]): Steps<Uint8Array[]> {
    const frames: Uint8Array[] = [];
    const pace = new Pace(INITIAL_PER_STEP);
    for (const item of items) {
      if (this.over) break;
      if (item.bytes.length > LARGE_BYTES) frames.push(yield* this.#encode.initialInSteps(item));
      else {
        if (pace.due()) yield;
        frames.push(this.#encode.initial(item));
      }
    }
    return frames;
  }

  send(frame: Uint8Array): void {
    if (!this.over) this.#writer.write(frame);
  }

  /** And once shortly before its end, so that the client can go on from there. */
  bookmarkEvery(ms: number): void {
    if (this.over) return;
    this.#bookmarks = this.#clock.every(ms, () => this.#bookmark());
    const untilLastMs = this.#endsAtMs - LAST_BOOKMARK_MS - this.#clock.monotonicMs();
    if (untilLastMs > 0) this.#lastBookmark = this.#clock.setTimer(untilLastMs, () => this.#bookmark());
  }

  #bookmark(): void {
    const revision = this.#watch?.revision;
    // A bookmark says that everything before it was sent. It may be left out: the next one comes.
    if (revision === undefined || this.#converted?.idle === false || !this.#late.idle) return;
    if (this.#encode.ready() !== undefined) return;
    try {
      this.#queue(this.#encode.bookmark(revision, undefined));
    } catch (error) {
      // A timer has called: nobody else would take it, and the process would end.
      this.fail(error);
    }
  }

  endAfter(ms: number): void {
    if (this.over) return;
    this.#endsAtMs = this.#clock.monotonicMs() + ms;
    this.#timeout = this.#clock.setTimer(ms, () => this.#end());
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.flush();
    this.#writer.write(this.#encode.error(toWatchError(error)));
    this.#end();
  }

  #queue(frame: Uint8Array): void {
    this.#pending.push(frame);
    this.pendingBytes += frame.length;
    if (this.#queuedBytes > MAX_QUEUED_BYTES) {
      this.#pending = [];
      this.#end();
      return;
    }
    if (this.#held || this.#scheduled || this.#lagging) return;
    this.#scheduled = true;
    (this.#writer.framed === true ? framedRounds : rounds).add(this);
  }

  flush(): void {
    this.#scheduled = false;
    if (this.over || this.#held) return;
    while (!this.#lagging && this.#pending.length > 0) {
      if (!this.#write(this.#nextPiece())) this.#waitForRoom();
    }
    if (this.#queuedBytes <= MAX_REPLAYED_BYTES) this.#caughtUp?.();
  }

  #waitForRoom(): void {
    if (this.#lagging) return;
    this.#lagging = true;
    void this.#writer.drained().then(() => {
      this.#lagging = false;
      this.flush();
    });
  }

  /** Frames that one write can hold, one of them at least. */
  #nextPiece(): Uint8Array[] {
    const { chunkBytes } = this.#writer;
    if (this.pendingBytes <= chunkBytes) {
      const all = this.#pending;
      this.#pending = [];
      this.pendingBytes = 0;
      return all;
    }
    let sizeBytes = 0;
    let count = 0;
    do sizeBytes += this.#pending[count++]!.length;
    while (sizeBytes + (this.#pending[count]?.length ?? Number.POSITIVE_INFINITY) <= chunkBytes);
    this.pendingBytes -= sizeBytes;
    return this.#pending.splice(0, count);
  }

  #write(frames: readonly Uint8Array[]): boolean {
    this.#writer.onMessages?.(frames.length);
    if (this.#writer.framed !== true) return this.#writer.write(joined(frames));
    return frames.map((frame) => this.#writer.write(frame)).every((room) => room);
  }

  #end(): void {
    if (this.over) return;
    this.flush();
    this.over = true;
    this.#late.end();
    this.#converted?.end();
    this.#bookmarks?.cancel();
    this.#lastBookmark?.cancel();
    this.#timeout?.cancel();
    this.#watch?.close();
    this.#pending = [];
    this.#caughtUp?.();
    this.#done();
  }
}

/** Of all servers of this process together: they share its event loop. */
const rounds = new FlushRounds(systemClock);
/** Where frames stay apart, waiting for more of them saves nothing; nor does time have to pass inside of one process. */
const framedRounds = new FlushRounds(undefined);

/** Larger pieces are not kept for those who may want the same. */
const MAX_KEPT_BYTES = 64 * 1024;
let kept: { readonly frames: readonly Uint8Array[]; readonly joined: Uint8Array } | undefined;

/** Frames in one piece. The same events go to one watch after the other: they are joined once for all of them. */
function joined(frames: readonly Uint8Array[]): Uint8Array {
  if (frames.length === 1) return frames[0]!;
  if (kept?.frames.length === frames.length && frames.every((frame, index) => frame === kept?.frames[index]))
    return kept.joined;
  const joined = Buffer.concat(frames);
  if (joined.length <= MAX_KEPT_BYTES) kept = { frames, joined };
  return joined;
}
