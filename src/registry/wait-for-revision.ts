// A read that must not be older than a revision waits for it, but not for long.
// Requirements: document 1, "List and watch semantics": Too large resource version.

import { badRequest, lateRequest, StatusError } from "../meta/status-error.ts";
import type { Revision } from "../storage/engine.ts";
import type { ObjectStore } from "./object-store.ts";

/** Upstream's patience before it answers 504. */
const MAX_WAIT_MS = 3_000;

/** As text, so that digits of equal number compare as numbers do. */
const MAX_UINT64 = "18446744073709551615";

/** Who waits; the signal is only made when there is something to wait for. */
export interface WaitingCaller {
  readonly signal: AbortSignal;
  /** Told when the wait is over. */
  goOn?(): void;
}

/** Resolves when the cache of `store` has reached `revision`. Fails with 504, and a Retry-After for who is still there. */
export async function waitForRevision(store: ObjectStore, revision: Revision, reader: WaitingCaller): Promise<void> {
  if (store.cache.revision >= revision) return;
  const reached = await store.cache.waitUntil(revision, MAX_WAIT_MS, reader.signal).catch((error: unknown) => {
    // That a client goes is nothing that this server has done wrong.
    throw reader.signal.aborted ? lateRequest() : error;
  });
  reader.goOn?.();
  if (reached) return;
  throw tooLargeResourceVersion(revision, store.cache.revision);
}

export function tooLargeResourceVersion(wanted: Revision | string, current: Revision): StatusError {
  return new StatusError(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** A consistent read: brings the cache up to what any server has answered before this moment. */
export async function waitForNewest(store: ObjectStore, reader: WaitingCaller): Promise<void> {
  await waitForRevision(store, await store.engine.currentRevision(), reader);
}

/** The revision that a client sends as resourceVersion; beyond 2^53 it is only known to be too large. */
export function parseResourceVersion(text: string): Revision {
  const refuse = (why: string) =>
    badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
    );
  if (!/^\d+$/.test(text)) throw refuse("invalid syntax");
  const digits = text.replace(/^0+/, "");
  if (digits.length > 20 || (digits.length === 20 && digits > MAX_UINT64)) throw refuse("value out of range");
  const revision = Number(text);
  return Number.isSafeInteger(revision) ? revision : Number.MAX_SAFE_INTEGER;
}
