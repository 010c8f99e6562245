// The keys of an issuer: found by discovery, fetched in the background, fetched again when a token shows an unknown one.
// Requirements: document 2, "OpenID Connect flags", "Authentication configuration file".

import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { isSignedBy, isUsableKey } from "../../base/jwt-signature.ts";
import type { Log } from "../../base/log.ts";
import type { ParsedJwt } from "../jwt/parse-jwt.ts";

/** Tokens with unknown keys make us ask the issuer at most so often in a row, and then once in so long. */
const FETCHES_IN_A_ROW = 8;
const MS_PER_FETCH = 2_000;
/** Keys that the issuer has withdrawn are forgotten after this time, if tokens come. */
const MAX_KEY_AGE_MS = 600_000;
const RETRY_MS = { first: 1_000, max: 10_000 };
const MAX_KEYS = 100;

interface IssuerKeysOptions {
  readonly issuerUrl: string;
  readonly discoveryUrl: string;
  /** GETs a JSON document. */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

interface PublishedKey {
  readonly id: string;
  readonly key: KeyObject;
}

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #loop: BackgroundLoop;
  #keysUrl: string | undefined;
  #keys: readonly PublishedKey[] | undefined;
  /** On the monotonic clock. */
  #fetchedAtMs = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  /** When all fetches that tokens asked for will have had their time; on the monotonic clock. */
  #paidUntilMs = Number.NEGATIVE_INFINITY;
  #problem = "it has not been asked yet";

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#loop = new BackgroundLoop({
      clock: options.clock,
      retryMs: RETRY_MS,
      reconcile: (_, signal) => this.#round(signal),
      onError: (error) => this.#failed(error as Error),
    });
  }

  /** Fetches in the background until it succeeds. */
  start(): void {
    void this.#fetch();
  }

  close(): void {
    this.#loop.close();
  }

  /** Why no token can be verified; undefined when some can. */
  get problem(): string | undefined {
    return this.#keys === undefined ? this.#problem : undefined;
  }

  /** Whether a key of the issuer signed the token. Asks the issuer only about keys that are not known. */
  hasSigned(token: ParsedJwt): boolean | Promise<boolean> {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#isKnown(token)) {
      if (nowMs - this.#fetchedAtMs > MAX_KEY_AGE_MS) void this.#fetch();
      return true;
    }
    if (this.#fetching === undefined && !this.#mayFetch(nowMs)) return false;
    return this.#fetch().then(() => this.#isKnown(token));
  }

  /** A new key counts at once, also right behind a token that nobody knows; who sends many of those is held back. */
  #mayFetch(nowMs: number): boolean {
    if (this.#paidUntilMs - nowMs > (FETCHES_IN_A_ROW - 1) * MS_PER_FETCH) return false;
    this.#paidUntilMs = Math.max(this.#paidUntilMs, nowMs) + MS_PER_FETCH;
    return true;
  }

  #isKnown(token: ParsedJwt): boolean {
    return (this.#keys ?? []).some(
      ({ id, key }) => (token.keyId === "" || id === token.keyId) && isSignedBy(token, key),
    );
  }

  /** Never fails: what went wrong is `problem`, and it is tried again. Those who ask meanwhile share the answer. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#loop.settle().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #round(signal: AbortSignal): Promise<Outcome> {
    try {
      await this.#load(signal);
    } catch (error) {
      // Without any keys there is nobody to ask for some but us; those that are known stay good.
      if (this.#keys === undefined) throw error;
      if (!signal.aborted) this.#failed(error as Error);
    } finally {
      this.#fetchedAtMs = this.#options.clock.monotonicMs();
    }
    return "done";
  }

  #failed(error: Error): void {
    this.#problem = error.message;
    this.#options.log.warn(
      { issuer: this.#options.issuerUrl, why: error.message },
      "the keys of an issuer could not be fetched",
    );
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { fetch, issuerUrl, discoveryUrl } = this.#options;
    this.#keysUrl ??= keysUrlOf(await fetch(discoveryUrl, signal), issuerUrl);
    try {
      this.#keys = readKeys(await fetch(this.#keysUrl, signal));
    } catch (error) {
      // The keys may have moved: the next attempt looks where they are.
      this.#keysUrl = undefined;
      throw error;
    }
  }
}

function keysUrlOf(document: unknown, issuerUrl: string): string {
  if (!isObject(document)) throw new Error("the discovery document is not an object");
  const { issuer, jwks_uri: keysUrl } = document;
  if (issuer !== issuerUrl) {
    throw new Error(
      `the discovery document is of the issuer ${JSON.stringify(issuer)}, not of ${JSON.stringify(issuerUrl)}`,
    );
  }
  if (typeof keysUrl !== "string") throw new Error("the discovery document has no jwks_uri");
  return keysUrl;
}

function readKeys(document: unknown): PublishedKey[] {
  const list = isObject(document) ? document["keys"] : undefined;
  if (!Array.isArray(list)) throw new Error("the key set has no keys");
  return list.slice(0, MAX_KEYS).flatMap((item: unknown) => (isObject(item) ? readKey(item) : []));
}

/** Keys of other uses and types are left out: an issuer may publish more than we understand. */
function readKey(item: JsonObject): PublishedKey[] {
  const { kid, use } = item;
  if (use !== undefined && use !== "sig") return [];
  try {
    const key = createPublicKey({ key: item as JsonWebKey, format: "jwk" });
    return isUsableKey(key) ? [{ id: typeof kid === "string" ? kid : "", key }] : [];
  } catch {
    return [];
  }
}
