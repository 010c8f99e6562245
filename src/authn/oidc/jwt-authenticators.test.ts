// ID tokens against an issuer over TLS. Requirements: document 2, "OpenID Connect flags", "Authentication configuration file".

import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { namesFor } from "../../meta/names.ts";
import { parseApiServerOptions } from "../../options/api-server-options.ts";
import type { AuthenticationMetrics } from "../authentication-metrics.ts";
import type { Authentication } from "../authenticator.ts";
import {
  ecKeys,
  jwk,
  makeAuthority,
  openIdIssuer,
  rsaKeys,
  signJwt,
  type TestAuthority,
  type TestIssuer,
  until,
} from "../authn.testing.ts";
import { PresentedToken } from "../presented-token.ts";
import {
  type AuthenticationSettings,
  type JwtSettings,
  parseAuthenticationConfig,
  settingsOfFlags,
} from "./authentication-config.ts";
import { ClaimExpressions } from "./claim-expressions.ts";
import { followConfigFile } from "./config-file.ts";
import { JwtAuthenticators } from "./jwt-authenticators.ts";

const names = namesFor("kubernetes");
const context = { names, gates: { enabled: () => true }, expressions: new ClaimExpressions(names), ownIssuers: [] };
const rsa = rsaKeys();
const ec = ecKeys();
const ec384 = ecKeys("P-384");
const ec521 = ecKeys("P-521");
let authority: TestAuthority;
let folder: string;

beforeAll(async () => {
  authority = await makeAuthority("idp-ca");
});

