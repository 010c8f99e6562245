// Requirements: document 2, "Methods" (service account token).

import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { distinctKeys, parseSigningKey, parseVerificationKeys } from "../../base/signing-keys.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import type { Authentication } from "../authenticator.ts";
import { ecKeys, rsaKeys, signJwt } from "../authn.testing.ts";
import { PresentedToken, type TokenAuthenticator } from "../presented-token.ts";
import type { TokenClaims } from "../token-claims.ts";
import { tokenIssuer } from "../token-issuer.ts";
import type { AccountObjects, Finder, LiveAccount, LiveObject, LiveSecret } from "./account-objects.ts";
import { issuerDocuments } from "./issuer-documents.ts";
import { serviceAccountTokens } from "./service-account-tokens.ts";

const ISSUER = "https://issuer.test";
const NOW = Date.parse("2030-01-01T00:00:00Z");
const rsa = rsaKeys();
const ec = ecKeys();
const pem = (key: typeof rsa.privateKey) => key.export({ type: "pkcs8", format: "pem" }).toString();
const signingKey = parseSigningKey(pem(rsa.privateKey));
const otherKey = parseSigningKey(pem(ec.privateKey));

class FakeFinder<T extends LiveObject> implements Finder<T> {
  readonly objects = new Map<string, T>();
  /** Objects that only the store knows yet. */
  readonly unheard = new Map<string, T>();
  storeReads = 0;

  get(namespace: string, name: string): T | undefined {
    return this.objects.get(`${namespace}/${name}`);
  }

  async getNewest(namespace: string, name: string): Promise<T | undefined> {
    this.storeReads += 1;
    return this.unheard.get(`${namespace}/${name}`) ?? this.get(namespace, name);
  }
}

