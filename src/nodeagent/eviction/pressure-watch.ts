// Follows what the node runs short of: which thresholds are met and for how long, which pressures are reported, and which
// thresholds are to be acted on.

import type { Clock } from "../../base/clock.ts";
import type { Pressure } from "../node/conditions.ts";
import type { MachineFacts } from "../node/machine.ts";
import {
  type EvictionThreshold,
  metThresholds,
  type Observation,
  type Observations,
  observationsOf,
  pressureOf,
} from "./signals.ts";

interface PressureWatchOptions {
  readonly clock: Clock;
  readonly thresholds: readonly EvictionThreshold[];
  /** A pressure that ended is reported until this time is over, so that it does not flicker. */
  readonly transitionMs: number;
  readonly measure: () => Promise<MachineFacts>;
  /** Undefined where pods together are not held to what they may use. */
  readonly podsMemory: () => Promise<Observation | undefined>;
  /** Another set of pressures is reported than before. */
  readonly onChange: () => void;
}

export interface Shortage {
  readonly observations: Observations;
  /** Met for long enough to be acted on. */
  readonly due: readonly EvictionThreshold[];
  /** Whether images and containers have a disk of their own. */
  readonly hasImageDisk: boolean;
}

export class PressureWatch {
  readonly #options: PressureWatchOptions;
  readonly #metSinceMs = new Map<EvictionThreshold, number>();
  readonly #lastSeenMs = new Map<Pressure, number>();
  #actedOn: readonly EvictionThreshold[] = [];
  #told = "";

  constructor(options: PressureWatchOptions) {
    this.#options = options;
  }

  /** Measures once, and says what is to be acted on. */
  async look(): Promise<Shortage> {
    const { clock, thresholds, onChange } = this.#options;
    const { observations, hasImageDisk } = await this.#observe();
    const met = metThresholds(thresholds, observations);
    // What was acted on stays until enough was reclaimed.
    for (const threshold of metThresholds(this.#actedOn, observations, { reclaiming: true }))
      if (!met.includes(threshold)) met.push(threshold);
    const nowMs = clock.monotonicMs();
    for (const threshold of this.#metSinceMs.keys()) if (!met.includes(threshold)) this.#metSinceMs.delete(threshold);
    for (const threshold of met) {
      if (!this.#metSinceMs.has(threshold)) this.#metSinceMs.set(threshold, nowMs);
      this.#lastSeenMs.set(pressureOf(threshold.signal), nowMs);
    }
    const due = met.filter((threshold) => nowMs - (this.#metSinceMs.get(threshold) ?? nowMs) >= threshold.graceMs);
    this.#actedOn = due;
    const told = [...this.reported()].sort().join();
    if (told !== this.#told) {
      this.#told = told;
      onChange();
    }
    return { observations, due, hasImageDisk };
  }

  /** Whether no threshold is met any more, with what is to be reclaimed besides: something of the node's own was removed. */
  async isOver(): Promise<boolean> {
    const { observations } = await this.#observe();
    return metThresholds(this.#options.thresholds, observations, { reclaiming: true }).length === 0;
  }

  /** Those that were seen at the last look, or within the transition period. */
  reported(): ReadonlySet<Pressure> {
    const { clock, transitionMs } = this.#options;
    const nowMs = clock.monotonicMs();
    const now = new Set([...this.#metSinceMs.keys()].map(({ signal }) => pressureOf(signal)));
    for (const [pressure, seenMs] of this.#lastSeenMs) if (nowMs - seenMs < transitionMs) now.add(pressure);
    return now;
  }

  async #observe(): Promise<{ readonly observations: Observations; readonly hasImageDisk: boolean }> {
    const { measure, podsMemory } = this.#options;
    const [machine, pods] = await Promise.all([measure(), podsMemory()]);
    return { observations: observationsOf(machine, pods), hasImageDisk: machine.imageFilesystem !== undefined };
  }
}
