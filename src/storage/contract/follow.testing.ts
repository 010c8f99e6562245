// A watcher for tests: collects what a watch delivers and waits for conditions instead of sleeping.

import type { Change, Revision, StorageEngine } from "../engine.ts";

const WAIT_LIMIT_MS = 20_000;

interface Follower {
  readonly changes: readonly Change[];
  readonly progress: readonly Revision[];
  /** Resolves once so many changes were delivered. */
  count(changes: number): Promise<readonly Change[]>;
  /** Resolves once a progress call says at least this revision. */
  progressTo(revision: Revision): Promise<void>;
  /** How the watch ended: fulfilled after stop(), rejected with its error. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export function follow(engine: StorageEngine, prefix: string, after: Revision): Follower {
  const changes: Change[] = [];
  const progress: Revision[] = [];
  const controller = new AbortController();
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  let failure: { readonly error: unknown } | undefined;

  const sink = {
    change(change: Change) {
      changes.push(change);
      wake();
    },
    progress(revision: Revision) {
      progress.push(revision);
      wake();
    },
  };
  const ended = engine.watch(prefix, after, sink, controller.signal);
  ended.catch((error: unknown) => {
    failure = { error };
    wake();
  });

  function until(reached: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (reached()) finish(resolve);
        else if (failure !== undefined) finish(() => reject(failure?.error));
      };
      const timer = setTimeout(
        () => finish(() => reject(new Error(`waited in vain for ${what}; saw ${changes.length} changes`))),
        WAIT_LIMIT_MS,
      );
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        waiting.delete(check);
        settle();
      };
      waiting.add(check);
      check();
    });
  }

  return {
    changes,
    progress,
    ended,
    async count(wanted) {
      await until(() => changes.length >= wanted, `${wanted} changes`);
      return changes;
    },
    progressTo: (revision) =>
      until(() => progress.some((seen) => seen >= revision), `progress to revision ${revision}`),
    async stop() {
      controller.abort();
      await ended;
    },
  };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : new TextDecoder().decode(value);

/** A change in one line, for comparisons that read well when they fail: "12 put /a/x=1 was 0@11". */
export function summary(change: Change): string {
  const before = change.previous === undefined ? "" : ` was ${text(change.previous.value)}@${change.previous.revision}`;
  const now = change.type === "put" ? `=${text(change.value)}` : "";
  return `${change.revision} ${change.type} ${change.key}${now}${before}`;
}

/** Resolves once the check holds. For engines whose answer to time passing comes a little later. */
export async function eventually(check: () => Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = Date.now() + WAIT_LIMIT_MS;
  while (!(await check())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
