// The claims of a verified token -> a user, or why there is none. Requirements: document 2, "Authentication configuration
// file", "OpenID Connect flags".

import { getKey, type JsonObject, setKey } from "../../base/json.ts";
import type { Program } from "../../cel/program.ts";
import type { UserInfo } from "../../meta/user.ts";
import { evaluateRule, evaluateText, evaluateTexts, userVariable } from "./claim-expressions.ts";

export type ClaimSource = { readonly claim: string; readonly prefix: string } | { readonly program: Program };

export interface ClaimMapping {
  readonly username: ClaimSource;
  readonly groups: ClaimSource | undefined;
  readonly uid: ClaimSource | undefined;
  readonly extra: readonly { readonly key: string; readonly program: Program }[];
  readonly requiredClaims: readonly { readonly claim: string; readonly value: string }[];
  readonly claimRules: readonly Rule[];
  readonly userRules: readonly Rule[];
}

export interface Rule {
  readonly program: Program;
  readonly message: string;
}

/** A sentence when the claims do not make a user; it shows no value of a claim. */
export function mapClaims(mapping: ClaimMapping, claims: JsonObject): UserInfo | string {
  const username = readUsername(mapping.username, claims);
  if (typeof username !== "object") return username;
  const groups = mapping.groups === undefined ? [] : readTexts(mapping.groups, claims);
  if (groups === undefined) return "the groups are neither a text nor a list of texts";
  const uid = mapping.uid === undefined ? undefined : readText(mapping.uid, claims);
  if (mapping.uid !== undefined && uid === undefined) return "there is no uid";
  for (const { claim, value } of mapping.requiredClaims) {
    const held = getKey(claims, claim);
    if (held === undefined) return `required claim ${claim} not present in ID token`;
    if (held !== value) return `required claim ${claim} value does not match`;
  }
  const broken = brokenRule(mapping.claimRules, { claims });
  if (broken !== undefined) return broken;
  const extra = readExtra(mapping, claims);
  if (typeof extra === "string") return extra;
  const user: UserInfo = {
    name: username.name,
    groups,
    ...(uid === undefined || uid === "" ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  return brokenRule(mapping.userRules, { user: userVariable(user) }) ?? user;
}

function readUsername(source: ClaimSource, claims: JsonObject): { readonly name: string } | string {
  const text = readText(source, claims, false);
  if (text === undefined) return "there is no username";
  if (text === "") return "an empty username is not allowed";
  if ("program" in source) return { name: text };
  // A provider that says whether it has checked the address must have done so.
  if (source.claim === "email") {
    const isVerified = getKey(claims, "email_verified");
    if (isVerified !== undefined && typeof isVerified !== "boolean") return "email_verified is not a boolean";
    if (isVerified === false) return "email not verified";
  }
  return { name: source.prefix + text };
}

function readText(source: ClaimSource, claims: JsonObject, withPrefix = true): string | undefined {
  if ("program" in source) return evaluateText(source.program, claims);
  const value = getKey(claims, source.claim);
  if (typeof value !== "string") return undefined;
  return withPrefix ? source.prefix + value : value;
}

function readTexts(source: ClaimSource, claims: JsonObject): string[] | undefined {
  if ("program" in source) return evaluateTexts(source.program, claims);
  const value = getKey(claims, source.claim) ?? [];
  const texts = typeof value === "string" ? [value] : value;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string")) return undefined;
  return (texts as string[]).map((text) => source.prefix + text);
}

function readExtra({ extra }: ClaimMapping, claims: JsonObject): Record<string, string[]> | string | undefined {
  let found: Record<string, string[]> | undefined;
  for (const { key, program } of extra) {
    const values = evaluateTexts(program, claims);
    if (values === undefined) return `extra ${key} is neither a text nor a list of texts`;
    if (values.length === 0) continue;
    found ??= Object.create(null) as Record<string, string[]>;
    setKey(found, key, values);
  }
  return found;
}

function brokenRule(rules: readonly Rule[], variables: Readonly<Record<string, unknown>>): string | undefined {
  for (const { program, message } of rules) {
    const outcome = evaluateRule(program, variables);
    if (outcome === true) continue;
    if (typeof outcome === "string") return `the rule '${program.source}' failed: ${outcome}`;
    return message === "" ? `the rule '${program.source}' does not hold` : message;
  }
  return undefined;
}