describe.each(DIALECTS)("service account tokens in the dialect %s", (dialect) => {
  const names = namesFor(dialect);
  const clock = new FakeClock(NOW);
  let accounts: FakeFinder<LiveAccount>;
  let pods: FakeFinder<LiveObject>;
  let secrets: FakeFinder<LiveSecret>;
  let nodes: FakeFinder<LiveObject>;
  let method: TokenAuthenticator;
  /** Uses of tokens, and what the caches were asked. */
  let counted: string[];
  let noted: string[];

  beforeEach(() => {
    counted = [];
    noted = [];
    accounts = new FakeFinder();
    pods = new FakeFinder();
    secrets = new FakeFinder();
    nodes = new FakeFinder();
    accounts.objects.set("ns/robot", { uid: "sa-1", deletedAtMs: undefined, secrets: [] });
    const objects: AccountObjects = { serviceAccounts: accounts, pods, secrets, nodes, ready: async () => undefined };
    void clock.advance(NOW - clock.nowMs());
    method = serviceAccountTokens({
      names,
      clock,
      keys: () => [signingKey, otherKey],
      issuers: [ISSUER, "https://second.test"],
      audiences: [ISSUER],
      objects,
      lookup: true,
      onSecretUse: (namespace, name) => noted.push(`${namespace}/${name}`),
      count: (use) => counted.push(use),
      cacheMetrics: {
        hit: () => counted.push("hit"),
        waiting: () => () => counted.push("miss"),
        judging: () => (ok) => counted.push(ok ? "ok" : "error"),
      },
    });
  });

  const judge = async (token: string, audiences = [ISSUER]): Promise<Authentication> =>
    method.authenticateToken(new PresentedToken(token), audiences);
  const nowSeconds = NOW / 1000;
  const claimsOf = (over: Record<string, unknown> = {}, held: Record<string, unknown> = {}) => ({
    iss: ISSUER,
    sub: "system:serviceaccount:ns:robot",
    aud: [ISSUER],
    iat: nowSeconds - 10,
    nbf: nowSeconds - 10,
    exp: nowSeconds + 600,
    jti: "id-1",
    [names.privateClaim]: { namespace: "ns", serviceaccount: { name: "robot", uid: "sa-1" }, ...held },
    ...over,
  });
  const judgeClaims = async (over: Record<string, unknown> = {}, held: Record<string, unknown> = {}) =>
    judge(await signJwt(claimsOf(over, held), rsa.privateKey));

  it("are signed as they are verified", async () => {
    for (const key of [signingKey, otherKey]) {
      const issuer = tokenIssuer({
        names,
        key: () => key,
        issuer: ISSUER,
        audiences: [ISSUER],
        maxLifeSeconds: 0,
        extendsLife: true,
      });
      const claims: Omit<TokenClaims, "issuer"> = {
        id: "id-1",
        audiences: ["vault", ISSUER],
        issuedAt: nowSeconds,
        expiresAt: nowSeconds + 600,
        namespace: "ns",
        serviceAccount: { name: "robot", uid: "sa-1" },
      };
      expect(await judge(await issuer.sign(claims))).toEqual({
        result: "user",
        audiences: [ISSUER],
        user: {
          name: "system:serviceaccount:ns:robot",
          uid: "sa-1",
          groups: ["system:serviceaccounts", "system:serviceaccounts:ns"],
          extra: { [names.credentialIdExtra]: ["JTI=id-1"] },
        },
      });
    }
  });

  it.each([
    ["as they should be", {}, {}, "user"],
    ["of the second issuer", { iss: "https://second.test" }, {}, "user"],
    ["of another issuer", { iss: "https://other.test" }, {}, "none"],
    ["for another audience", { aud: ["vault"] }, {}, "refused"],
    ["for one audience as text", { aud: ISSUER }, {}, "user"],
    ["without audience", { aud: undefined }, {}, "user"],
    ["with a malformed audience", { aud: [7] }, {}, "refused"],
    ["that has just expired", { exp: nowSeconds - 50 }, {}, "user"],
    ["that has expired", { exp: nowSeconds - 61 }, {}, "refused"],
    ["with a malformed time", { exp: "never" }, {}, "refused"],
    ["with a time beyond all times", { exp: 1e20 }, {}, "refused"],
    ["with null as audience", { aud: null }, {}, "refused"],
    ["with a subject that is no text", { sub: 7 }, {}, "refused"],
    ["with an id that is no text", { jti: 7 }, {}, "refused"],
    ["with null as pod", {}, { pod: null }, "user"],
    ["to be renewed at a time that is none", {}, { warnafter: "x" }, "refused"],
    ["to be renewed at no time", {}, { warnafter: null }, "user"],
    ["not valid yet", { nbf: nowSeconds + 120 }, {}, "refused"],
    ["issued in the future", { iat: nowSeconds + 120 }, {}, "refused"],
    ["with another uid", {}, { serviceaccount: { name: "robot", uid: "other" } }, "refused"],
    ["of another account", {}, { serviceaccount: { name: "nobody", uid: "sa-1" } }, "refused"],
    ["of another namespace", {}, { namespace: "other" }, "refused"],
    ["bound to a missing pod", {}, { pod: { name: "p", uid: "p-1" } }, "refused"],
    ["with a malformed pod", {}, { pod: "p" }, "refused"],
    ["without the private claim", { [names.privateClaim]: undefined }, {}, "refused"],
  ])("%s", async (_, over, held, expected) => expect((await judgeClaims(over, held)).result).toBe(expected));

  it("need a signature by one of the keys, of the algorithm that is meant for it", async () => {
    const foreign = await signJwt(claimsOf(), rsaKeys().privateKey);
    expect((await judge(foreign)).result).toBe("refused");
    const named = await signJwt(claimsOf(), rsa.privateKey, { kid: otherKey.id });
    expect((await judge(named)).result).toBe("refused");
    for (const kid of ["unknown", "\0\r\n"])
      expect((await judge(await signJwt(claimsOf(), rsa.privateKey, { kid }))).result).toBe("refused");
    const [header, payload] = (await signJwt(claimsOf(), rsa.privateKey)).split(".");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    expect((await judge(`${none}.${payload}.`)).result).toBe("refused");
    expect((await judge(`${header}.${payload}.AAAA`)).result).toBe("refused");
    expect((await judge("a.b.c")).result).toBe("none");
  });

  it("die with the account and with what they are bound to, at once", async () => {
    pods.objects.set("ns/p", { uid: "p-1", deletedAtMs: undefined });
    const token = await signJwt(
      claimsOf({}, { pod: { name: "p", uid: "p-1" }, node: { name: "n", uid: "n-1" } }),
      rsa.privateKey,
    );
    const outcome = await judge(token);
    expect(outcome.result === "user" && outcome.user.extra).toEqual({
      [names.podNameExtra]: ["p"],
      [names.podUidExtra]: ["p-1"],
      [names.nodeNameExtra]: ["n"],
      [names.nodeUidExtra]: ["n-1"],
      [names.credentialIdExtra]: ["JTI=id-1"],
    });
    pods.objects.set("ns/p", { uid: "p-1", deletedAtMs: NOW - 30_000 });
    expect((await judge(token)).result).toBe("user");
    pods.objects.set("ns/p", { uid: "p-1", deletedAtMs: NOW - 61_000 });
    expect((await judge(token)).result).toBe("refused");
    pods.objects.set("ns/p", { uid: "p-2", deletedAtMs: undefined });
    expect((await judge(token)).result).toBe("refused");
    pods.objects.set("ns/p", { uid: "p-1", deletedAtMs: undefined });
    expect((await judge(token)).result).toBe("user");
    accounts.objects.delete("ns/robot");
    expect((await judge(token)).result).toBe("refused");
  });

  it("bound to a Secret or a Node die with it", async () => {
    secrets.objects.set("ns/s", {
      uid: "s-1",
      deletedAtMs: undefined,
      type: "Opaque",
      token: undefined,
      invalidSince: "",
      lastUsed: "",
    });
    nodes.objects.set("/n", { uid: "n-1", deletedAtMs: undefined });
    const bySecret = await signJwt(claimsOf({}, { secret: { name: "s", uid: "s-1" } }), rsa.privateKey);
    const byNode = await signJwt(claimsOf({}, { node: { name: "n", uid: "n-1" } }), rsa.privateKey);
    expect([(await judge(bySecret)).result, (await judge(byNode)).result]).toEqual(["user", "user"]);
    secrets.objects.clear();
    nodes.objects.clear();
    expect([(await judge(bySecret)).result, (await judge(byNode)).result]).toEqual(["refused", "refused"]);
  });

  it("ask the store about objects that this server has not heard of yet, and only then", async () => {
    await judgeClaims();
    expect(accounts.storeReads).toBe(0);
    accounts.objects.clear();
    accounts.unheard.set("ns/robot", { uid: "sa-1", deletedAtMs: undefined, secrets: [] });
    expect((await judgeClaims()).result).toBe("user");
    expect(accounts.storeReads).toBe(1);
  });

  it("used later than they were meant for are noted", async () => {
    const outcome = await judgeClaims({}, { warnafter: nowSeconds - 5 });
    expect(outcome).toMatchObject({
      result: "user",
      auditAnnotations: [
        [
          names.staleTokenAuditAnnotation,
          "subject: system:serviceaccount:ns:robot, seconds after warning threshold: 5",
        ],
      ],
    });
  });

  it("are counted as remembered or not, and those of others not at all", async () => {
    const token = await signJwt(claimsOf(), rsa.privateKey);
    await judge(token);
    await judge(token);
    expect(counted).toEqual(["ok", "miss", "hit"]);
    await judge(await signJwt(claimsOf(), rsaKeys().privateKey));
    expect(counted.slice(3)).toEqual(["error", "miss"]);
    await judge(await signJwt({ ...claimsOf(), iss: "https://elsewhere" }, rsa.privateKey));
    await judge("no-jwt");
    expect(counted.slice(5)).toEqual([]);
  });

  it("with a longer life than asked for are counted when they are accepted", async () => {
    const token = await signJwt(claimsOf({}, { warnafter: nowSeconds + 10 }), rsa.privateKey);
    await judge(token);
    await clock.advance(20_000);
    await judge(token);
    accounts.objects.clear();
    expect((await judge(token)).result).toBe("refused");
    expect(counted.filter((what) => what === "valid" || what === "stale")).toEqual(["valid", "stale"]);
  });

  it("seen before are answered without a promise", async () => {
    const token = await signJwt(claimsOf(), rsa.privateKey);
    await judge(token);
    expect(method.authenticateToken(new PresentedToken(token), [ISSUER])).toMatchObject({ result: "user" });
  });

  describe("that live in Secrets", () => {
    const prefix = `${names.privateClaim}/serviceaccount`;
    const legacyClaims = {
      iss: names.legacyTokenIssuer,
      sub: "system:serviceaccount:ns:robot",
      [`${prefix}/namespace`]: "ns",
      [`${prefix}/secret.name`]: "s",
      [`${prefix}/service-account.name`]: "robot",
      [`${prefix}/service-account.uid`]: "sa-1",
    };
    const store = (token: string, change: Partial<LiveSecret> = {}) =>
      secrets.objects.set("ns/s", {
        uid: "s-1",
        deletedAtMs: undefined,
        type: names.serviceAccountTokenType,
        token,
        invalidSince: "",
        lastUsed: "",
        ...change,
      });

    it("are good while their Secret holds them", async () => {
      const token = await signJwt(legacyClaims, rsa.privateKey);
      store(token);
      expect(await judge(token)).toEqual({
        result: "user",
        audiences: [ISSUER],
        auditAnnotations: [
          [names.legacyTokenAuditAnnotation, "system:serviceaccount:ns:robot"],
          [names.manualTokenAuditAnnotation, "s"],
        ],
        user: {
          name: "system:serviceaccount:ns:robot",
          uid: "sa-1",
          groups: ["system:serviceaccounts", "system:serviceaccounts:ns"],
        },
      });
      store("another");
      expect(await judge(token)).toEqual({ result: "refused", error: "Token does not match server's copy" });
      store(token, { deletedAtMs: NOW });
      expect(await judge(token)).toEqual({ result: "refused", error: "Token has been invalidated" });
      store(token, { invalidSince: "2029-12-01" });
      expect(await judge(token)).toMatchObject({
        result: "refused",
        error: expect.stringContaining("has been marked invalid"),
      });
      store(token);
      accounts.objects.set("ns/robot", { uid: "sa-2", deletedAtMs: undefined, secrets: [] });
      expect((await judge(token)).result).toBe("refused");
    });

    it("are counted by who has made them, and their use is noted", async () => {
      const token = await signJwt(legacyClaims, rsa.privateKey);
      store(token);
      await judge(token);
      expect(counted).toEqual(["manual", "legacy", "ok", "miss"]);
      expect(noted).toEqual(["ns/s"]);
      accounts.objects.set("ns/robot", { uid: "sa-1", deletedAtMs: undefined, secrets: ["other", "s"] });
      expect(await judge(token)).toMatchObject({
        auditAnnotations: [
          [names.legacyTokenAuditAnnotation, expect.any(String)],
          [names.autoTokenAuditAnnotation, "s"],
        ],
        warnings: [expect.stringContaining("instead of auto-generated secret-based tokens")],
      });
      expect(counted.slice(4)).toEqual(["hit", "auto", "legacy"]);
    });

    it("are counted and their use is noted also when they are marked as invalid, but not when they are wrong", async () => {
      const token = await signJwt(legacyClaims, rsa.privateKey);
      store(token, { invalidSince: "2029-12-01" });
      expect((await judge(token)).result).toBe("refused");
      expect([counted, noted]).toEqual([["invalid", "error", "miss"], ["ns/s"]]);
      store("another", { invalidSince: "2029-12-01" });
      expect((await judge(token)).result).toBe("refused");
      expect([counted.slice(3), noted]).toEqual([["hit"], ["ns/s"]]);
    });

    it("need every claim, and a subject that fits", async () => {
      for (const claim of Object.keys(legacyClaims).filter((key) => key !== "iss")) {
        const token = await signJwt({ ...legacyClaims, [claim]: undefined }, rsa.privateKey);
        expect((await judge(token)).result, claim).toBe("refused");
      }
      const wrong = await signJwt({ ...legacyClaims, sub: "system:serviceaccount:ns:other" }, rsa.privateKey);
      expect(await judge(wrong)).toEqual({ result: "refused", error: "sub claim is invalid" });
    });
  });
});

