// Requirements: document 2, "Authentication configuration file", "Limits".

import { beforeAll, describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { makeAuthority } from "../authn.testing.ts";
import { parseAuthenticationConfig } from "./authentication-config.ts";
import { ClaimExpressions } from "./claim-expressions.ts";
import { mapClaims } from "./claim-mapper.ts";

type Entry = Record<string, unknown>;

describe.each(DIALECTS)("the authentication configuration in the dialect %s", (dialect) => {
  const names = namesFor(dialect);
  const gates = { enabled: () => true };
  const context = { names, gates, expressions: new ClaimExpressions(names), ownIssuers: ["https://own.test"] };
  const document = (content: object, apiVersion = `${names.group("apiserver.config")}/v1`) =>
    Buffer.from(JSON.stringify({ apiVersion, kind: "AuthenticationConfiguration", ...content }));
  const parse = (content: object) => parseAuthenticationConfig(document(content), context);
  const U = { username: { claim: "sub", prefix: "" } };
  const issuer = (over: Entry = {}) => ({ url: "https://idp.test", audiences: ["app"], ...over });
  const entry = (over: Entry = {}) => ({ issuer: issuer(), claimMappings: U, ...over });
  const problem = (...jwt: Entry[]): string => {
    try {
      parse({ jwt });
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const rules = (...claimValidationRules: Entry[]) => entry({ claimValidationRules });
  const maps = (claimMappings: Entry) => entry({ claimMappings });
  const extra = (...list: Entry[]) => maps({ ...U, extra: list });

  it("is accepted as the specification shows it", () => {
    const settings = parse({
      jwt: [
        entry({
          issuer: issuer({
            audiences: ["a", "b"],
            audienceMatchPolicy: "MatchAny",
            discoveryURL: "https://meta.test/d",
          }),
          claimValidationRules: [{ claim: "hd", requiredValue: "x" }, { expression: "claims.exp - claims.iat < 10" }],
          userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: "no" }],
        }),
      ],
      anonymous: { enabled: true, conditions: [{ path: "/livez" }] },
    });
    expect(settings.jwt).toMatchObject([
      { issuerUrl: "https://idp.test", discoveryUrl: "https://meta.test/d", audiences: ["a", "b"] },
    ]);
    expect(settings.anonymous).toEqual({ enabled: true, paths: new Set(["/livez"]) });
    expect(parse({ jwt: [] })).toEqual({ jwt: [], anonymous: undefined });
  });

  it.each([
    ["url missing", entry({ issuer: issuer({ url: "" }) }), /jwt\[0\]\.issuer\.url: Required/],
    ["url of http", entry({ issuer: issuer({ url: "http://idp.test" }) }), /scheme must be https/],
    ["url with a query", entry({ issuer: issuer({ url: "https://idp.test?a=b" }) }), /must not contain a query/],
    ["url with a fragment", entry({ issuer: issuer({ url: "https://idp.test#a" }) }), /must not contain a fragment/],
    ["url with a user", entry({ issuer: issuer({ url: "https://u:p@idp.test" }) }), /username or password/],
    ["url that is none", entry({ issuer: issuer({ url: "https://" }) }), /not a URL/],
    ["url of the server", entry({ issuer: issuer({ url: "https://own.test" }) }), /disallowed issuers/],
    ["discovery at the url", entry({ issuer: issuer({ discoveryURL: "https://idp.test/" }) }), /different from URL/],
    ["authority without certificate", entry({ issuer: issuer({ certificateAuthority: "x" }) }), /certificateAuthority/],
    ["no audience", entry({ issuer: issuer({ audiences: [] }) }), /audiences: Required/],
    ["an empty audience", entry({ issuer: issuer({ audiences: [""] }) }), /audiences\[0\]: Required/],
    [
      "an audience twice",
      entry({ issuer: issuer({ audiences: ["a", "a"], audienceMatchPolicy: "MatchAny" }) }),
      /Duplicate value: "a"/,
    ],
    ["two audiences without policy", entry({ issuer: issuer({ audiences: ["a", "b"] }) }), /must be MatchAny/],
    ["another policy", entry({ issuer: issuer({ audienceMatchPolicy: "MatchAll" }) }), /must be empty or MatchAny/],
    ["another egress", entry({ issuer: issuer({ egressSelectorType: "moon" }) }), /controlplane or cluster/],
    ["a rule of nothing", rules({}), /claimValidationRules\[0\]: Required/],
    ["a rule of both", rules({ claim: "a", expression: "true" }), /can't both be set/],
    ["a rule that may be anything", rules({ expression: "claims.verified" }), /must evaluate to bool/],
    ["a message with a claim", rules({ claim: "a", message: "m" }), /message: Invalid/],
    ["a value with an expression", rules({ expression: "true", requiredValue: "x" }), /requiredValue: Invalid/],
    ["a claim twice", rules({ claim: "a" }, { claim: "a" }), /claimValidationRules\[1\]\.claim: Duplicate/],
    ["a rule twice", rules({ expression: "true" }, { expression: "true" }), /expression: Duplicate/],
    ["a rule that does not parse", rules({ expression: "claims." }), /compilation failed/],
    ["a rule of text", rules({ expression: "'x'" }), /bool/],
    ["a rule over unknown variables", rules({ expression: "user.username == 'x'" }), /undeclared reference/],
    ["no username", maps({}), /username: Required/],
    ["a username of both", maps({ username: { claim: "a", prefix: "", expression: "claims.a" } }), /can't both be set/],
    ["a claim without prefix", maps({ username: { claim: "a" } }), /prefix is required/],
    ["an expression with prefix", maps({ username: { expression: "claims.a", prefix: "" } }), /prefix: Invalid/],
    ["a username of another type", maps({ username: { expression: "1" } }), /username\.expression: Invalid/],
    ["email unverified", maps({ username: { expression: "claims.email" } }), /email_verified/],
    ["email by index", maps({ username: { expression: 'claims["email"]' } }), /email_verified/],
    ["optional email", maps({ username: { expression: "claims.?email.orValue('')" } }), /email_verified/],
    ["groups of both", maps({ ...U, groups: { claim: "g", prefix: "", expression: "claims.g" } }), /groups: Invalid/],
    ["groups without prefix", maps({ ...U, groups: { claim: "g" } }), /groups\.prefix: Required/],
    ["uid of both", maps({ ...U, uid: { claim: "a", expression: "claims.a" } }), /uid: Invalid/],
    ["extra without domain", extra({ key: "a", valueExpression: "claims.a" }), /domain-prefixed/],
    ["extra in upper case", extra({ key: "a.io/B", valueExpression: "claims.a" }), /lowercase/],
    ["extra of ours", extra({ key: `${names.protectedLongDomain}/x`, valueExpression: "claims.a" }), /reserved/],
    ["extra below ours", extra({ key: `x.${names.protectedDomain}/x`, valueExpression: "claims.a" }), /reserved/],
    [
      "extra twice",
      extra({ key: "a.io/b", valueExpression: "'x'" }, { key: "a.io/b", valueExpression: "'y'" }),
      /Duplicate/,
    ],
    ["extra without value", extra({ key: "a.io/b" }), /valueExpression: Required/],
    ["a user rule of nothing", entry({ userValidationRules: [{ message: "m" }] }), /expression: Required/],
    ["a user rule of text", entry({ userValidationRules: [{ expression: "user.username" }] }), /bool/],
    [
      "a user rule over unknown fields",
      entry({ userValidationRules: [{ expression: "user.nose == 'x'" }] }),
      /undefined field/,
    ],
    [
      "a user rule twice",
      entry({ userValidationRules: [{ expression: "true" }, { expression: "true" }] }),
      /Duplicate/,
    ],
    ["an unknown field", entry({ issuerz: 1 }), /issuerz/],
  ])("is refused with %s", (_, jwt, message) => expect(problem(jwt)).toMatch(message));

  it("accepts email where it is verified somewhere", () => {
    const username = { expression: "claims.email" };
    const verified = "claims.?email_verified.orValue(true) == true";
    expect(problem(entry({ claimMappings: { username }, claimValidationRules: [{ expression: verified }] }))).toBe("");
    expect(
      problem(maps({ username, extra: [{ key: "a.io/b", valueExpression: "string(claims.email_verified)" }] })),
    ).toBe("");
    expect(problem(maps({ username: { expression: "claims.email_verified ? claims.email : ''" } }))).toBe("");
  });

  it("takes 64 issuers, each URL once", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => entry({ issuer: issuer({ url: `https://idp.test/${i}` }) }));
    expect(problem(...many(64))).toBe("");
    expect(problem(...many(65))).toMatch(/jwt: Too many/);
    expect(problem(entry(), entry())).toMatch(/jwt\[1\]\.issuer\.url: Duplicate/);
    const same = (url: string) => entry({ issuer: issuer({ url, discoveryURL: "https://meta.test" }) });
    expect(problem(same("https://a.test"), same("https://b.test"))).toMatch(/discoveryURL: Duplicate/);
  });

  it.each<[string, Entry]>([
    ["groups of a prefix alone, which are none", maps({ ...U, groups: { prefix: "x" } })],
    ["a discovery URL of the server", entry({ issuer: issuer({ discoveryURL: "https://own.test" }) })],
    ["a rule that compares", rules({ expression: "claims.verified == true" })],
  ])("takes %s", (_, jwt) => {
    expect(problem(jwt)).toBe("");
  });

  it("needs its gate for egress selectors, and a file that says what they mean", () => {
    const off = { ...context, gates: { enabled: () => false } };
    const jwt = [entry({ issuer: issuer({ egressSelectorType: "cluster" }) })];
    expect(() => parseAuthenticationConfig(document({ jwt }), off)).toThrow(
      /StructuredAuthenticationConfigurationEgressSelector/,
    );
    expect(problem(...jwt)).toMatch(/egressSelectorType: Invalid value: "cluster": .*--egress-selector-config-file/);
    const cluster = { name: "cluster", connect: () => Promise.reject(new Error("unused")) };
    const egress = { controlplane: undefined, cluster, has: (name: string) => name === "cluster" };
    expect(parseAuthenticationConfig(document({ jwt }), { ...context, egress }).jwt[0]?.egress).toBe(cluster);
    const other = [entry({ issuer: issuer({ egressSelectorType: "controlplane" }) })];
    expect(() => parseAuthenticationConfig(document({ jwt: other }), { ...context, egress })).toThrow(
      /egressSelectorType/,
    );
  });

  it("is an object of its version, without conditions for what is off", () => {
    expect(() => parseAuthenticationConfig(Buffer.from("a: [b"), context)).toThrow(/YAML/);
    expect(() => parseAuthenticationConfig(Buffer.from("- a"), context)).toThrow(/object is expected/);
    expect(() => parseAuthenticationConfig(document({}, `${names.group("apiserver.config")}/v9`), context)).toThrow(
      /v9/,
    );
    expect(() => parseAuthenticationConfig(Buffer.from("jwt: []\njwt: []\n"), context)).toThrow(/jwt/);
    expect(() => parse({ anonymous: { enabled: false, conditions: [{ path: "/x" }] } })).toThrow(
      /enabled should be set/,
    );
    expect(() => parse({ anonymous: { enabled: true, conditions: [{ path: "" }] } })).toThrow(/path: Required/);
  });

  describe("maps claims", () => {
    const map = (over: Entry, claims: Record<string, unknown>) =>
      mapClaims(parse({ jwt: [entry(over)] }).jwt[0]!.mapping, claims as never);
    const byClaims = {
      claimMappings: {
        username: { claim: "name", prefix: "u:" },
        groups: { claim: "roles", prefix: "g:" },
        uid: { claim: "id" },
      },
    };
    const byExpressions = {
      claimMappings: {
        username: { expression: 'claims.name + "!"' },
        groups: { expression: "claims.roles" },
        uid: { expression: "claims.id" },
        extra: [{ key: "a.io/t", valueExpression: "claims.tenant" }],
      },
      claimValidationRules: [
        { claim: "hd", requiredValue: "x" },
        { expression: "claims.age > 17", message: "too young" },
      ],
      userValidationRules: [
        { expression: "!user.username.startsWith('system:') && user.groups.all(g, g != 'root')", message: "reserved" },
      ],
    };
    const good = { name: "jane", roles: ["dev"], id: "7", tenant: "t", hd: "x", age: 18 };

    it("by name and by expression", () => {
      expect(map(byClaims, good)).toEqual({ name: "u:jane", groups: ["g:dev"], uid: "7" });
      expect(map(byExpressions, good)).toEqual({
        name: "jane!",
        groups: ["dev"],
        uid: "7",
        extra: { "a.io/t": ["t"] },
      });
    });

    it.each([
      ["one group as text", byClaims, { roles: "dev" }, { groups: ["g:dev"] }],
      ["no groups claim", byClaims, { roles: undefined }, { groups: [] }],
      ["groups of numbers", byClaims, { roles: [1] }, /groups/],
      ["no username", byClaims, { name: undefined }, /username/],
      ["an empty username", byClaims, { name: "" }, /empty username/],
      ["a username of another type", byClaims, { name: 7 }, /username/],
      ["no uid", byClaims, { id: undefined }, /uid/],
      ["one group of an expression", byExpressions, { roles: "dev" }, { groups: ["dev"] }],
      ["no group of an expression", byExpressions, { roles: ["", "a"] }, { groups: ["a"] }],
      ["an expression over a missing claim", byExpressions, { tenant: undefined }, /extra a\.io\/t/],
      ["an empty extra", byExpressions, { tenant: "" }, { name: "jane!" }],
      ["an extra of another type", byExpressions, { tenant: 7 }, /extra a\.io\/t/],
      ["another required value", byExpressions, { hd: "y" }, /does not match/],
      ["a missing required claim", byExpressions, { hd: undefined }, /not present/],
      ["a rule that does not hold", byExpressions, { age: 17 }, /too young/],
      ["a rule that fails", byExpressions, { age: "old" }, /failed/],
      ["a reserved user", byExpressions, { name: "system:x" }, /reserved/],
      ["a reserved group", byExpressions, { roles: ["root"] }, /reserved/],
      ["keys of the prototype", { claimMappings: { username: { claim: "constructor", prefix: "" } } }, {}, /username/],
    ])("with %s", (_, over, change, expected) => {
      const claims = JSON.parse(JSON.stringify({ ...good, ...change }));
      const outcome = map(over, claims);
      if (expected instanceof RegExp) expect(outcome).toMatch(expected);
      else expect(outcome).toMatchObject(expected);
    });

    it("with an address that its issuer has not verified", () => {
      const byEmail = { claimMappings: { username: { claim: "email", prefix: "" } } };
      expect(map(byEmail, { email: "a@b" })).toMatchObject({ name: "a@b" });
      expect(map(byEmail, { email: "a@b", email_verified: true })).toMatchObject({ name: "a@b" });
      expect(map(byEmail, { email: "a@b", email_verified: false })).toMatch(/not verified/);
      expect(map(byEmail, { email: "a@b", email_verified: "yes" })).toMatch(/not a boolean/);
    });
  });
});

describe("an authority in the configuration", () => {
  let pem: string;
  beforeAll(async () => {
    pem = (await makeAuthority("idp")).certificatePem;
  });

  it("is taken over", () => {
    const names = namesFor("platform");
    const context = { names, gates: { enabled: () => true }, expressions: new ClaimExpressions(names), ownIssuers: [] };
    const jwt = [
      {
        issuer: { url: "https://idp.test/", audiences: ["a"], certificateAuthority: pem },
        claimMappings: { username: { claim: "sub", prefix: "" } },
      },
    ];
    const bytes = Buffer.from(
      JSON.stringify({ apiVersion: `${names.group("apiserver.config")}/v1`, kind: "AuthenticationConfiguration", jwt }),
    );
    expect(parseAuthenticationConfig(bytes, context).jwt[0]).toMatchObject({
      certificateAuthority: pem,
      discoveryUrl: "https://idp.test/.well-known/openid-configuration",
    });
  });
});
