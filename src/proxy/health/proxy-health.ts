// Whether the proxy is well: what it was told of is in the kernel, or has not waited for too long. Requirements of load
// balancers that ask nodes, as upstream's proxy answers them.

import type { Clock } from "../../base/clock.ts";
import type { Family } from "../rules/backends.ts";

export class ProxyHealth {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #families = new Map<Family, RulesHealth>();
  #isEligible = true;

  /** Changes may wait so long before something is wrong. */
  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** Of the rules of one family. */
  of(family: Family): RulesHealth {
    let health = this.#families.get(family);
    if (health === undefined) {
      health = new RulesHealth(this.#clock, this.#patienceMs);
      this.#families.set(family, health);
    }
    return health;
  }

  /** Whether load balancers should send traffic to this node. */
  setEligible(isEligible: boolean): void {
    this.#isEligible = isEligible;
  }

  get isEligible(): boolean {
    return this.#isEligible;
  }

  get isHealthy(): boolean {
    return [...this.#families.values()].every((health) => health.isHealthy);
  }

  /** When the rules that have waited longest were last brought up to date; now, as long as nothing waits. */
  get lastUpdatedMs(): number {
    return Math.min(this.#clock.nowMs(), ...[...this.#families.values()].map((health) => health.lastUpdatedMs));
  }
}

export class RulesHealth {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /** When the first change came that nobody has taken up, and the first of those that are on their way to the kernel. */
  #waitingSinceMs: number | undefined;
  #takenSinceMs: number | undefined;
  #updatedMs: number | undefined;

  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  changed(): void {
    this.#waitingSinceMs ??= this.#clock.monotonicMs();
  }

  /** What waits is taken up now: what comes meanwhile has its own time. */
  taken(): void {
    this.#takenSinceMs ??= this.#waitingSinceMs;
    this.#waitingSinceMs = undefined;
  }

  /** What was taken up is in the kernel. */
  applied(): void {
    this.#takenSinceMs = undefined;
    this.#updatedMs = this.#clock.nowMs();
  }

  get isHealthy(): boolean {
    const since = this.#sinceMs;
    return since === undefined || this.#clock.monotonicMs() - since < this.#patienceMs;
  }

  /** When the rules were last brought up to date; now, as long as nothing waits. */
  get lastUpdatedMs(): number {
    return this.#sinceMs === undefined ? this.#clock.nowMs() : (this.#updatedMs ?? 0);
  }

  get #sinceMs(): number | undefined {
    return this.#takenSinceMs ?? this.#waitingSinceMs;
  }
}
