// The lines of one priority level. Every flow is dealt a hand of them and joins the emptiest; free seats go to the line
// that has the fewest, and among those in turn. So one that sends thousands fills its own lines and nobody else's.

import { createHash } from "node:crypto";

/** More lines than this make no difference to anybody, and memory must not follow what a configuration says. */
export const MAX_QUEUES = 16_384;

export interface Waiter {
  readonly flow: { readonly schema: string; readonly distinguisher: string };
  readonly arrivedMs: number;
  /** Seats the request. */
  seat(queue: Queue): void;
}

export class Queue {
  readonly index: number;
  /** A Set keeps the order of arrival and lets go of those that leave early. */
  readonly waiters = new Set<Waiter>();
  executing = 0;

  constructor(index: number) {
    this.index = index;
  }
}

export interface QueueShape {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** The lines themselves, made when a flow is dealt them. */
export class Queues {
  readonly shape: QueueShape;
  readonly #queues = new Map<number, Queue>();

  constructor(shape: QueueShape) {
    const queues = Math.min(shape.queues, MAX_QUEUES);
    this.shape = { ...shape, queues, handSize: Math.min(shape.handSize, queues) };
  }

  deal(schema: string, distinguisher: string): Queue[] {
    const { queues, handSize } = this.shape;
    return dealHand(`${schema}\0${distinguisher}`, queues, handSize).map((index) => this.#at(index));
  }

  /** Those that were ever dealt, by index. */
  all(): Queue[] {
    return [...this.#queues.values()].sort((a, b) => a.index - b.index);
  }

  #at(index: number): Queue {
    let queue = this.#queues.get(index);
    if (queue === undefined) {
      queue = new Queue(index);
      this.#queues.set(index, queue);
    }
    return queue;
  }
}

/** So many different numbers below `queues`, always the same for the same flow. */
export function dealHand(flow: string, queues: number, handSize: number): number[] {
  const hand = new Set<number>();
  let digest = createHash("sha256").update(flow).digest();
  let offset = 0;
  // Floyd's way to draw without putting back: each draw is from one more number, and a repeated one stands for the newest.
  for (let last = queues - handSize; last < queues; last += 1) {
    if (offset === digest.length) {
      digest = createHash("sha256").update(digest).digest();
      offset = 0;
    }
    const drawn = digest.readUInt32LE(offset) % (last + 1);
    offset += 4;
    hand.add(hand.has(drawn) ? last : drawn);
  }
  return [...hand];
}

/** The line of a hand with the least in it. */
export function emptiest(hand: readonly Queue[]): Queue | undefined {
  let best: Queue | undefined;
  let bestLoad = Number.POSITIVE_INFINITY;
  for (const queue of hand) {
    const load = queue.waiters.size + queue.executing;
    if (load === 0) return queue;
    if (load < bestLoad) {
      best = queue;
      bestLoad = load;
    }
  }
  return best;
}

/** The lines in which somebody waits, by how many seats each has; equals in the order in which they got there. */
export class WaitingQueues {
  readonly #bySeats: Set<Queue>[] = [];

  add(queue: Queue, waiter: Waiter): void {
    queue.waiters.add(waiter);
    if (queue.waiters.size === 1) this.#tier(queue.executing).add(queue);
  }

  /** False when it waits no longer. */
  remove(queue: Queue, waiter: Waiter): boolean {
    if (!queue.waiters.delete(waiter)) return false;
    if (queue.waiters.size === 0) this.#tier(queue.executing).delete(queue);
    return true;
  }

  /** Takes the next one out and counts its seat. */
  next(): { queue: Queue; waiter: Waiter } | undefined {
    for (const tier of this.#bySeats) {
      for (const queue of tier ?? []) {
        const [waiter] = queue.waiters;
        queue.waiters.delete(waiter!);
        tier.delete(queue);
        queue.executing += 1;
        if (queue.waiters.size > 0) this.#tier(queue.executing).add(queue);
        return { queue, waiter: waiter! };
      }
    }
    return undefined;
  }

  /** A seat of this line has come free. */
  left(queue: Queue): void {
    if (queue.waiters.size > 0) {
      this.#tier(queue.executing).delete(queue);
      this.#tier(queue.executing - 1).add(queue);
    }
    queue.executing -= 1;
  }

  #tier(seats: number): Set<Queue> {
    // Filled from below: a line rises one seat at a time, but may begin to wait with any number of them.
    while (this.#bySeats.length <= seats) this.#bySeats.push(new Set());
    return this.#bySeats[seats]!;
  }
}
