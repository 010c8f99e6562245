// Bootstrap tokens: a Secret per token, for nodes that join. Requirements: document 2, "Bootstrap tokens".

import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { getKey, isObject } from "../base/json.ts";
import type { Names } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { parseTime } from "../meta/time.ts";
import type { UserInfo } from "../meta/user.ts";
import type { Authentication } from "./authenticator.ts";
import { NO_CREDENTIALS } from "./authenticator.ts";
import type { TokenAuthenticator } from "./presented-token.ts";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const SECRET_PREFIX = "bootstrap-token-";
const GROUP = "system:bootstrappers";
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** What is kept of a Secret. */
type BootstrapSecret =
  | { readonly usable: true; readonly secret: Buffer; readonly user: UserInfo; readonly expiresAtMs: number }
  | { readonly usable: false; readonly problem: string };

/** `find`: the Secret of this name in the system namespace. */
export function bootstrapTokens(clock: Clock, find: (name: string) => BootstrapSecret | undefined): TokenAuthenticator {
  return {
    authenticateToken({ text }): Authentication {
      const [, id = "", secret = ""] = TOKEN.exec(text) ?? [];
      if (id === "") return NO_CREDENTIALS;
      const found = find(`${SECRET_PREFIX}${id}`);
      if (found === undefined) return NO_CREDENTIALS;
      if (!found.usable) return { result: "refused", error: found.problem };
      const given = Buffer.from(secret);
      if (given.length !== found.secret.length || !timingSafeEqual(given, found.secret)) return NO_CREDENTIALS;
      if (clock.nowMs() >= found.expiresAtMs) return { result: "refused", error: `bootstrap token ${id} has expired` };
      return { result: "user", user: found.user };
    },
  };
}

export function readBootstrapSecret(names: Names, object: ApiObject): BootstrapSecret {
  const { name = "", deletionTimestamp } = object.metadata;
  const refuse = (problem: string): BootstrapSecret => ({ usable: false, problem: `Secret ${name}: ${problem}` });
  if (object["type"] !== names.bootstrapTokenType) return refuse(`its type is not ${names.bootstrapTokenType}`);
  if (deletionTimestamp !== undefined && deletionTimestamp !== null) return refuse("it is being deleted");
  const data = isObject(object["data"]) ? object["data"] : {};
  const value = (key: string): string => {
    const encoded = getKey(data, key);
    return typeof encoded === "string" ? Buffer.from(encoded, "base64").toString("utf8") : "";
  };
  const id = value("token-id");
  const secret = value("token-secret");
  if (id === "" || `${SECRET_PREFIX}${id}` !== name) return refuse("token-id does not match its name");
  if (secret === "") return refuse("token-secret is missing");
  if (value("usage-bootstrap-authentication") !== "true") return refuse("usage-bootstrap-authentication is not true");
  const expiration = value("expiration");
  // An unreadable expiration counts as expired: a token must not outlive a typing error.
  const expires = expiration === "" ? undefined : parseTime(expiration, "seconds");
  const expiresAtMs =
    expires === undefined ? Number.POSITIVE_INFINITY : typeof expires === "string" ? 0 : expires.epochSeconds * 1000;
  const groups = value("auth-extra-groups");
  const extra = groups === "" ? [] : groups.split(",");
  const wrong = extra.find((group) => !EXTRA_GROUP.test(group));
  if (wrong !== undefined)
    return refuse(`auth-extra-groups: ${JSON.stringify(wrong)} does not match ${EXTRA_GROUP.source}`);
  return {
    usable: true,
    secret: Buffer.from(secret),
    expiresAtMs,
    user: { name: `system:bootstrap:${id}`, groups: [...new Set([GROUP, ...extra])].sort() },
  };
}
