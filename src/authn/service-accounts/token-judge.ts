// What the two kinds of service account tokens are judged by, and what comes of it.

import type { Clock } from "../../base/clock.ts";
import type { VerificationKey } from "../../base/signing-keys.ts";
import type { Names } from "../../meta/names.ts";
import type { Authentication } from "../authenticator.ts";
import type { AccountTokenUse, TokenCacheMetrics } from "../token-metrics.ts";
import type { AccountObjects } from "./account-objects.ts";

export interface ServiceAccountTokenOptions {
  readonly names: Names;
  readonly clock: Clock;
  readonly keys: () => readonly VerificationKey[];
  readonly issuers: readonly string[];
  /** The audiences of this server. */
  readonly audiences: readonly string[];
  readonly objects: AccountObjects;
  /** Tokens of Secrets die with them: --service-account-lookup. */
  readonly lookup: boolean;
  /** Learns of uses of tokens in Secrets. */
  readonly onSecretUse?: (namespace: string, secretName: string, lastUsed: string) => void;
  readonly count?: (use: AccountTokenUse) => void;
  readonly cacheMetrics?: TokenCacheMetrics;
}

/** Judges a token whose signature is good: whether what it names is still there. */
export type TokenJudge = (nowMs: number, leewayMs: number) => Authentication | Promise<Authentication>;

export const refused = (error: string): Authentication => ({ result: "refused", error });
