// A bearer token that a request has shown. Several methods look at it: what they have in common is worked out once.

import { createHash } from "node:crypto";
import type { Authentication } from "./authenticator.ts";
import { type ParsedJwt, parseJwt } from "./jwt/parse-jwt.ts";

/** A header may be longer than any token that somebody issues. */
const MAX_JWT_LENGTH = 64 * 1024;

export interface TokenAuthenticator {
  /** `audiences`: the token must be for at least one of them. "none" is a token that this method does not know. */
  authenticateToken(token: PresentedToken, audiences: readonly string[]): Authentication | Promise<Authentication>;
}

export class PresentedToken {
  readonly text: string;
  /** The method that has accepted it. */
  knownTo: TokenAuthenticator | undefined;
  #digest: string | undefined;
  #jwt: ParsedJwt | null | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** SHA-256 in base64: the key of every cache, so that no cache holds a token. */
  get digest(): string {
    this.#digest ??= createHash("sha256").update(this.text).digest("base64");
    return this.#digest;
  }

  /** Its parts, when it looks like a signed JWT. Nothing of it is verified. */
  get jwt(): ParsedJwt | undefined {
    if (this.#jwt === undefined)
      this.#jwt = (this.text.length <= MAX_JWT_LENGTH ? parseJwt(this.text) : undefined) ?? null;
    return this.#jwt ?? undefined;
  }
}
