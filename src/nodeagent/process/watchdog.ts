// The watchdog of the init system: told at half its interval that the agent is well, and not told while it is not.
// Requirements: document 3, "Limits" (Watchdog): what is killed is an agent that does not respond. So well means what
// /healthz means, and a runtime that has fallen silent, which no new agent would mend, counts as upstream counts it: after
// three minutes.

import type { Clock, Timer } from "../../base/clock.ts";
import { StartError } from "../../base/start-error.ts";

/** Shorter ones are not supported. */
const MIN_INTERVAL_MS = 1_000;

/**
 * The interval that the init system asks for; undefined when it asks for none, or asks another process.
 * Fails with StartError when it is too short or no number.
 */
export function watchdogIntervalMs(env: NodeJS.ProcessEnv, pid: number): number | undefined {
  const text = env["WATCHDOG_USEC"];
  if (text === undefined || text === "" || text === "0") return undefined;
  const forPid = env["WATCHDOG_PID"];
  if (forPid !== undefined && forPid !== "" && forPid !== String(pid)) return undefined;
  const intervalMs = /^[0-9]{1,15}$/.test(text) ? Number(text) / 1_000 : Number.NaN;
  if (Number.isNaN(intervalMs))
    throw new StartError(`watchdog: WATCHDOG_USEC is ${JSON.stringify(text)}, not microseconds`);
  if (intervalMs < MIN_INTERVAL_MS)
    throw new StartError(
      `watchdog: an interval of ${intervalMs / 1_000} seconds is too short, the least is 1.0 seconds`,
    );
  return intervalMs;
}

interface WatchdogOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Why the agent is not well; undefined when it is. */
  readonly problem: () => string | undefined;
  readonly tell: (words: string) => Promise<void>;
  readonly onProblem: (problem: string) => void;
}

export class Watchdog {
  readonly #timer: Timer;

  constructor({ clock, intervalMs, problem, tell, onProblem }: WatchdogOptions) {
    this.#timer = clock.every(intervalMs / 2, () => {
      const why = problem();
      if (why !== undefined) return onProblem(why);
      tell("WATCHDOG=1").catch((error: unknown) => onProblem(`the init system cannot be told: ${String(error)}`));
    });
  }

  stop(): void {
    this.#timer.cancel();
  }
}
