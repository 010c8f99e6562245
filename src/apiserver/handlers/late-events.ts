// Events that take long to encode, in steps. What comes behind one waits for it: a watch hears everything in its order.

import type { Steps } from "../../base/steps.ts";
import { inTurns } from "../../base/steps.ts";
import type { CacheEvent, EventType } from "../../registry/items.ts";

interface LateEventsOptions {
  /** What has to be there before anything is encoded; undefined when it is. */
  readonly ready: () => Promise<void> | undefined;
  readonly encode: (event: CacheEvent, type: EventType) => Steps<Uint8Array>;
  readonly turn: () => Promise<void>;
  readonly deliver: (frame: Uint8Array) => void;
  readonly fail: (error: unknown) => void;
}

interface Waiting {
  readonly event: CacheEvent;
  readonly type: EventType;
}

/** More bytes than this do not wait: the watch ends, and the client lists again. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** One after the other for all watches of this process: the second that shows a change in one form finds its frame. */
let before: Promise<unknown> = Promise.resolve();

export class LateEvents {
  readonly #options: LateEventsOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #encoding = false;
  #over = false;

  constructor(options: LateEventsOptions) {
    this.#options = options;
  }

  /** Nothing waits: everything that happened has been delivered. */
  get idle(): boolean {
    return !this.#encoding;
  }

  /** False when too much waits already. */
  push(event: CacheEvent, type: EventType): boolean {
    this.#waitingBytes += event.item.bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES && this.#waiting.length > 0) return false;
    this.#waiting.push({ event, type });
    if (!this.#encoding) void this.#run();
    return true;
  }

  /** Nobody listens any more. */
  end(): void {
    this.#over = true;
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    const { ready, encode, turn, deliver, fail } = this.#options;
    this.#encoding = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        const { event, type } = next;
        const frame = await alone(async () => {
          if (!this.#over) await ready();
          return this.#over ? undefined : inTurns(encode(event, type), turn);
        });
        this.#waitingBytes -= event.item.bytes.length;
        if (frame !== undefined && !this.#over) deliver(frame);
      }
    } catch (error) {
      if (!this.#over) fail(error);
    } finally {
      this.#encoding = false;
    }
  }
}

function alone<T>(work: () => Promise<T>): Promise<T> {
  const done = before.then(work);
  before = done.catch(() => undefined);
  return done;
}
