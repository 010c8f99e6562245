// All issuers of ID tokens, found by the issuer that a token names; the set can be replaced while the server runs.

import type { Clock } from "../../base/clock.ts";
import type { Authentication } from "../authenticator.ts";
import { NO_CREDENTIALS } from "../authenticator.ts";
import type { PresentedToken, TokenAuthenticator } from "../presented-token.ts";
import type { JwtSettings } from "./authentication-config.ts";
import { JwtAuthenticator, type JwtAuthenticatorDeps } from "./jwt-authenticator.ts";

/** How often a set that is to take over is looked at. */
const LOOK_MS = 100;

export class JwtAuthenticators implements TokenAuthenticator {
  readonly #deps: JwtAuthenticatorDeps;
  #byIssuer: ReadonlyMap<string, JwtAuthenticator>;

  constructor(settings: readonly JwtSettings[], deps: JwtAuthenticatorDeps) {
    this.#deps = deps;
    this.#byIssuer = byIssuer(settings.map((one) => new JwtAuthenticator(one, deps)));
  }

  start(): void {
    for (const authenticator of this.#byIssuer.values()) authenticator.start();
  }

  close(): void {
    for (const authenticator of this.#byIssuer.values()) authenticator.close();
  }

  authenticateToken(token: PresentedToken): Authentication | Promise<Authentication> {
    if (this.#byIssuer.size === 0) return NO_CREDENTIALS;
    const issuer = token.jwt?.claims["iss"];
    const found = typeof issuer === "string" ? this.#byIssuer.get(issuer) : undefined;
    return found === undefined ? NO_CREDENTIALS : found.authenticateToken(token);
  }

  /**
   * The new set takes over as soon as all of it can accept tokens; what stays the same keeps what it knows. Fails when
   * that takes longer than `timeoutMs` or the signal aborts: the old set stays.
   */
  async replace(settings: readonly JwtSettings[], timeoutMs: number, signal: AbortSignal): Promise<void> {
    const old = [...this.#byIssuer.values()];
    const added: JwtAuthenticator[] = [];
    const next = settings.map((one) => {
      const same = old.find((known) => known.settings.identity === one.identity);
      if (same !== undefined) return same;
      const fresh = new JwtAuthenticator(one, this.#deps);
      added.push(fresh);
      fresh.start();
      return fresh;
    });
    try {
      await untilReady(this.#deps.clock, added, timeoutMs, signal);
    } catch (error) {
      for (const authenticator of added) authenticator.close();
      throw error;
    }
    this.#byIssuer = byIssuer(next);
    for (const authenticator of old) if (!next.includes(authenticator)) authenticator.close();
  }
}

function byIssuer(authenticators: readonly JwtAuthenticator[]): Map<string, JwtAuthenticator> {
  return new Map(authenticators.map((one) => [one.settings.issuerUrl, one]));
}

async function untilReady(
  clock: Clock,
  authenticators: readonly JwtAuthenticator[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const endMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    // Also where all are ready by now: what has come in between is in force already, or waits itself.
    if (signal.aborted) throw new Error("another change came in between");
    const waiting = authenticators.find(({ problem }) => problem !== undefined);
    if (waiting === undefined) return;
    if (clock.monotonicMs() > endMs) throw new Error(`${waiting.settings.issuerUrl}: ${waiting.problem}`);
    await clock.sleep(LOOK_MS);
  }
}