describe("ID tokens", () => {
  const clock = new FakeClock(Date.now());
  const seconds = () => Math.floor(clock.nowMs() / 1000);
  let issuer: TestIssuer;
  let method: JwtAuthenticators | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "authn-"));
    issuer = await openIdIssuer(authority);
    issuer.keys = [
      jwk(rsa.publicKey, "r"),
      jwk(ec.publicKey, "e"),
      jwk(ec384.publicKey, "e3"),
      jwk(ec521.publicKey, "e5"),
    ];
    await writeFile(join(folder, "ca.pem"), authority.certificatePem);
  });
  afterEach(async () => {
    method?.close();
    await issuer.close();
    await rm(folder, { recursive: true });
  });

  const byFlags = (...flags: string[]): JwtSettings[] =>
    settingsOfFlags(
      parseApiServerOptions([
        `--oidc-issuer-url=${issuer.url}`,
        "--oidc-client-id=app",
        `--oidc-ca-file=${folder}/ca.pem`,
        ...flags,
      ]),
      context,
    );
  const open = (settings: readonly JwtSettings[] = byFlags()) => {
    method = new JwtAuthenticators(settings, { clock, log: silentLog });
    method.start();
  };
  const token = (claims: object = {}, key = rsa.privateKey, header: { alg?: string; kid?: string } = { kid: "r" }) =>
    signJwt({ iss: issuer.url, aud: "app", sub: "jane", exp: seconds() + 600, ...claims }, key, header);
  const judge = async (text: string): Promise<Authentication> => method!.authenticateToken(new PresentedToken(text));
  const nameOf = async (...args: Parameters<typeof token>) => {
    const outcome = await judge(await token(...args));
    return outcome.result === "user" ? outcome.user.name : outcome.result;
  };

  it("are accepted with the issuer as prefix, and the issuer is not asked per token", async () => {
    open();
    expect(await nameOf()).toBe(`${issuer.url}#jane`);
    const asked = issuer.asked.length;
    for (let i = 0; i < 5; i += 1) expect(await nameOf({ sub: `n-${i}` })).toBe(`${issuer.url}#n-${i}`);
    expect(issuer.asked.length).toBe(asked);
  });

  it.each([
    ["RS256", rsa.privateKey, "r"],
    ["RS384", rsa.privateKey, "r"],
    ["RS512", rsa.privateKey, "r"],
    ["PS256", rsa.privateKey, "r"],
    ["PS384", rsa.privateKey, "r"],
    ["PS512", rsa.privateKey, "r"],
    ["ES256", ec.privateKey, "e"],
    ["ES384", ec384.privateKey, "e3"],
    ["ES512", ec521.privateKey, "e5"],
  ])("signed with %s are accepted where it is allowed, and only there", async (alg, key, kid) => {
    open(byFlags(`--oidc-signing-algs=${alg}`));
    expect(await nameOf({}, key, { alg, kid })).toBe(`${issuer.url}#jane`);
    const other = alg === "RS256" ? "RS512" : "RS256";
    expect(await nameOf({}, rsa.privateKey, { alg: other, kid: "r" })).toBe("refused");
  });

  it.each([
    ["expired", { exp: 1 }],
    ["without an end", { exp: undefined }],
    ["for another audience", { aud: "other" }],
    ["without audience", { aud: undefined }],
    ["not valid yet", { nbf: 4e9 }],
    ["without the username claim", { sub: undefined }],
    ["with a username of another type", { sub: 7 }],
  ])("%s are refused", async (_, claims) => {
    open();
    expect(await nameOf()).toBe(`${issuer.url}#jane`);
    expect(await nameOf(claims)).toBe("refused");
  });

  it("of other issuers and other tokens are not known here", async () => {
    open();
    expect(await nameOf({ iss: "https://other.test" })).toBe("none");
    expect((await judge("no-jwt")).result).toBe("none");
  });

  it("signed by an unknown key, with a secret, or not at all are refused", async () => {
    open();
    expect(await nameOf({}, rsaKeys().privateKey)).toBe("refused");
    const [, payload] = (await token()).split(".");
    for (const alg of ["none", "HS256"]) {
      const header = Buffer.from(JSON.stringify({ alg, kid: "r" })).toString("base64url");
      expect((await judge(`${header}.${payload}.AAAA`)).result).toBe("refused");
    }
  });

  it("follow the rotation of keys without a restart, with few questions", async () => {
    open();
    expect(await nameOf()).toBe(`${issuer.url}#jane`);
    const next = rsaKeys();
    const stranger = rsaKeys().privateKey;
    expect(await nameOf({}, stranger, { kid: "no" })).toBe("refused");
    issuer.keys = [jwk(next.publicKey, "next")];
    expect(await nameOf({}, next.privateKey, { kid: "next" })).toBe(`${issuer.url}#jane`);
    const asked = issuer.asked.length;
    for (let i = 0; i < 20; i += 1) expect(await nameOf({}, stranger, { kid: `no-${i}` })).toBe("refused");
    expect(issuer.asked.length).toBeLessThan(asked + 8);
    expect(await nameOf({ sub: "late" })).toBe("refused");
  });

  it("end when they expire, though they were accepted before", async () => {
    open();
    const text = await token({ exp: seconds() + 5 });
    expect((await judge(text)).result).toBe("user");
    expect(method!.authenticateToken(new PresentedToken(text))).toMatchObject({ result: "user" });
    await clock.advance(6_000);
    expect((await judge(text)).result).toBe("refused");
  });

  it("map names, groups and required claims as the flags say", async () => {
    open(
      byFlags(
        "--oidc-username-claim=email",
        "--oidc-groups-claim=groups",
        "--oidc-groups-prefix=g:",
        "--oidc-required-claim=hd=x",
      ),
    );
    const outcome = await judge(await token({ email: "a@b", groups: ["dev"], hd: "x" }));
    expect(outcome).toMatchObject({ result: "user", user: { name: "a@b", groups: ["g:dev"] } });
    expect(await nameOf({ email: "a@b" })).toBe("refused");
    method!.close();
    open(byFlags("--oidc-username-claim=login", "--oidc-username-prefix=-"));
    expect(await nameOf({ login: "jane" })).toBe("jane");
    method!.close();
    open(byFlags("--oidc-username-claim=email", "--oidc-username-prefix=corp:"));
    expect(await nameOf({ email: "a@b" })).toBe("corp:a@b");
    method!.close();
    // What is empty is not set.
    open(byFlags("--oidc-username-prefix=", "--oidc-groups-claim="));
    expect(await nameOf({ groups: 7 })).toBe(`${issuer.url}#jane`);
  });

  it.each<[string, object, string]>([
    ["no end", { exp: undefined }, "refused"],
    ["an end that is a text", { exp: "9999999999" }, "refused"],
    ["a beginning that is a text", { nbf: "1" }, "refused"],
    ["null as beginning", { nbf: null }, "user"],
  ])("with %s", async (_, claims, expected) => {
    open();
    expect((await judge(await token(claims))).result).toBe(expected);
  });

  it("of an issuer whose document names another, or that is not trusted, are refused", async () => {
    issuer.named = "https://other.test";
    open();
    expect(await nameOf()).toBe("refused");
    method!.close();
    const foreign = (await makeAuthority("foreign")).certificatePem;
    await writeFile(join(folder, "ca.pem"), foreign);
    issuer.named = undefined;
    open();
    expect(await nameOf()).toBe("refused");
  });

  it("are accepted once an issuer that was down is there", async () => {
    issuer.keys = [];
    issuer.named = "https://wrong.test";
    open();
    expect(await nameOf()).toBe("refused");
    issuer.named = undefined;
    issuer.keys = [jwk(rsa.publicKey, "r")];
    await clock.advance(3_000);
    await until(async () => (await nameOf()) === `${issuer.url}#jane`);
  });

  describe("and their configuration file", () => {
    const file = () => join(folder, "authn.json");
    const write = async (content: object) => {
      const apiVersion = `${names.group("apiserver.config")}/v1`;
      await writeFile(`${file()}.new`, JSON.stringify({ apiVersion, kind: "AuthenticationConfiguration", ...content }));
      await rename(`${file()}.new`, file());
    };
    const entry = (prefix: string, url = issuer.url) => ({
      issuer: { url, audiences: ["app"], certificateAuthority: authority.certificatePem },
      claimMappings: { username: { claim: "sub", prefix } },
    });
    const parsed = (...jwt: object[]) => {
      const apiVersion = `${names.group("apiserver.config")}/v1`;
      return parseAuthenticationConfig(
        Buffer.from(JSON.stringify({ apiVersion, kind: "AuthenticationConfiguration", jwt })),
        context,
      ).jwt;
    };

    it("change together; a bad file leaves the old issuers in force and is counted", async () => {
      const { readFile } = await import("node:fs/promises");
      await write({ jwt: [entry("a:")] });
      const first = await readFile(file());
      const parse = (content: Uint8Array): AuthenticationSettings => parseAuthenticationConfig(content, context);
      const reloads: boolean[] = [];
      const metrics = {
        reloaded: (success: boolean) => reloads.push(success),
        configured: () => undefined,
      } as unknown as AuthenticationMetrics;
      open(parse(first).jwt);
      let anonymous: unknown = "untouched";
      const onAnonymous = (rules: unknown) => {
        anonymous = rules;
      };
      let kept = "";
      const keep = (content: Uint8Array) => {
        kept = String(content);
      };
      const followed = followConfigFile({
        path: file(),
        first,
        parse,
        keep,
        issuers: method!,
        onAnonymous,
        clock,
        log: silentLog,
        metrics,
      });
      try {
        expect(await nameOf()).toBe("a:jane");
        await write({ jwt: [entry("b:")], anonymous: { enabled: false } });
        await until(() => reloads.length === 1, clock);
        expect([await nameOf(), anonymous]).toEqual(["b:jane", { enabled: false }]);
        await write({ jwt: [{ ...entry("c:"), claimMappings: {} }] });
        await until(() => reloads.length === 2, clock);
        expect([await nameOf(), reloads]).toEqual(["b:jane", [true, false]]);
        expect(kept).toContain("b:");
        // Its issuer is down for minutes: the old one stays, and the new one comes when it can.
        issuer.named = "https://wrong.test";
        await write({
          jwt: [
            {
              ...entry("d:"),
              issuer: { ...entry("d:").issuer, audiences: ["app", "b"], audienceMatchPolicy: "MatchAny" },
            },
          ],
        });
        await until(async () => {
          await clock.advance(10_000);
          return reloads.length >= 4;
        }, clock);
        expect([await nameOf(), reloads.slice(2).includes(true)]).toEqual(["b:jane", false]);
        issuer.named = undefined;
        await until(() => reloads.at(-1) === true, clock);
        expect(await nameOf()).toBe("d:jane");
        const soFar = reloads.length;
        await write({ jwt: [] });
        await until(() => reloads.length > soFar, clock);
        expect(await nameOf()).toBe("none");
      } finally {
        followed.close();
      }
    });

    it("keep what equal entries have learned, and the old set when a new issuer cannot be reached", async () => {
      open(parsed(entry("a:")));
      expect(await nameOf()).toBe("a:jane");
      const asked = issuer.asked.length;
      const never = new AbortController().signal;
      await method!.replace(parsed(entry("a:")), 1_000, never);
      expect([await nameOf({ sub: "x" }), issuer.asked.length]).toEqual(["a:x", asked]);
      const broken = method!.replace(parsed(entry("x:", `${issuer.url}/nothing`)), 50, never);
      let over = false;
      const refused = expect(broken.finally(() => (over = true))).rejects.toThrow(/nothing/);
      await until(() => over, clock);
      await refused;
      expect(await nameOf()).toBe("a:jane");
    });

    it("take over no more once something else is wanted, though their issuers are there by then", async () => {
      open(parsed(entry("a:")));
      expect(await nameOf()).toBe("a:jane");
      const asked = issuer.asked.length;
      const wanted = new AbortController();
      const refused = expect(method!.replace(parsed(entry("b:")), 60_000, wanted.signal)).rejects.toThrow(/another/);
      // Its keys are here, and nobody has looked yet.
      await until(() => issuer.asked.length >= asked + 2);
      wanted.abort();
      await clock.advance(100);
      await refused;
      expect(await nameOf()).toBe("a:jane");
    });
  });
});
