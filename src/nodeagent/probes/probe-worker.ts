// One probe of one container: a check every period, while the container runs and it is the probe's turn.

import type { Clock, Timer } from "../../base/clock.ts";
import type { Probe } from "../../kinds/core/pod/probe.ts";
import { type CheckResult, countCheck, type ProbeCount, UNPROBED } from "./probe-counter.ts";

export type ProbeSort = "startup" | "liveness" | "readiness";

/** The newest run of the container, while there is one. */
export interface ProbedRun {
  readonly id: string;
  readonly isRunning: boolean;
  readonly startedAtMs: number;
}

export interface CheckOutcome {
  /** What could not be found out counts neither for nor against the container. */
  readonly result: CheckResult | "unknown";
  readonly message: string;
  /** A success that the owner of the pod should hear of. */
  readonly isWarning?: boolean;
}

export interface KnownVerdict {
  readonly runId: string;
  readonly verdict: CheckResult;
}

interface ProbeWorkerDeps {
  readonly clock: Clock;
  readonly sort: ProbeSort;
  readonly probe: Probe;
  /** A run of which something is known already. */
  readonly known?: KnownVerdict | undefined;
  readonly run: () => ProbedRun | undefined;
  /** Whether the startup probe of this run has passed, if there is one. */
  readonly isStarted: (runId: string) => boolean;
  readonly check: (run: ProbedRun, signal: AbortSignal) => Promise<CheckOutcome>;
  /** The verdict has changed. */
  readonly onVerdict: () => void;
  /** Told of every check of a run that is not over. */
  readonly onChecked: (outcome: CheckOutcome) => void;
}

export class ProbeWorker {
  readonly #deps: ProbeWorkerDeps;
  readonly #stop = new AbortController();
  readonly #timer: Timer;
  #runId: string | undefined;
  #count: ProbeCount = UNPROBED;
  #checking = false;

  constructor(deps: ProbeWorkerDeps) {
    this.#deps = deps;
    this.#timer = deps.clock.every(seconds(deps.probe.periodSeconds, 10), () => void this.look());
    void this.look();
  }

  /** What is known of this run; undefined before there is a verdict. */
  verdict(runId: string): CheckResult | undefined {
    return this.#runId === runId ? this.#count.verdict : undefined;
  }

  close(): void {
    this.#timer.cancel();
    this.#stop.abort(new Error("the probe has ended"));
  }

  /** Checks now, where it is time to. */
  async look(): Promise<void> {
    const { run: runOf, clock, probe, known } = this.#deps;
    const run = runOf();
    if (run === undefined || this.#checking || this.#stop.signal.aborted) return;
    if (run.id !== this.#runId) {
      this.#runId = run.id;
      this.#count = known?.runId === run.id ? { verdict: known.verdict, last: known.verdict, run: 1 } : UNPROBED;
    }
    if (!run.isRunning || !this.#isDue(run.id)) return;
    if (clock.nowMs() < run.startedAtMs + seconds(probe.initialDelaySeconds, 0)) return;
    this.#checking = true;
    try {
      await this.#check(run);
    } finally {
      this.#checking = false;
    }
  }

  /** A startup probe ends with its success; the others begin with it. A container that is to be killed is left alone. */
  #isDue(runId: string): boolean {
    const { sort, isStarted } = this.#deps;
    const { verdict } = this.#count;
    if (sort === "startup") return verdict === undefined;
    if (sort === "liveness" && verdict === "failure") return false;
    return isStarted(runId);
  }

  async #check(run: ProbedRun): Promise<void> {
    const { probe, clock, check, onVerdict, onChecked } = this.#deps;
    const late = clock.timeoutSignal(seconds(probe.timeoutSeconds, 1));
    const signal = AbortSignal.any([this.#stop.signal, late]);
    const outcome = await check(run, signal).catch(
      (error: unknown): CheckOutcome => ({
        result: late.aborted ? "failure" : "unknown",
        message: error instanceof Error ? error.message : String(error),
      }),
    );
    // The answer may be about a run that is over.
    if (this.#stop.signal.aborted || this.#runId !== run.id) return;
    onChecked(outcome);
    if (outcome.result === "unknown") return;
    const before = this.#count.verdict;
    const thresholds = { success: probe.successThreshold || 1, failure: probe.failureThreshold || 3 };
    this.#count = countCheck(this.#count, outcome.result, thresholds);
    if (this.#count.verdict !== before) onVerdict();
  }
}

const seconds = (value: number | undefined, unset: number): number => (value || unset) * 1000;
