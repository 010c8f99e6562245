// Whether the store answers, and takes writes.

import type { Clock } from "../base/clock.ts";
import type { StorageEngine } from "../storage/engine.ts";

/** Whoever asks about a server's health does not wait longer than some seconds for the answer. */
const TIMEOUT_MS = 2_000;

/** Tells why the store is of no use; undefined when it is. Those who ask at the same time share one answer. */
export function storeProbe(engine: StorageEngine, clock: Clock): () => Promise<string | undefined> {
  let asking: Promise<string | undefined> | undefined;
  return () => {
    asking ??= ask(engine, clock).finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

async function ask(engine: StorageEngine, clock: Clock): Promise<string | undefined> {
  if (engine.failure !== undefined) return engine.failure.message;
  let late: () => void = () => undefined;
  const timer = clock.setTimer(TIMEOUT_MS, () => late());
  try {
    const timeout = new Promise<string>((resolve) => {
      late = () => resolve(`no answer within ${TIMEOUT_MS / 1000} seconds`);
    });
    return await Promise.race([Promise.resolve(engine.currentRevision()).then(() => undefined), timeout]);
  } catch (error) {
    return (error as Error).message;
  } finally {
    timer.cancel();
  }
}
