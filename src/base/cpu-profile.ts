// Where this process spends its time, in V8's format (.cpuprofile). One profile at a time.

import { Session } from "node:inspector/promises";
import type { Clock } from "./clock.ts";

export const DEFAULT_PROFILE_SECONDS = 30;
export const MAX_PROFILE_SECONDS = 60;

let isUnderWay = false;

/** Undefined while another one is being made. Who gives up meanwhile gets what there is. */
export async function takeCpuProfile(clock: Clock, seconds: number, signal: AbortSignal): Promise<string | undefined> {
  if (isUnderWay) return undefined;
  isUnderWay = true;
  const session = new Session();
  try {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await clock.sleep(seconds * 1000, signal).catch(() => undefined);
    const made = await session.post("Profiler.stop");
    return JSON.stringify(made.profile);
  } finally {
    session.disconnect();
    isUnderWay = false;
  }
}
