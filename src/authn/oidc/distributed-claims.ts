// Claims that a token does not carry but says where to find (OpenID Connect Core, section 5.6.2): the groups of users who
// have too many of them. Only for claims that are mapped by name. Requirements: document 2, "Authentication configuration
// file".

import { BoundedCache } from "../../base/bounded-cache.ts";
import { getKey, isObject, type JsonObject, setKey } from "../../base/json.ts";
import { type ParsedJwt, parseJwt } from "../jwt/parse-jwt.ts";

export interface DistributedClaimsDeps {
  readonly claim: string;
  /** GETs a text, with a bearer token where one is given. */
  readonly fetch: (url: string, bearer: string | undefined) => Promise<string>;
  /** Why the claims of a token are not good; undefined when they are. */
  readonly claimProblem: (token: ParsedJwt) => string | undefined;
  /** The keys of the issuer of such claims, which may be another one than the token's. */
  readonly keysOf: (issuerUrl: string) => ClaimKeys;
}

interface ClaimKeys {
  hasSigned(token: ParsedJwt): boolean | Promise<boolean>;
  close(): void;
}

/** Issuers of claims that are remembered. */
const MAX_ISSUERS = 16;
const MAX_JWT_CHARS = 256 * 1024;

export class DistributedClaims {
  readonly #deps: DistributedClaimsDeps;
  readonly #keys = new BoundedCache<string, ClaimKeys>({
    maxEntries: MAX_ISSUERS,
    onEvict: (_, keys) => keys.close(),
  });

  constructor(deps: DistributedClaimsDeps) {
    this.#deps = deps;
  }

  close(): void {
    for (const [, keys] of this.#keys.entries()) keys.close();
    this.#keys.clear();
  }

  /** The claims with the one that was elsewhere; as they are when it is not. Fails with a sentence. */
  expand(claims: JsonObject): JsonObject | Promise<JsonObject> {
    const { claim } = this.#deps;
    if (getKey(claims, claim) !== undefined) return claims;
    const names = getKey(claims, "_claim_names");
    const source = isObject(names) ? getKey(names, claim) : undefined;
    if (source === undefined) return claims;
    const sources = getKey(claims, "_claim_sources");
    const place = isObject(sources) && typeof source === "string" ? getKey(sources, source) : undefined;
    if (!isObject(place)) throw new Error("_claim_names names a source that is not among _claim_sources");
    const { endpoint = "", access_token: bearer } = place;
    // A claim that comes along signed by another issuer, which nobody here reads.
    if (endpoint === "") return claims;
    if (typeof endpoint !== "string") throw new Error("the endpoint of a distributed claim is not a text");
    return this.#resolve(claims, endpoint, typeof bearer === "string" && bearer !== "" ? bearer : undefined);
  }

  async #resolve(claims: JsonObject, endpoint: string, bearer: string | undefined): Promise<JsonObject> {
    const { claim, fetch, claimProblem } = this.#deps;
    const text = (await fetch(endpoint, bearer)).trim();
    const token = text.length > MAX_JWT_CHARS ? undefined : parseJwt(text);
    const issuer = token?.claims["iss"];
    if (token === undefined || typeof issuer !== "string") throw new Error("a distributed claim is not a signed token");
    const problem = claimProblem(token);
    if (problem !== undefined) throw new Error(`a distributed claim cannot be used: ${problem}`);
    const keys = this.#keys.getOrMake(issuer, () => this.#deps.keysOf(issuer));
    if (!(await keys.hasSigned(token))) throw new Error("a distributed claim is not signed by its issuer");
    const value = getKey(token.claims, claim);
    if (value === undefined) throw new Error(`the endpoint of the distributed claim ${claim} does not tell it`);
    const expanded: JsonObject = { ...claims };
    setKey(expanded, claim, value);
    return expanded;
  }
}
