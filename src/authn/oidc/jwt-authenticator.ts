// ID tokens of one issuer as credentials. Requirements: document 2, "OpenID Connect flags", "Authentication configuration
// file".

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import { roughBytes } from "../../base/rough-bytes.ts";
import { HttpsJson } from "../../client/callouts/https-json.ts";
import type { Authentication } from "../authenticator.ts";
import type { PresentedToken, TokenAuthenticator } from "../presented-token.ts";
import { readAudiences } from "../token-claims.ts";
import { countedMiss, type TokenCacheMetrics } from "../token-metrics.ts";
import { discoveryUrlOf, type JwtSettings } from "./authentication-config.ts";
import { mapClaims } from "./claim-mapper.ts";
import { DistributedClaims } from "./distributed-claims.ts";
import { IssuerKeys } from "./issuer-keys.ts";

const MAX_REMEMBERED_TOKENS = 10_000;
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** An accepted token is looked at again after this time: its key may have been withdrawn. */
const REMEMBER_MS = 10_000;
/** Clocks differ: a token is good this much before its time. */
const NOT_BEFORE_LEEWAY_MS = 300_000;
const FETCH_TIMEOUT_MS = 10_000;
const MAX_DOCUMENT_BYTES = 1024 * 1024;

export interface JwtAuthenticatorDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Learns how long a token took that was not remembered. */
  readonly observe?: (issuerUrl: string, accepted: boolean, seconds: number) => void;
  readonly cacheMetrics?: TokenCacheMetrics;
}

export class JwtAuthenticator implements TokenAuthenticator {
  readonly settings: JwtSettings;
  readonly #deps: JwtAuthenticatorDeps;
  readonly #http: HttpsJson;
  readonly #keys: IssuerKeys;
  /** Undefined where groups are no claim, or made by an expression. */
  readonly #distributed: DistributedClaims | undefined;
  /** By the digest of the token. */
  readonly #accepted: BoundedCache<string, Authentication>;

  constructor(settings: JwtSettings, deps: JwtAuthenticatorDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#accepted = new BoundedCache({
      maxEntries: MAX_REMEMBERED_TOKENS,
      maxBytes: MAX_REMEMBERED_BYTES,
      sizeBytes: (_, outcome) => roughBytes(outcome),
      clock: deps.clock,
    });
    const { certificateAuthority: ca, issuerUrl, discoveryUrl, egress } = settings;
    this.#http = new HttpsJson({
      timeoutMs: FETCH_TIMEOUT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
      ...(ca === undefined ? {} : { certificateAuthority: ca }),
      ...(egress === undefined ? {} : { egress }),
    });
    this.#keys = this.#keysOf(issuerUrl, discoveryUrl);
    const { groups } = settings.mapping;
    this.#distributed =
      groups === undefined || "program" in groups
        ? undefined
        : new DistributedClaims({
            claim: groups.claim,
            fetch: (url, bearer) =>
              this.#http.getText(url, bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
            claimProblem: ({ claims, algorithm }) => this.#claimProblem(claims, algorithm, deps.clock.nowMs()),
            keysOf: (issuer) => this.#keysOf(issuer, discoveryUrlOf(issuer)),
          });
  }

  #keysOf(issuerUrl: string, discoveryUrl: string): IssuerKeys {
    return new IssuerKeys({
      issuerUrl,
      discoveryUrl,
      fetch: (url, signal) => this.#http.get(url, signal),
      clock: this.#deps.clock,
      log: this.#deps.log,
    });
  }

  start(): void {
    this.#keys.start();
  }

  close(): void {
    this.#keys.close();
    this.#distributed?.close();
    this.#http.close();
  }

  /** Why no token of this issuer can be accepted; undefined when some can. */
  get problem(): string | undefined {
    return this.#keys.problem;
  }

  authenticateToken(token: PresentedToken): Authentication | Promise<Authentication> {
    const known = this.#accepted.get(token.digest);
    if (known !== undefined) {
      this.#deps.cacheMetrics?.hit();
      return known;
    }
    return countedMiss(this.#deps.cacheMetrics, () => this.#judge(token, this.#deps.clock.nowMs()));
  }

  #judge(token: PresentedToken, nowMs: number): Authentication | Promise<Authentication> {
    const startedMs = performance.now();
    const finish = (outcome: Authentication): Authentication => {
      this.#deps.observe?.(this.settings.issuerUrl, outcome.result === "user", (performance.now() - startedMs) / 1000);
      return outcome;
    };
    const { jwt } = token;
    if (jwt === undefined) return finish(refused("malformed token"));
    const problem = this.#claimProblem(jwt.claims, jwt.algorithm, nowMs);
    if (problem !== undefined) return finish(refused(problem));
    const judge = (isSigned: boolean): Authentication | Promise<Authentication> => {
      if (!isSigned) return finish(refused(this.#signatureProblem()));
      const accepted = this.#accept(token, jwt.claims);
      return accepted instanceof Promise ? accepted.then(finish) : finish(accepted);
    };
    const signed = this.#keys.hasSigned(jwt);
    return typeof signed === "boolean" ? judge(signed) : signed.then(judge);
  }

  #accept(token: PresentedToken, claims: JsonObject): Authentication | Promise<Authentication> {
    const failed = (error: unknown) => refused((error as Error).message);
    try {
      const expanded = this.#distributed?.expand(claims) ?? claims;
      if (!(expanded instanceof Promise)) return this.#map(token, expanded);
      return expanded.then((all) => this.#map(token, all), failed);
    } catch (error) {
      return failed(error);
    }
  }

  #map(token: PresentedToken, claims: JsonObject): Authentication {
    const user = mapClaims(this.settings.mapping, claims);
    if (typeof user === "string") return refused(user);
    const outcome: Authentication = { result: "user", user };
    const leftMs = Number(claims["exp"]) * 1000 - this.#deps.clock.nowMs();
    this.#accepted.set(token.digest, outcome, Math.min(REMEMBER_MS, leftMs));
    return outcome;
  }

  #claimProblem(claims: JsonObject, algorithm: string, nowMs: number): string | undefined {
    const { algorithms, audiences } = this.settings;
    if (!algorithms.includes(algorithm)) return "the signature algorithm is not allowed";
    const { exp, nbf = null } = claims;
    if (typeof exp !== "number" || !Number.isFinite(exp) || nowMs >= exp * 1000) return "the token has expired";
    if (nbf !== null && (typeof nbf !== "number" || nowMs + NOT_BEFORE_LEEWAY_MS < nbf * 1000))
      return "the token is not valid yet";
    const held = readAudiences(claims);
    return held?.some((audience) => audiences.includes(audience)) ? undefined : "the token is for another audience";
  }

  #signatureProblem(): string {
    const { problem } = this.#keys;
    return problem === undefined
      ? "failed to verify id token signature"
      : `the issuer's keys are not known: ${problem}`;
  }
}

const refused = (error: string): Authentication => ({ result: "refused", error: `oidc: ${error}` });
