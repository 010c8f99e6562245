// Whether the proxy is well: what it was told of is in the kernel, or has not waited for too long. Requirements of load
// balancers that ask nodes, as upstream's proxy answers them.

import type { Clock } from "../../base/clock.ts";

export class ProxyHealth {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /** When the first change that is not in the kernel came. */
  #waitingSinceMs: number | undefined;
  #updatedMs: number | undefined;
  #isEligible = true;

  /** Changes may wait so long before something is wrong. */
  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  changed(): void {
    this.#waitingSinceMs ??= this.#clock.monotonicMs();
  }

  applied(): void {
    this.#waitingSinceMs = undefined;
    this.#updatedMs = this.#clock.nowMs();
  }

  /** Whether load balancers should send traffic to this node. */
  setEligible(isEligible: boolean): void {
    this.#isEligible = isEligible;
  }

  get isHealthy(): boolean {
    const since = this.#waitingSinceMs;
    return since === undefined || this.#clock.monotonicMs() - since < this.#patienceMs;
  }

  get isEligible(): boolean {
    return this.#isEligible;
  }

  /** When the rules were last brought up to date; now, as long as nothing waits. */
  get lastUpdatedMs(): number {
    return this.#waitingSinceMs === undefined ? this.#clock.nowMs() : (this.#updatedMs ?? 0);
  }
}
