// The token of a chunked list: at which revision, after which key, given out when.
// Requirements: document 1, "Chunked lists".

import type { Names } from "../meta/names.ts";
import { cutText } from "../meta/quoted.ts";
import { badRequest } from "../meta/status-error.ts";
import type { Revision } from "../storage/engine.ts";

interface ContinuePosition {
  /** -1: the list goes on at the newest revision (a fresh token after an expired one). */
  readonly revision: Revision;
  /** The next key begins here, relative to the list's prefix. */
  readonly start: string;
  /** The time of day when it was given out; undefined of a token that another program made, or that holds at any age. */
  readonly givenAtMs?: number;
}

/** `lastKey` is the last key that was sent, relative to the prefix of the list. */
export function encodeContinue(names: Names, revision: Revision, lastKey: string, givenAtMs?: number): string {
  const token = { v: `${names.group("meta")}/v1`, rv: revision, start: `${lastKey}\u0000`, at: givenAtMs };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

/** Fails with 400. */
export function decodeContinue(names: Names, token: string): ContinuePosition {
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const odd = /[^A-Za-z0-9_-]/.exec(token)?.index ?? (token.length % 4 === 1 ? token.length - 1 : undefined);
  if (odd !== undefined) throw refuse(`illegal base64 data at input byte ${odd}`);
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    throw refuse("it is not an encoded position");
  }
  const { v, rv, start, at } = (decoded ?? {}) as { v?: unknown; rv?: unknown; start?: unknown; at?: unknown };
  const version = `${names.group("meta")}/v1`;
  if (v !== version)
    throw refuse(`server does not recognize this encoded version ${typeof v === "string" ? cutText(v) : ""}`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0)
    throw refuse(`incorrect encoded start resourceVersion (version ${version})`);
  if (typeof start !== "string" || start === "") throw refuse(`encoded start key empty (version ${version})`);
  if (start.startsWith("/") || start.split("/").includes("..")) throw refuse(cutText(start));
  if (at === undefined) return { revision: rv, start };
  if (typeof at !== "number") throw refuse(`incorrect encoded time (version ${version})`);
  return { revision: rv, start, givenAtMs: at };
}

/** The key after which the list goes on. */
export function lastKeyOf(position: ContinuePosition): string {
  return position.start.endsWith("\u0000") ? position.start.slice(0, -1) : position.start;
}