describe("keys", () => {
  it("are read from private, public and EC files, each once", () => {
    const text = [
      rsa.publicKey.export({ type: "spki", format: "pem" }),
      pem(rsa.privateKey),
      ec.privateKey.export({ type: "sec1", format: "pem" }),
      rsa.publicKey.export({ type: "pkcs1", format: "pem" }),
    ].join("\n");
    expect(distinctKeys(parseVerificationKeys(text)).map(({ algorithm }) => algorithm)).toEqual(["RS256", "ES256"]);
    expect(() => parseVerificationKeys("nothing")).toThrow(/no PEM block/);
    expect(() => parseSigningKey(rsa.publicKey.export({ type: "spki", format: "pem" }).toString())).toThrow(
      /private key/,
    );
  });

  it("are published without their private halves", () => {
    const documents = issuerDocuments({ issuer: ISSUER, keysUrl: undefined, keys: () => [signingKey, otherKey] });
    const read = (path: string) =>
      JSON.parse(Buffer.from(documents(path, "host:1")?.body as Uint8Array).toString("utf8"));
    expect(read("/.well-known/openid-configuration")).toEqual({
      issuer: ISSUER,
      jwks_uri: "https://host:1/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
    const { keys } = read("/openid/v1/jwks");
    expect(keys.map((key: object) => Object.keys(key).sort())).toEqual([
      ["alg", "e", "kid", "kty", "n", "use"],
      ["alg", "crv", "kid", "kty", "use", "x", "y"],
    ]);
    expect(documents("/openid", "host")).toBeUndefined();
    expect(
      issuerDocuments({ issuer: "plain", keysUrl: undefined, keys: () => [] })("/openid/v1/jwks", ""),
    ).toBeUndefined();
  });
});
