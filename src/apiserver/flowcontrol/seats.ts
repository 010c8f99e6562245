// Seats for requests that run at the same time. Who finds none waits, and waiting users take turns: one that sends a
// thousand requests does not make the others wait for all of them.

export interface SeatLimits {
  readonly seats: number;
  /** How many requests may wait, all users together. */
  readonly maxWaiting: number;
  /** How long one may wait. */
  readonly maxWaitMs: number;
}

/** No seat came free in time, or too many wait already. */
export class NoSeat extends Error {}

type Release = () => void;

interface Waiter {
  seat(): void;
}

export class Seats {
  readonly #limits: SeatLimits;
  #taken = 0;
  #waiting = 0;
  /** Users in the order of their turns; a Map keeps the order of insertion. */
  readonly #queues = new Map<string, Waiter[]>();

  constructor(limits: SeatLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** A seat, now or when one comes free. The caller gives it back once. Rejects with NoSeat. */
  take(user: string): Release | Promise<Release> {
    if (this.#taken < this.#limits.seats) {
      this.#taken += 1;
      return this.#release();
    }
    if (this.#waiting >= this.#limits.maxWaiting) return Promise.reject(new NoSeat());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        seat: () => {
          clearTimeout(timer);
          resolve(this.#release());
        },
      };
      const timer = setTimeout(() => {
        this.#leave(user, waiter);
        reject(new NoSeat());
      }, this.#limits.maxWaitMs).unref();
      this.#waiting += 1;
      const queue = this.#queues.get(user);
      if (queue === undefined) this.#queues.set(user, [waiter]);
      else queue.push(waiter);
    });
  }

  #release(): Release {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#nextWaiter();
      // A seat goes on to the next one without coming free in between.
      if (next === undefined) this.#taken -= 1;
      else next.seat();
    };
  }

  #nextWaiter(): Waiter | undefined {
    for (const [user, queue] of this.#queues) {
      const waiter = queue.shift()!;
      this.#waiting -= 1;
      this.#queues.delete(user);
      // Back to the end of the line.
      if (queue.length > 0) this.#queues.set(user, queue);
      return waiter;
    }
    return undefined;
  }

  #leave(user: string, waiter: Waiter): void {
    const queue = this.#queues.get(user) ?? [];
    const at = queue.indexOf(waiter);
    if (at < 0) return;
    queue.splice(at, 1);
    this.#waiting -= 1;
    if (queue.length === 0) this.#queues.delete(user);
  }
}
