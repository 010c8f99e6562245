// Audiences: whom a token is for. Requirements: document 2, "Webhook token authentication".

import { NO_CREDENTIALS } from "./authenticator.ts";
import type { TokenAuthenticator } from "./presented-token.ts";

/** Those of `wanted` that are in `held`, in the order of `wanted`. */
export function commonAudiences(wanted: readonly string[], held: readonly string[]): string[] {
  return wanted.filter((audience) => held.includes(audience));
}

/** Tokens that name no audience are for the API server itself: nobody who asks for others learns of them. */
export function forServerOnly(own: readonly string[], inner: TokenAuthenticator): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      if (audiences !== own && commonAudiences(audiences, own).length === 0) return NO_CREDENTIALS;
      return inner.authenticateToken(token, audiences);
    },
  };
}
