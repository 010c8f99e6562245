// Service account tokens as credentials: the signature is checked once per token, its life and its objects every time.
// Requirements: document 2, "Methods".

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { JsonObject } from "../../base/json.ts";
import { isSignedBy } from "../../base/jwt-signature.ts";
import { roughBytes } from "../../base/rough-bytes.ts";
import type { VerificationKey } from "../../base/signing-keys.ts";
import { commonAudiences } from "../audiences.ts";
import type { Authentication } from "../authenticator.ts";
import { NO_CREDENTIALS } from "../authenticator.ts";
import type { ParsedJwt } from "../jwt/parse-jwt.ts";
import type { PresentedToken, TokenAuthenticator } from "../presented-token.ts";
import { readAudiences } from "../token-claims.ts";
import { countedMiss } from "../token-metrics.ts";
import { boundToken } from "./bound-token.ts";
import { legacyToken } from "./legacy-token.ts";
import { refused, type ServiceAccountTokenOptions, type TokenJudge } from "./token-judge.ts";

/** Verified tokens that are remembered: some hundred bytes each. */
const MAX_REMEMBERED_TOKENS = 10_000;
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** Forged tokens that are remembered, apart from the others: they cannot push good ones out. */
const MAX_REMEMBERED_FORGERIES = 1_000;
/** Clocks differ: a token is good this much before and after its time. */
const LEEWAY_MS = 60_000;
/** The end of time in a signed 64-bit number would be no end: tokens beyond this are malformed. */
const MAX_SECONDS = Number.MAX_SAFE_INTEGER;

interface VerifiedToken {
  readonly audiences: readonly string[];
  readonly notBeforeMs: number;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  readonly judge: TokenJudge;
  /** What is kept of it. */
  readonly sizeBytes: number;
}

export function serviceAccountTokens(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const { names, clock, audiences: own, cacheMetrics } = options;
  const verified = new BoundedCache<string, VerifiedToken>({
    maxEntries: MAX_REMEMBERED_TOKENS,
    maxBytes: MAX_REMEMBERED_BYTES,
    sizeBytes: (_, { sizeBytes }) => sizeBytes,
  });
  const forged = new BoundedCache<string, Authentication>({ maxEntries: MAX_REMEMBERED_FORGERIES });
  const issuers = new Set([...options.issuers, names.legacyTokenIssuer]);

  const isOurs = ({ jwt }: PresentedToken): boolean => {
    const issuer = jwt?.claims["iss"];
    return typeof issuer === "string" && issuers.has(issuer);
  };

  function verify(token: PresentedToken): VerifiedToken | Authentication {
    const { jwt } = token;
    if (jwt === undefined) return NO_CREDENTIALS;
    const known = forged.get(token.digest);
    if (known !== undefined) return known;
    if (!candidates(options.keys(), jwt).some(({ key }) => isSignedBy(jwt, key))) {
      const refusal = refused("invalid signature");
      forged.set(token.digest, refusal);
      return refusal;
    }
    const audiences = readAudiences(jwt.claims);
    const times = readTimes(jwt.claims);
    if (audiences === undefined || times === undefined) return refused("malformed claims");
    const judge =
      jwt.claims["iss"] === names.legacyTokenIssuer
        ? legacyToken(options, token.text, jwt.claims)
        : boundToken(options, jwt.claims);
    return typeof judge === "string"
      ? refused(judge)
      : { ...times, audiences, judge, sizeBytes: roughBytes(jwt.claims) };
  }

  function judge(known: VerifiedToken, wanted: readonly string[]): Authentication | Promise<Authentication> {
    const nowMs = clock.nowMs();
    if (nowMs > known.expiresAtMs + LEEWAY_MS) return refused("service account token has expired");
    if (nowMs < known.notBeforeMs - LEEWAY_MS) return refused("service account token is not valid yet");
    if (nowMs < known.issuedAtMs - LEEWAY_MS) return refused("service account token is issued in the future");
    const isLegacy = known.audiences.length === 0;
    const held = isLegacy ? own : known.audiences;
    const audiences = commonAudiences(wanted, held);
    if (audiences.length === 0) {
      return refused(`token audiences ${quoted(held)} is invalid for the target audiences ${quoted(wanted)}`);
    }
    const finish = (outcome: Authentication): Authentication => {
      if (outcome.result !== "user") return outcome;
      if (!isLegacy)
        return { result: "user", user: outcome.user, audiences, auditAnnotations: outcome.auditAnnotations };
      // A token that names no audience comes from the time before there were any.
      options.count?.("legacy");
      const annotation = [names.legacyTokenAuditAnnotation, outcome.user.name] as const;
      return { ...outcome, audiences, auditAnnotations: [annotation, ...(outcome.auditAnnotations ?? [])] };
    };
    const answer = known.judge(nowMs, LEEWAY_MS);
    return answer instanceof Promise ? answer.then(finish) : finish(answer);
  }

  return {
    authenticateToken(token, wanted) {
      const known = verified.get(token.digest);
      if (known !== undefined) {
        cacheMetrics?.hit();
        return judge(known, wanted);
      }
      if (!isOurs(token)) return NO_CREDENTIALS;
      return countedMiss(cacheMetrics, () => {
        const outcome = verify(token);
        if ("result" in outcome) return outcome;
        verified.set(token.digest, outcome);
        return judge(outcome, wanted);
      });
    },
  };
}

/** The key that the token names; all of them when it names none. */
function candidates(keys: readonly VerificationKey[], { keyId }: ParsedJwt): readonly VerificationKey[] {
  return keyId === "" ? keys : keys.filter(({ id }) => id === keyId);
}

function readTimes(claims: JsonObject): Pick<VerifiedToken, "notBeforeMs" | "issuedAtMs" | "expiresAtMs"> | undefined {
  const seconds = (name: string, absent: number): number => {
    const value = claims[name];
    if (value === undefined || value === null) return absent;
    return typeof value === "number" && Math.abs(value) <= MAX_SECONDS ? value * 1000 : Number.NaN;
  };
  const times = {
    notBeforeMs: seconds("nbf", Number.NEGATIVE_INFINITY),
    issuedAtMs: seconds("iat", Number.NEGATIVE_INFINITY),
    expiresAtMs: seconds("exp", Number.POSITIVE_INFINITY),
  };
  return Object.values(times).some(Number.isNaN) ? undefined : times;
}

const quoted = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(" ")}]`;
