// Waiting inside a control plane: until nothing happens any more, and while time has to pass.

import { type FakeClock, systemClock } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import type { Actor } from "./actors.ts";
import type { ObservedHandler } from "./observed-handler.ts";

type MovedClock = Pick<FakeClock, "advance">;

/** So many turns of the event loop without a request and without work, and nothing is on its way any more. */
const QUIET_TURNS = 12;
/** Whoever tries something again in the middle of its work waits for time, which then passes in steps, and not for ever. */
const WAIT_STEP_MS = 10;
const MAX_WAIT_MS = 5_000;
const MAX_STILL_TURNS = 1_000;

/** Resolves with whether it became quiet: somebody may work for ever. */
export async function untilQuiet(
  observed: ObservedHandler,
  actors: readonly Actor[],
  clock: MovedClock | undefined,
): Promise<boolean> {
  let answered = -1;
  let waitedMs = 0;
  for (let quiet = 0; ; quiet += 1) {
    if (isAsked(observed, clock) || observed.answered !== answered) quiet = 0;
    answered = observed.answered;
    if (quiet >= QUIET_TURNS) {
      if (!actors.some(({ busy }) => busy)) return true;
      if (waitedMs >= MAX_WAIT_MS) return false;
      waitedMs += WAIT_STEP_MS;
      await (clock === undefined ? systemClock.sleep(WAIT_STEP_MS) : clock.advance(WAIT_STEP_MS));
    }
    // What is due now happens now.
    await clock?.advance(0);
    await nextTurn();
  }
}

/** Resolves when what has begun is done as far as it needs no time, or after so many turns: somebody may work for ever. */
export async function untilStill(
  observed: ObservedHandler,
  actors: readonly Actor[],
  clock: MovedClock,
): Promise<void> {
  let answered = -1;
  for (let [turn, quiet] = [0, 0]; quiet < QUIET_TURNS && turn < MAX_STILL_TURNS; turn += 1, quiet += 1) {
    if (isAsked(observed, clock) || observed.answered !== answered || actors.some(({ busy }) => busy)) quiet = 0;
    answered = observed.answered;
    await clock.advance(0);
    await nextTurn();
  }
}

/** Whoever has to try something again meanwhile waits for its time, which passes only where nothing else happens. */
export async function whileTimePasses<T>(
  work: Promise<T>,
  observed: ObservedHandler,
  clock: MovedClock | undefined,
): Promise<T> {
  let isOver = clock === undefined;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  let answered = -1;
  for (let quiet = 0; !isOver; quiet += 1) {
    if (isAsked(observed, clock) || observed.answered !== answered) quiet = 0;
    answered = observed.answered;
    await clock?.advance(quiet >= QUIET_TURNS ? WAIT_STEP_MS : 0);
    await nextTurn();
  }
  return work;
}

/** Of what waits for a clock that stands still nothing comes before that is moved. */
const isAsked = (observed: ObservedHandler, clock: MovedClock | undefined): boolean =>
  observed.underWay > (clock === undefined ? 0 : observed.waitingForTime);
