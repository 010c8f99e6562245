// Tokens in Secrets that nobody has used for long: first they become invalid, then they go. Pure. Rules are upstream's.

import type { Secret } from "../../kinds/core/secret.ts";
import type { ServiceAccount } from "../../kinds/core/service-account.ts";
import { dayOf, parseDay } from "../../meta/legacy-token-days.ts";
import type { Names } from "../../meta/names.ts";

export type TokenVerdict = "keep" | "invalidate" | "delete";

interface JudgedToken {
  readonly secret: Secret;
  /** That the Secret names; undefined when there is none. */
  readonly account: ServiceAccount | undefined;
  /** Whether a pod still has it; asked last. */
  readonly isMounted: () => boolean;
}

const DAY_MS = 24 * 3_600_000;

/** Whether uses have been noted for long enough to tell what is unused. `since`: the day on which that began. */
export function isTrackedLongEnough(since: string | undefined, periodMs: number, nowMs: number): boolean {
  const sinceMs = parseDay(since);
  return sinceMs !== undefined && nowMs >= sinceMs + DAY_MS + periodMs;
}

export function judgeToken(
  names: Names,
  { secret, account, isMounted }: JudgedToken,
  periodMs: number,
  nowMs: number,
): TokenVerdict {
  const { creationTimestamp, deletionTimestamp, labels = {}, annotations = {}, name } = secret.metadata;
  const createdMs = Date.parse(creationTimestamp ?? "");
  if (!(createdMs < nowMs - periodMs) || deletionTimestamp !== undefined) return "keep";
  const keptFrom = dayOf(nowMs - periodMs);
  const lastUsed = labels[names.legacyTokenLastUsedLabel];
  if (lastUsed !== undefined && (parseDay(lastUsed) === undefined || lastUsed >= keptFrom)) return "keep";
  // Only tokens that were made by the system: those are listed in their account. Others are their makers' to delete.
  const uid = annotations[names.serviceAccountUidAnnotation];
  const isOwn = account !== undefined && (!uid || uid === account.metadata.uid);
  if (!isOwn || !account.secrets?.some((reference) => reference.name === name)) return "keep";
  if (isMounted()) return "keep";
  const invalidSince = labels[names.legacyTokenInvalidSinceLabel];
  if (invalidSince === undefined || parseDay(invalidSince) === undefined) return "invalidate";
  return invalidSince >= keptFrom ? "keep" : "delete";
}
