// Authenticators put together. Requirements: document 2, "Users and attributes", "Anonymous requests".

import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP } from "../../meta/user.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";

/** The first that accepts decides; bad credentials stay bad unless another method accepts them. */
export function anyAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return {
    async authenticate(request) {
      let refused: Authentication | undefined;
      for (const authenticator of authenticators) {
        const answer = authenticator.authenticate(request);
        const outcome = answer instanceof Promise ? await answer : answer;
        if (outcome.result === "user") return outcome;
        if (outcome.result === "refused") refused ??= outcome;
      }
      return refused ?? { result: "none" };
    },
  };
}

/** Whoever shows no credentials at all. */
export function withAnonymous(inner: Authenticator): Authenticator {
  const anonymous: Authentication = { result: "user", user: { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] } };
  return {
    async authenticate(request) {
      const outcome = await inner.authenticate(request);
      if (outcome.result !== "none") return outcome;
      // A token that no configured method knows is wrong, not absent.
      return request.headers.first("authorization") === undefined ? anonymous : { result: "refused" };
    },
  };
}
