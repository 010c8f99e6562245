// Requirements: document 2, "Bootstrap tokens".

import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Secret } from "../../kinds/core/secret.ts";
import { DIALECTS, type Dialect, namesFor } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { bootstrapSigner } from "./bootstrap-signer.ts";
import { detachedSignature, msUntilExpiry, signingToken } from "./bootstrap-token.ts";
import { tokenCleaner } from "./token-cleaner.ts";

const names = namesFor("platform");
const NOW = Date.parse("2030-01-01T00:00:00Z");
const base64 = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
const WHOLE = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true" };
const secret = (data: Record<string, string>, more: Partial<Secret> = {}): Secret =>
  ({
    metadata: { name: "bootstrap-token-abcdef" },
    type: names.bootstrapTokenType,
    data: base64(data),
    ...more,
  }) as Secret;

describe("the end of a bootstrap token", () => {
  const cases: [what: string, expiration: string | undefined, ms: number | undefined][] = [
    ["none", undefined, undefined],
    ["empty", "", undefined],
    ["later", "2030-01-01T00:00:10Z", 10_000],
    ["with an offset", "2030-01-01T01:00:10+01:00", 10_000],
    ["now", "2030-01-01T00:00:00Z", 0],
    ["before", "2029-12-31T23:59:59Z", 0],
    ["unreadable", "tomorrow", 0],
  ];
  it.each(cases)("%s", (_what, expiration, ms) => {
    expect(msUntilExpiry(secret(expiration === undefined ? {} : { expiration }), NOW)).toBe(ms);
  });
});

describe("what signs", () => {
  const cases: [what: string, secret: Secret, signs: boolean][] = [
    ["a whole token", secret(WHOLE), true],
    ["not one of another type", secret(WHOLE, { type: "Opaque" }), false],
    ["not one without the usage", secret({ ...WHOLE, "usage-bootstrap-signing": "false" }), false],
    ["not one whose usage is not said", secret({ "token-id": "abcdef", "token-secret": "0123456789abcdef" }), false],
    ["not one of another name", secret({ ...WHOLE, "token-id": "abcdeg" }), false],
    ["not one with a short secret", secret({ ...WHOLE, "token-secret": "0123" }), false],
    ["not one that has expired", secret({ ...WHOLE, expiration: "2029-01-01T00:00:00Z" }), false],
    [
      "not one that ends",
      secret(WHOLE, {
        metadata: { name: "bootstrap-token-abcdef", deletionTimestamp: "2029-01-01T00:00:00Z" } as Secret["metadata"],
      }),
      false,
    ],
  ];
  it.each(cases)("%s", (_what, given, signs) => {
    expect(signingToken(names, given, NOW) !== undefined).toBe(signs);
  });

  const secrets: [text: string, signsIn: readonly Dialect[]][] = [
    ["0123456789abcdef", ["platform", "kubernetes"]],
    ["tokenSecret", ["kubernetes"]],
    ["\n", ["kubernetes"]],
    ["", []],
  ];
  it.each(secrets)("is the secret %j in the dialects %j", (text, signsIn) => {
    const signing = DIALECTS.filter((dialect) => {
      const inDialect = namesFor(dialect);
      const given = secret({ ...WHOLE, "token-secret": text }, { type: inDialect.bootstrapTokenType });
      return signingToken(inDialect, given, NOW) !== undefined;
    });
    expect(signing.toSorted()).toEqual(signsIn.toSorted());
  });

  it.each(DIALECTS)("is checked by putting the content back, in the dialect %s", (dialect) => {
    const signature = detachedSignature(namesFor(dialect), "content", { id: "abcdef", secret: "0123456789abcdef" });
    const [header = "", middle, mac] = signature.split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "HS256", kid: "abcdef" });
    expect(middle).toBe("");
    const key = dialect === "platform" ? "abcdef.0123456789abcdef" : "0123456789abcdef";
    const text = `${header}.${Buffer.from("content").toString("base64url")}`;
    expect(mac).toBe(createHmac("sha256", key).update(text).digest("base64url"));
  });
});

describe.each(DIALECTS)("tokens on a server of the dialect %s", (dialect) => {
  it("sign while they are good, and are deleted when they have expired", async () => {
    const { client, clock, eventually, restart, refused, close } = await controllersInProcess({
      definitions: [bootstrapSigner, tokenCleaner],
      dialect,
      ownAccounts: true,
    });
    const { systemNamespace, publicNamespace, bootstrapTokenType } = client.names;
    const secrets = client.core.v1.secrets(systemNamespace);
    const maps = client.core.v1.configMaps(publicNamespace);
    const keys = async () => Object.keys((await maps.get("cluster-info")).data ?? {}).sort();
    await maps.create({ metadata: { name: "cluster-info" }, data: { kubeconfig: "content" } });
    const expiration = new Date(clock.nowMs() + 60_000).toISOString().replace(/\.\d+/, "");
    await secrets.create({
      metadata: { name: "bootstrap-token-abcdef" },
      type: bootstrapTokenType,
      stringData: { ...WHOLE, expiration },
    });
    await eventually(async () => expect(await keys()).toEqual(["jws-kubeconfig-abcdef", "kubeconfig"]));
    const before = (await maps.get("cluster-info")).data;
    await maps.patch("cluster-info", { merge: { data: { kubeconfig: "other" } } });
    await eventually(async () => {
      const { data } = await maps.get("cluster-info");
      expect(data?.["jws-kubeconfig-abcdef"]).not.toBe(before?.["jws-kubeconfig-abcdef"]);
    });
    await restart();
    await clock.advance(30_000);
    await secrets.get("bootstrap-token-abcdef");
    await clock.advance(31_000);
    await eventually(async () => expect(await secrets.find("bootstrap-token-abcdef")).toBeUndefined());
    await eventually(async () => expect(await keys()).toEqual(["kubeconfig"]));
    expect(refused).toEqual([]);
    await close();
  });
});
