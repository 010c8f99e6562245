// Requirements: document 2, "Authentication configuration file"; OpenID Connect Core, section 5.6.2.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { isSignedBy } from "../../base/jwt-signature.ts";
import { ecKeys, signJwt } from "../authn.testing.ts";
import { DistributedClaims, type DistributedClaimsDeps } from "./distributed-claims.ts";

const keys = ecKeys();
const other = ecKeys();
const elsewhere = (place: object): JsonObject =>
  ({ sub: "jane", _claim_names: { groups: "src" }, _claim_sources: { src: place } }) as unknown as JsonObject;

function setUp(answer: () => Promise<string>, more: Partial<DistributedClaimsDeps> = {}) {
  const calls: [string, string | undefined][] = [];
  const closed: string[] = [];
  const claims = new DistributedClaims({
    claim: "groups",
    fetch: (url, bearer) => {
      calls.push([url, bearer]);
      return answer();
    },
    claimProblem: () => undefined,
    keysOf: (issuer) => ({
      hasSigned: (token) => isSignedBy(token, keys.publicKey),
      close: () => closed.push(issuer),
    }),
    ...more,
  });
  return { claims, calls, closed };
}

const signed =
  (claims: object = {}, key = keys.privateKey) =>
  () =>
    signJwt({ iss: "https://groups.test", groups: ["a", "b"], ...claims }, key);

describe("a distributed claim", () => {
  it("is fetched with its access token and stands where the token would have had it", async () => {
    const { claims, calls } = setUp(signed());
    const found = await claims.expand(elsewhere({ endpoint: "https://x.test/g", access_token: "t" }));
    expect([found["groups"], found["sub"]]).toEqual([["a", "b"], "jane"]);
    expect(calls).toEqual([["https://x.test/g", "t"]]);
  });

  it.each<[string, JsonObject]>([
    ["there is none", { sub: "jane" }],
    ["the token has the claim itself", { ...elsewhere({ endpoint: "https://x.test/g" }), groups: ["own"] }],
    ["the source is not a place", elsewhere({ JWT: "a.b.c" })],
  ])("is not looked for when %s", (_, given) => {
    const { claims, calls } = setUp(signed());
    expect(claims.expand(given)).toBe(given);
    expect(calls).toEqual([]);
  });

  it.each<[RegExp, () => Promise<string>, Partial<DistributedClaimsDeps>]>([
    [/not signed by its issuer/, signed({}, other.privateKey), {}],
    [/does not tell it/, signed({ groups: undefined }), {}],
    [/not a signed token/, () => Promise.resolve("junk"), {}],
    [/not a signed token/, signed({ iss: undefined }), {}],
    [/another audience/, signed(), { claimProblem: () => "the token is for another audience" }],
    [/no answer/, () => Promise.reject(new Error("no answer")), {}],
  ])("fails with %s", async (error, answer, more) => {
    const { claims } = setUp(answer, more);
    await expect(claims.expand(elsewhere({ endpoint: "https://x.test/g" }))).rejects.toThrow(error);
  });

  it("of a source that is not there fails", () => {
    const { claims } = setUp(signed());
    const given = { _claim_names: { groups: "src" }, _claim_sources: {} };
    expect(() => claims.expand(given)).toThrow(/not among/);
  });

  it("may come from any number of issuers; the keys of few are remembered", async () => {
    let count = 0;
    const { claims, closed } = setUp(() => signed({ iss: `https://i${count++}.test` })());
    for (let i = 0; i < 20; i += 1) await claims.expand(elsewhere({ endpoint: "https://x.test/g" }));
    expect(closed).toHaveLength(4);
    claims.close();
    expect(closed).toHaveLength(20);
  });
});
