// Token requests, token reviews and self reviews through the whole server. Requirements: document 2, "Methods", "Endpoints".

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ecKeys, signJwt, until } from "../../../authn/authn.testing.ts";
import { FakeClock } from "../../../base/clock.ts";
import { Metrics } from "../../../base/metrics.ts";
import { DIALECTS, namesFor } from "../../../meta/names.ts";
import { type ServerInProcess, serverInProcess } from "../../server.testing.ts";

const ISSUER = "https://issuer.test";
const keys = ecKeys();

describe.each(DIALECTS)("authentication through the server in the dialect %s", (dialect) => {
  const names = namesFor(dialect);
  const group = names.group("authentication");
  const clock = new FakeClock(Date.now());
  let folder: string;
  let server: ServerInProcess;
  let metrics: Metrics;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "authn-"));
    await writeFile(
      join(folder, "tokens.csv"),
      'admin-token,admin,uid-1,"system:masters"\nalice-token,alice,uid-2,dev\n',
    );
    await writeFile(join(folder, "sa.key"), keys.privateKey.export({ type: "pkcs8", format: "pem" }));
    metrics = new Metrics({ release: "1.34" });
    server = await serverInProcess({
      dialect,
      flags: [
        `--token-auth-file=${folder}/tokens.csv`,
        "--authorization-mode=RBAC",
        "--external-hostname=api.test",
        `--service-account-issuer=${ISSUER}`,
        `--service-account-signing-key-file=${folder}/sa.key`,
        "--service-account-max-token-expiration=2h",
        "--enable-bootstrap-token-auth",
        "--disable-admission-plugins=ServiceAccount",
      ],
      clock,
      authentication: "by flags",
      authorization: "by flags",
      deps: { metrics },
    });
    await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const call = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.call(method, url, body, { authorization: "Bearer admin-token", ...headers });
  const post = (url: string, body: unknown, headers?: Record<string, string>) => call("POST", url, body, headers);
  const TOKEN = "/api/v1/namespaces/default/serviceaccounts/robot/token";
  const request = (spec: object = {}, url = TOKEN) =>
    post(url, { apiVersion: `${group}/v1`, kind: "TokenRequest", spec });
  const whoami = async (token: string, headers: Record<string, string> = {}) => {
    const answer = await post(
      `/apis/${group}/v1/selfsubjectreviews`,
      { kind: "SelfSubjectReview", apiVersion: `${group}/v1` },
      { authorization: `Bearer ${token}`, ...headers },
    );
    return answer.status === 201 ? answer.json.status.userInfo : answer.status;
  };
  const review = (token: string, audiences?: string[]) =>
    post(`/apis/${group}/v1/tokenreviews`, {
      apiVersion: `${group}/v1`,
      kind: "TokenReview",
      spec: { token, ...(audiences === undefined ? {} : { audiences }) },
    });
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString("utf8"));

  it("says what it issues, though the request does not", async () => {
    const { json } = await post(TOKEN, { spec: {} });
    expect(Object.entries(json).slice(0, 2)).toEqual([
      ["kind", "TokenRequest"],
      ["apiVersion", `${group}/v1`],
    ]);
  });

  it("issues a token that is a credential", async () => {
    const answer = await request();
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      kind: "TokenRequest",
      apiVersion: `${group}/v1`,
      metadata: { name: "robot", namespace: "default" },
      spec: { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
    });
    const { token, expirationTimestamp } = answer.json.status;
    const claims = claimsOf(token);
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: [ISSUER],
      sub: "system:serviceaccount:default:robot",
      nbf: claims.iat,
      exp: claims.iat + 3600,
    });
    expect(Object.keys(claims)).toEqual(["aud", "exp", "iat", "iss", "jti", names.privateClaim, "nbf", "sub"]);
    expect(Date.parse(expirationTimestamp) / 1000).toBe(claims.exp);
    expect(await whoami(token)).toEqual({
      username: "system:serviceaccount:default:robot",
      uid: answer.json.metadata.uid,
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      extra: { [names.credentialIdExtra]: [`JTI=${claims.jti}`] },
    });
  });

  it.each([
    ["a short life", { expirationSeconds: 599 }, 422, /less than 10 minutes/],
    ["an endless life", { expirationSeconds: 2 ** 32 + 1 }, 422, /larger than 2\^32 seconds/],
    [
      "a bound object of another kind",
      { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } },
      400,
      /cannot bind token to object of type \/v1, Kind=ConfigMap/,
    ],
    [
      "a bound object that is not there",
      { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "x" } },
      404,
      /secrets "x" not found/,
    ],
  ])("refuses %s", async (_, spec, status, message) => {
    const answer = await request(spec);
    expect([answer.status, answer.json.message]).toEqual([status, expect.stringMatching(message)]);
  });

  it("refuses tokens of accounts that are not there or named otherwise in the body", async () => {
    expect((await request({}, TOKEN.replace("robot", "nobody"))).json.message).toBe(
      'serviceaccounts "nobody" not found',
    );
    const misnamed = await post(TOKEN, { metadata: { name: "other" }, spec: {} });
    expect([misnamed.status, misnamed.json.message]).toEqual([
      422,
      expect.stringContaining("must match the service account name if specified"),
    ]);
    expect((await call("GET", TOKEN)).status).toBe(405);
  });

  it("shortens a life that is longer than the server allows, with a warning", async () => {
    const answer = await request({ expirationSeconds: 10_000 });
    expect(answer.json.spec.expirationSeconds).toBe(7200);
    expect(answer.headers["warning"]).toEqual([
      expect.stringContaining("requested expiration of 10000 seconds shortened to 7200 seconds"),
    ]);
  });

  it("binds a token to a Pod of the account, and lets it die with the Pod", async () => {
    const pod = {
      metadata: { name: "p" },
      spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] },
    };
    const { json: created } = await post("/api/v1/namespaces/default/pods", pod);
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p", uid: created.metadata.uid };
    const { json } = await request({ boundObjectRef });
    expect((await whoami(json.status.token)).extra[names.podUidExtra]).toEqual([created.metadata.uid]);
    const wrongUid = await request({ boundObjectRef: { ...boundObjectRef, uid: "other" } });
    expect([wrongUid.status, wrongUid.json.message]).toEqual([
      409,
      expect.stringContaining("does not match the UID in record"),
    ]);
    await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "second" } });
    const foreign = await request({ boundObjectRef }, TOKEN.replace("robot", "second"));
    expect([foreign.status, foreign.json.message]).toEqual([
      400,
      expect.stringContaining("different serviceaccount name"),
    ]);
    const long = await request({ boundObjectRef, expirationSeconds: 3607 });
    const claims = claimsOf(long.json.status.token);
    expect([claims.exp - claims.iat, claims[names.privateClaim].warnafter - claims.iat]).toEqual([
      365 * 24 * 3600,
      3607,
    ]);
    await call("DELETE", "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0");
    expect(await whoami(json.status.token)).toBe(401);
  });

  it("revokes tokens with their account, also when it is made again", async () => {
    const { token } = (await request()).json.status;
    await call("DELETE", "/api/v1/namespaces/default/serviceaccounts/robot");
    expect(await whoami(token)).toBe(401);
    await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    expect(await whoami(token)).toBe(401);
    expect(await whoami((await request()).json.status.token)).toMatchObject({
      username: "system:serviceaccount:default:robot",
    });
  });

  it("reviews tokens with its own methods", async () => {
    expect((await review("alice-token")).json.status).toEqual({
      authenticated: true,
      user: { username: "alice", uid: "uid-2", groups: ["dev", "system:authenticated"] },
      audiences: [ISSUER],
    });
    const invalid = {
      error: "invalid bearer token",
      user: {},
      ...(dialect === "platform" && { authenticated: false }),
    };
    expect((await review("wrong")).json.status).toEqual(invalid);
    expect((await review("alice-token", ["x"])).json.status).toEqual(invalid);
    const { token } = (await request({ audiences: ["vault", "db"] })).json.status;
    expect((await review(token, ["db", "x"])).json.status).toMatchObject({ authenticated: true, audiences: ["db"] });
    expect((await review(token)).json.status.authenticated ?? false).toBe(false);
    const empty = await review("");
    expect([empty.status, empty.json.message]).toEqual([400, "token is required for TokenReview in authentication"]);
  });

  it("knows bootstrap tokens as soon as their Secret is there, and no longer", async () => {
    const secret = {
      metadata: { name: "bootstrap-token-abcdef" },
      type: names.bootstrapTokenType,
      stringData: {
        "token-id": "abcdef",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
      },
    };
    const path = `/api/v1/namespaces/${names.systemNamespace}/secrets`;
    expect(await whoami("abcdef.0123456789abcdef")).toBe(401);
    await post(path, secret);
    expect(await whoami("abcdef.0123456789abcdef")).toMatchObject({
      username: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers", "system:authenticated"],
    });
    await call("DELETE", `${path}/bootstrap-token-abcdef`);
    expect(await whoami("abcdef.0123456789abcdef")).toBe(401);
  });

  it("accepts the token of a Secret and notes the day of its use there", async () => {
    const { json: account } = await call("GET", "/api/v1/namespaces/default/serviceaccounts/robot");
    const claim = (name: string) => `${names.privateClaim}/serviceaccount/${name}`;
    const token = await signJwt(
      {
        iss: names.legacyTokenIssuer,
        sub: "system:serviceaccount:default:robot",
        [claim("namespace")]: "default",
        [claim("secret.name")]: "old",
        [claim("service-account.name")]: "robot",
        [claim("service-account.uid")]: account.metadata.uid,
      },
      keys.privateKey,
    );
    const annotations = {
      [names.serviceAccountNameAnnotation]: "robot",
      [names.serviceAccountUidAnnotation]: account.metadata.uid,
    };
    const path = "/api/v1/namespaces/default/secrets";
    await post(path, {
      metadata: { name: "old", annotations },
      type: names.serviceAccountTokenType,
      stringData: { token },
    });
    expect(await whoami(token)).toMatchObject({ username: "system:serviceaccount:default:robot" });
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
    await until(
      async () => (await call("GET", `${path}/old`)).json.metadata.labels?.[names.legacyTokenLastUsedLabel] === day,
    );
    await call("DELETE", `${path}/old`);
    expect(await whoami(token)).toBe(401);
  });

  it("shows the impersonated user as oneself", async () => {
    expect(await whoami("admin-token", { "impersonate-user": "jane", "impersonate-group": "qa" })).toEqual({
      username: "jane",
      groups: ["qa", "system:authenticated"],
    });
  });

  it("says of access whether it is denied, also where it is not, as document 2 shows it", async () => {
    const group = names.group("authorization");
    const body = {
      apiVersion: `${group}/v1`,
      kind: "SelfSubjectAccessReview",
      spec: { nonResourceAttributes: { path: "/x", verb: "get" } },
    };
    const admin = { authorization: "Bearer admin-token" };
    const { json } = await call("POST", `/apis/${group}/v1/selfsubjectaccessreviews`, body, admin);
    expect([json.status.allowed, json.status.denied]).toEqual([true, dialect === "platform" ? false : undefined]);
  });

  it("publishes its issuer", async () => {
    // Whatever the client calls the server: others may get to see this answer.
    const discovery = await call("GET", "/.well-known/openid-configuration", undefined, { host: "evil:6443" });
    expect(discovery.json).toMatchObject({ issuer: ISSUER, jwks_uri: "https://api.test:6443/openid/v1/jwks" });
    const keys = await call("GET", "/openid/v1/jwks");
    expect(keys.headers["content-type"]).toBe("application/jwk-set+json");
    expect(keys.headers["cache-control"]).toBe("public, max-age=3600");
    expect(keys.json.keys).toHaveLength(1);
  });

  it("counts attempts", async () => {
    await call("GET", "/version");
    await call("GET", "/version", undefined, { authorization: "Bearer wrong" });
    let text = "";
    for await (const piece of metrics.expose()) text += piece;
    expect(text).toMatch(/authentication_attempts\{result="success"\} [1-9]/);
    expect(text).toMatch(/authentication_attempts\{result="error"\} 1/);
    expect(text).toMatch(/authenticated_user_requests\{username="admin"\} [1-9]/);
  });
});
