// When watches are sent what has happened since: round after round, and never more than half of the time. Under a burst of
// changes events for one watch so join into one write, which costs hardly more than a write for one of them; a change that
// comes alone is sent as soon as the turn in which it came is over. Requirements: document 1, "Events".

import type { Clock } from "../../base/clock.ts";
import { afterThisTurn } from "../../base/next-turn.ts";

/** So many watches are served in one turn of the event loop; requests have their turn in between. */
const FLUSHED_PER_TURN = 200;
/** And those that follow so many bytes wait for the next turn: they are encrypted for each client, most of them later. */
const FLUSHED_BYTES_PER_TURN = 1024 * 1024;
/** After a shorter round there is no rest. */
const MIN_REST_MS = 1;
/** Nor a longer one than this, however long the round was. */
const MAX_REST_MS = 20;

type RoundsClock = Pick<Clock, "monotonicMs" | "setTimer">;

interface Flushable {
  /** What a flush has to send. */
  readonly pendingBytes: number;
  flush(): void;
}

export class FlushRounds {
  readonly #clock: RoundsClock | undefined;
  /** Of this round, those not served yet. */
  #round: Flushable[] = [];
  #next: Flushable[] = [];
  #scheduled = false;
  #tookMs = 0;
  #restUntilMs = Number.NEGATIVE_INFINITY;

  /** Without a clock there is no rest between rounds. */
  constructor(clock: RoundsClock | undefined) {
    this.#clock = clock;
  }

  /** To be called once for each flush: of who waits already. */
  add(waiting: Flushable): void {
    this.#next.push(waiting);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const restMs = this.#restUntilMs - this.#nowMs();
    if (this.#clock === undefined || restMs < MIN_REST_MS) afterThisTurn(() => this.#run());
    else this.#clock.setTimer(restMs, () => this.#run());
  }

  #nowMs(): number {
    return this.#clock?.monotonicMs() ?? 0;
  }

  #run(): void {
    this.#scheduled = false;
    if (this.#round.length === 0) {
      this.#round = this.#next;
      this.#next = [];
      this.#tookMs = 0;
    }
    const count = countOfTurn(this.#round);
    const now = this.#round.slice(0, count);
    this.#round = this.#round.slice(count);
    const startMs = this.#nowMs();
    for (const waiting of now) waiting.flush();
    const endMs = this.#nowMs();
    this.#tookMs += endMs - startMs;
    if (this.#round.length === 0) this.#restUntilMs = endMs + Math.min(this.#tookMs, MAX_REST_MS);
    if (this.#round.length + this.#next.length > 0) this.#schedule();
  }
}

function countOfTurn(round: readonly Flushable[]): number {
  let sizeBytes = 0;
  let count = 0;
  while (count < round.length && count < FLUSHED_PER_TURN && sizeBytes < FLUSHED_BYTES_PER_TURN)
    sizeBytes += round[count++]!.pendingBytes;
  return count;
}
