// One priority level at work: who sits, who waits, who is sent away.

import type { Clock } from "../base/clock.ts";
import type { PriorityLevelConfigurationSpec } from "../kinds/flowcontrol/priority-level-spec.ts";
import type { FlowMark } from "../registry/request.ts";
import { emptiest, type Queue, type QueueShape, Queues, type Waiter, WaitingQueues } from "./fair-queue.ts";
import type { FlowSeries, SeatRefusal } from "./flow-metrics.ts";
import type { SeatLimits } from "./seat-limits.ts";
import type { SeatPool } from "./seat-pool.ts";

/** Requests that take turns with others of their level. */
export interface Flow {
  readonly level: PriorityLevel;
  readonly schema: string;
  /** The user or the namespace, as the schema says. */
  readonly distinguisher: string;
  /** Where its requests may wait. */
  readonly hand: readonly Queue[];
  readonly series: FlowSeries;
  /** What answers say about it. */
  readonly mark: FlowMark;
}

/** A request that runs. */
export interface Seat {
  readonly flow: Flow;
  readonly queue: Queue | undefined;
  readonly sinceMs: number;
}

const NO_LIMITS: SeatLimits = { nominal: 0, lower: 0, upper: 0 };

interface PriorityLevelDeps {
  readonly pool: SeatPool;
  readonly maxWaitMs: number;
  readonly clock: Clock;
  /** The last one has left a level that nobody wants any more. */
  readonly onGone: () => void;
}

export class PriorityLevel {
  readonly name: string;
  readonly exempt: boolean;
  /** Of the object behind it; empty when it exists only here. */
  uid = "";
  spec: PriorityLevelConfigurationSpec = { type: "" };
  limits: SeatLimits = NO_LIMITS;
  executing = 0;
  waiting = 0;
  /** No object asks for it any more: it goes when nobody is in it. */
  leaving = false;
  readonly counts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  readonly #pool: SeatPool;
  readonly #deps: PriorityLevelDeps;
  #asked: QueueShape | undefined;
  #queues: Queues | undefined;
  readonly #lines = new WaitingQueues();

  constructor(name: string, exempt: boolean, deps: PriorityLevelDeps) {
    this.name = name;
    this.exempt = exempt;
    this.#deps = deps;
    this.#pool = deps.pool;
  }

  /** Takes over what an object says. Who waits already, waits on where it is; new flows are dealt anew. */
  configure(uid: string, spec: PriorityLevelConfigurationSpec): void {
    this.uid = uid;
    this.spec = spec;
    const response = spec.limited?.limitResponse;
    const shape = response?.type === "Queue" ? (response.queuing ?? undefined) : undefined;
    if (sameShape(shape, this.#asked)) return;
    this.#asked = shape;
    this.#queues = shape === undefined ? undefined : new Queues(shape);
  }

  /** Where requests wait; undefined where nobody may. */
  get queues(): Queues | undefined {
    return this.#queues;
  }

  get idle(): boolean {
    return this.executing === 0 && this.waiting === 0;
  }

  deal(schema: string, distinguisher: string): readonly Queue[] {
    return this.#queues?.deal(schema, distinguisher) ?? [];
  }

  /** A seat at once, or later, or none. Give it back with `leave`. The signal is only made for a caller who must wait. */
  take(flow: Flow, caller: { readonly signal: AbortSignal }): Seat | SeatRefusal | Promise<Seat | SeatRefusal> {
    if (this.exempt) return this.#sit(flow, undefined);
    const queue = emptiest(flow.hand);
    // While somebody waits, no free seat is left for this level.
    if (this.waiting === 0 && this.#pool.hasSeat(this)) {
      flow.series.waited(0);
      if (queue !== undefined) queue.executing += 1;
      return this.#sit(flow, queue);
    }
    if (queue === undefined) return this.#refuse(flow, "concurrency-limit");
    if (queue.waiters.size >= (this.#asked?.queueLengthLimit ?? 0)) return this.#refuse(flow, "queue-full");
    const { signal } = caller;
    if (signal.aborted) return this.#refuse(flow, "cancelled");
    return this.#wait(flow, queue, signal);
  }

  leave({ queue }: Seat): void {
    if (queue !== undefined) this.#lines.left(queue);
    this.#pool.leave(this);
    this.#pool.seatWaiting();
    if (this.leaving && this.idle) this.#deps.onGone();
  }

  /** Seats the one whose turn it is. Somebody must wait. */
  seatNext(): void {
    const { queue, waiter } = this.#lines.next()!;
    this.#waits(-1);
    waiter.seat(queue);
  }

  #sit(flow: Flow, queue: Queue | undefined): Seat {
    this.#pool.sit(this);
    this.counts.dispatched += 1;
    flow.series.began();
    return { flow, queue, sinceMs: performance.now() };
  }

  #wait(flow: Flow, queue: Queue, signal: AbortSignal): Promise<Seat | SeatRefusal> {
    const { series } = flow;
    const { clock, maxWaitMs } = this.#deps;
    return new Promise((resolve) => {
      const sinceMs = clock.monotonicMs();
      const seconds = () => (clock.monotonicMs() - sinceMs) / 1000;
      const settle = () => {
        timer.cancel();
        signal.removeEventListener("abort", cancelled);
        series.waiting -= 1;
      };
      const waiter: Waiter = {
        flow,
        arrivedMs: clock.nowMs(),
        seat: (at) => {
          settle();
          series.waited(seconds());
          resolve(this.#sit(flow, at));
        },
      };
      const giveUp = (why: SeatRefusal) => {
        if (!this.#lines.remove(queue, waiter)) return;
        this.#waits(-1);
        settle();
        series.gaveUp(seconds());
        resolve(this.#refuse(flow, why));
      };
      const cancelled = () => giveUp("cancelled");
      const timer = clock.setTimer(maxWaitMs, () => giveUp("time-out"));
      signal.addEventListener("abort", cancelled);
      this.#lines.add(queue, waiter);
      this.#waits(1);
      series.waiting += 1;
      series.joined(queue.waiters.size);
    });
  }

  #waits(by: 1 | -1): void {
    this.waiting += by;
    this.#pool.waits(this, this.waiting > 0);
  }

  #refuse({ series }: Flow, why: SeatRefusal): SeatRefusal {
    if (why === "time-out") this.counts.timedOut += 1;
    else if (why === "cancelled") this.counts.cancelled += 1;
    else this.counts.rejected += 1;
    series.refused(why);
    return why;
  }
}

function sameShape(a: QueueShape | undefined, b: QueueShape | undefined): boolean {
  return a?.queues === b?.queues && a?.handSize === b?.handSize && a?.queueLengthLimit === b?.queueLengthLimit;
}
