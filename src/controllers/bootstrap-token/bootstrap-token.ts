// What a bootstrap token's Secret says, as far as it is signed with and cleaned up. Pure.
// Requirements: document 2, "Bootstrap tokens".

import { createHmac } from "node:crypto";
import type { Secret } from "../../kinds/core/secret.ts";
import type { Names } from "../../meta/names.ts";
import { parseTime } from "../../meta/time.ts";

const SECRET_PREFIX = "bootstrap-token-";
const ID = /^[a-z0-9]{6}$/;
const SECRET = /^[a-z0-9]{16}$/;

/** Milliseconds until the token expires, 0 when it has; undefined when it never does. */
export function msUntilExpiry(secret: Secret, nowMs: number): number | undefined {
  const text = entryOf(secret, "expiration");
  if (text === "") return undefined;
  const time = parseTime(text, "seconds");
  // An unreadable expiration counts as expired: a token must not outlive a typing error.
  return typeof time === "string" ? 0 : Math.max(0, time.epochSeconds * 1000 - nowMs);
}

interface SigningToken {
  readonly id: string;
  readonly secret: string;
}

/** Undefined when the token signs nothing: expired, not meant for it, or not whole. */
export function signingToken(names: Names, secret: Secret, nowMs: number): SigningToken | undefined {
  const { name, deletionTimestamp } = secret.metadata;
  if (secret.type !== names.bootstrapTokenType || deletionTimestamp !== undefined) return undefined;
  const id = entryOf(secret, "token-id");
  const text = entryOf(secret, "token-secret");
  if (!ID.test(id) || !canSign(names, text) || name !== `${SECRET_PREFIX}${id}`) return undefined;
  if (entryOf(secret, "usage-bootstrap-signing") !== "true" || msUntilExpiry(secret, nowMs) === 0) return undefined;
  return { id, secret: text };
}

/** Upstream signs with whatever is there, though nobody can log in with it. */
const canSign = ({ dialect }: Names, secret: string): boolean =>
  dialect === "platform" ? SECRET.test(secret) : secret !== "";

/** A JWS whose payload, the middle part, is left out: who has the content and the token puts it back to check. */
export function detachedSignature(names: Names, content: string, { id, secret }: SigningToken): string {
  const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: id })).toString("base64url");
  const payload = Buffer.from(content).toString("base64url");
  // The specification signs with the whole token, upstream with its secret part.
  const key = names.dialect === "platform" ? `${id}.${secret}` : secret;
  return `${header}..${createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url")}`;
}

function entryOf({ data }: Secret, key: string): string {
  const encoded = data !== undefined && data !== null && Object.hasOwn(data, key) ? data[key] : undefined;
  return typeof encoded === "string" ? Buffer.from(encoded, "base64").toString("utf8") : "";
}
