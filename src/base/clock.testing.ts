// A clock for tests of retries: nobody sleeps on it, and it notes how long they would have.

import { FakeClock } from "./clock.ts";

export class SleeplessClock extends FakeClock {
  readonly sleptMs: number[] = [];

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleptMs.push(ms);
  }
}
