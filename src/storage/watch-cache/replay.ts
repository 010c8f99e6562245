// Brings a watcher from the revision it asked for up to the live changes, without gap or repeat.

import { nextTurn } from "../../base/next-turn.ts";
import { inTurns } from "../../base/steps.ts";
import type { Revision } from "../engine.ts";
import { asStorageError } from "./as-storage-error.ts";
import type { EngineHistory } from "./engine-history.ts";
import type { Watcher } from "./watcher.ts";
import type { EventBatch, Window } from "./window.ts";

/** Changes handed over in one turn of the event loop. */
const BATCH_CHANGES = 256;

interface ReplaySource {
  readonly window: Window;
  readonly history: EngineHistory;
  /** What the cache has reached now. */
  revision(): Revision;
  /** Makes the watcher live. Called in the turn in which nothing is left to replay. */
  join(watcher: Watcher): void;
}

/** Whether a watcher after this revision can go live at once. */
export function isCaughtUp(after: Revision, window: Window): boolean {
  return after >= window.floor && window.indexAfter(after) === window.length;
}

/** Ends the watcher with what the engine fails with, when the window no longer holds the changes. */
export async function replay(watcher: Watcher, source: ReplaySource): Promise<void> {
  try {
    while (!watcher.closed) {
      if (watcher.reached < source.window.floor) {
        await replayFromEngine(watcher, source);
        continue;
      }
      const batch = source.window.batchAfter(watcher.reached, BATCH_CHANGES, watcher.options.scope);
      if (batch === undefined) {
        source.join(watcher);
        return;
      }
      offer(watcher, batch);
      await pace(watcher);
    }
  } catch (error) {
    watcher.end(asStorageError(error));
  }
}

async function replayFromEngine(watcher: Watcher, source: ReplaySource): Promise<void> {
  const { history, window } = source;
  const stretch = await history.read(watcher.reached, window.floor, source.revision());
  while (!watcher.closed) {
    const batch = await inTurns(stretch.batchAfter(watcher.reached, BATCH_CHANGES, watcher.options.scope));
    if (batch === undefined) return;
    offer(watcher, batch);
    await pace(watcher);
  }
}

function offer(watcher: Watcher, batch: EventBatch): void {
  for (const event of batch.events) watcher.offer(event);
  watcher.reached = batch.reached;
}

/** Lets others run, and a slow consumer catch up: what it has missed waits in the window, not in a queue of its own. */
async function pace(watcher: Watcher): Promise<void> {
  if (watcher.closed) return;
  await watcher.options.sink.drained?.();
  await nextTurn();
}
