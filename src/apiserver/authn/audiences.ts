// Audiences: whom a token is for. Requirements: document 2, "Webhook token authentication".

import type { TokenAuthenticator } from "./authenticator.ts";

/** Those of `wanted` that are in `held`, in the order of `wanted`. */
export function commonAudiences(wanted: readonly string[], held: readonly string[]): string[] {
  return wanted.filter((audience) => held.includes(audience));
}

/** Tokens that name no audience are for the API server itself. */
export function forServerOnly(own: readonly string[], inner: TokenAuthenticator): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      const common = audiences === own ? own : commonAudiences(audiences, own);
      if (common.length === 0) return { result: "none" };
      const answer = inner.authenticateToken(token, audiences);
      if (answer instanceof Promise) {
        return answer.then((outcome) => (outcome.result === "user" ? { ...outcome, audiences: common } : outcome));
      }
      return answer.result === "user" ? { ...answer, audiences: common } : answer;
    },
  };
}
