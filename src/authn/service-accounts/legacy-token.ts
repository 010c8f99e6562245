// Tokens that live in Secrets of the service account token type: they do not expire, but die with their Secret.

import { timingSafeEqual } from "node:crypto";
import type { JsonObject } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import { serviceAccountGroups, serviceAccountUser, splitServiceAccountUser } from "../../meta/service-account-user.ts";
import type { Authentication } from "../authenticator.ts";
import type { LiveAccount, LiveSecret } from "./account-objects.ts";
import { refused, type ServiceAccountTokenOptions, type TokenJudge } from "./token-judge.ts";

interface LegacyClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly accountName: string;
  readonly accountUid: string;
}

/** Fails with a sentence when the claims are not those of such a token. */
export function legacyToken(
  options: ServiceAccountTokenOptions,
  text: string,
  claims: JsonObject,
): TokenJudge | string {
  const held = readClaims(options, claims);
  if (typeof held === "string") return held;
  const { namespace, secretName, accountName, accountUid } = held;
  const { names, objects, lookup } = options;
  const name = serviceAccountUser({ namespace, name: accountName });
  const good = {
    result: "user" as const,
    user: { name, uid: accountUid, groups: serviceAccountGroups(namespace) },
  };
  if (!lookup) return () => good;
  const outcomes = outcomesOf(names, secretName, good);
  const expected = Buffer.from(text);
  const problem = (secret: LiveSecret | undefined, account: LiveAccount | undefined): string | undefined => {
    if (secret === undefined || secret.deletedAtMs !== undefined) return "Token has been invalidated";
    const stored = Buffer.from(secret.token ?? "");
    if (stored.length !== expected.length || !timingSafeEqual(stored, expected))
      return "Token does not match server's copy";
    if (account === undefined || account.deletedAtMs !== undefined)
      return `ServiceAccount ${namespace}/${accountName} has been deleted`;
    if (account.uid !== accountUid) return `ServiceAccount UID (${account.uid}) does not match claim (${accountUid})`;
    if (secret.invalidSince === "") return undefined;
    return (
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${accountName} has been marked invalid. ` +
      "Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the " +
      `'${names.legacyTokenInvalidSinceLabel}' label from the secret to temporarily allow use of this token`
    );
  };
  const used = (secret: LiveSecret | undefined, account: LiveAccount | undefined): Authentication => {
    options.onSecretUse?.(namespace, secretName, secret?.lastUsed ?? "");
    const use = account?.secrets.includes(secretName) === true ? "auto" : "manual";
    options.count?.(use);
    return outcomes[use];
  };
  return () => {
    const secret = objects.secrets.get(namespace, secretName);
    const account = objects.serviceAccounts.get(namespace, accountName);
    if (problem(secret, account) === undefined) return used(secret, account);
    // This server may not have heard of them yet: what the store says counts.
    return Promise.all([
      objects.secrets.getNewest(namespace, secretName),
      objects.serviceAccounts.getNewest(namespace, accountName),
    ]).then(([newest, newestAccount]) => {
      const wrong = problem(newest, newestAccount);
      if (wrong === undefined) return used(newest, newestAccount);
      if (isMarked(newest) && problem({ ...newest, invalidSince: "" }, newestAccount) === undefined) {
        // Whoever cleans up wants to know that it is still used.
        options.onSecretUse?.(namespace, secretName, newest.lastUsed);
        options.count?.("invalid");
      }
      return refused(wrong);
    });
  };
}

const isMarked = (secret: LiveSecret | undefined): secret is LiveSecret =>
  secret !== undefined && secret.invalidSince !== "";

const USE_OTHERS =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";

/** The same user, with what is told about where the token is from. */
function outcomesOf(
  names: Names,
  secretName: string,
  good: Authentication & { result: "user" },
): Record<"auto" | "manual", Authentication> {
  return {
    auto: { ...good, auditAnnotations: [[names.autoTokenAuditAnnotation, secretName]], warnings: [USE_OTHERS] },
    manual: { ...good, auditAnnotations: [[names.manualTokenAuditAnnotation, secretName]] },
  };
}

function readClaims({ names }: ServiceAccountTokenOptions, claims: JsonObject): LegacyClaims | string {
  const read = (claim: string): string => {
    const value = claims[`${names.privateClaim}/serviceaccount/${claim}`];
    return typeof value === "string" ? value : "";
  };
  const { sub } = claims;
  const namespace = read("namespace");
  const secretName = read("secret.name");
  const accountName = read("service-account.name");
  const accountUid = read("service-account.uid");
  if (typeof sub !== "string" || sub === "") return "sub claim is missing";
  if (namespace === "") return "namespace claim is missing";
  if (secretName === "") return "secretName claim is missing";
  if (accountName === "") return "serviceAccountName claim is missing";
  if (accountUid === "") return "serviceAccountUID claim is missing";
  const subject = splitServiceAccountUser(sub);
  if (subject?.namespace !== namespace || subject.name !== accountName) return "sub claim is invalid";
  return { namespace, secretName, accountName, accountUid };
}
