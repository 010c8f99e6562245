// The TokenReview that goes to a webhook, and what its answer says. Requirements: document 2, "Webhook token
// authentication".

import { getKey, isObject, type JsonObject, setKey } from "../../base/json.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { decodeJsonInSteps } from "../../codec/json.ts";
import type { Names } from "../../meta/names.ts";
import type { UserInfo } from "../../meta/user.ts";

export type ReviewVersion = "v1" | "v1beta1";

export type ReviewAnswer =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  /** `error`: the text that came with it; empty for none. */
  | { readonly authenticated: false; readonly error: string };

export function reviewBody(
  names: Names,
  version: ReviewVersion,
  token: string,
  audiences: readonly string[],
): JsonObject {
  return {
    kind: "TokenReview",
    apiVersion: `${names.group("authentication")}/${version}`,
    metadata: { creationTimestamp: null },
    spec: { token, ...(audiences.length === 0 ? {} : { audiences: [...audiences] }) },
    status: { user: {} },
  };
}

/** Fails with a sentence when the body is no answer to a review of this version. In steps: a user may bring very much. */
export function* readReview(names: Names, version: ReviewVersion, body: Uint8Array): Steps<ReviewAnswer> {
  let review: unknown;
  try {
    review = (yield* decodeJsonInSteps(body)).value;
  } catch {
    throw new Error("the answer is not JSON");
  }
  if (!isObject(review)) throw new Error("the answer is not an object");
  const apiVersion = `${names.group("authentication")}/${version}`;
  if (review["kind"] !== "TokenReview" || review["apiVersion"] !== apiVersion) {
    throw new Error(`the answer is not a TokenReview of ${apiVersion}`);
  }
  const status = review["status"];
  if (!isObject(status)) return { authenticated: false, error: "" };
  if (status["authenticated"] !== true) {
    return { authenticated: false, error: typeof status["error"] === "string" ? status["error"] : "" };
  }
  return {
    authenticated: true,
    user: yield* readUser(status["user"]),
    audiences: texts(status["audiences"], "status.audiences"),
  };
}

function* readUser(value: unknown): Steps<UserInfo> {
  const user = isObject(value) ? value : {};
  const { username, uid = "" } = user;
  if (typeof username !== "string" || username === "") throw new Error("the answer has no status.user.username");
  if (typeof uid !== "string") throw new Error("status.user.uid of the answer is not a text");
  const given = user["extra"] ?? {};
  if (!isObject(given)) throw new Error("status.user.extra of the answer is not an object");
  const extra = Object.create(null) as Record<string, readonly string[]>;
  const keys = yield* keysInStep(given);
  const groups = texts(user["groups"], "status.user.groups");
  let count = groups.length + keys.length;
  const pace = new Pace(KEYS_PER_STEP);
  for (const key of count > MAX_USER_VALUES ? [] : keys) {
    if (pace.due()) yield;
    const values = texts(getKey(given, key), "status.user.extra");
    count += values.length;
    setKey(extra, key, values);
  }
  if (count > MAX_USER_VALUES) {
    throw new Error(`status.user of the answer has more than ${MAX_USER_VALUES} groups, keys and values`);
  }
  return {
    name: username,
    ...(uid === "" ? {} : { uid }),
    groups,
    ...(keys.length === 0 ? {} : { extra }),
  };
}

const KEYS_PER_STEP = 500;
/** Each request of the user carries them, and what tells it who it is shows them all. */
const MAX_USER_VALUES = 16_384;

function texts(value: unknown, field: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw new Error(`${field} of the answer is not a list of texts`);
  }
  return value as string[];
}
