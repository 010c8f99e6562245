// Secrets with tokens of service accounts, and the accounts that every namespace has. Requirements: document 2, "Methods".

import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseJwt } from "../../authn/jwt/parse-jwt.ts";
import type { Secret } from "../../kinds/core/secret.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { type ControllersInProcessOptions, controllersInProcess } from "../controllers.testing.ts";
import { Meanwhile } from "../meanwhile.testing.ts";
import { rootCaPublisher } from "../root-ca/root-ca-publisher.ts";
import { serviceAccountController } from "../service-account/service-account-controller.ts";
import { serviceAccountTokenController } from "./service-account-token-controller.ts";
import { judgeSecret } from "./token-secret.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-keys-"));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(join(folder, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(join(folder, "ca.crt"), "an authority\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("what becomes of a Secret", () => {
  const names = namesFor("platform");
  const account = { name: "robot", uid: "u1" };
  const filled = {
    token: "dA==",
    namespace: Buffer.from("a").toString("base64"),
    "ca.crt": Buffer.from("ca").toString("base64"),
  };
  const secret = (annotations: Record<string, string>, data: Record<string, string> = {}, more: Partial<Secret> = {}) =>
    ({
      metadata: { name: "s", namespace: "a", annotations },
      type: names.serviceAccountTokenType,
      data,
      ...more,
    }) as Secret;
  const named = { [names.serviceAccountNameAnnotation]: "robot" };
  const known = { ...named, [names.serviceAccountUidAnnotation]: "u1" };
  const cases: [what: string, secret: Secret, there: boolean, verdict: object][] = [
    ["of another type stays", secret(known, {}, { type: "Opaque" }), false, { type: "keep" }],
    ["that names nobody stays", secret({}), false, { type: "keep" }],
    ["of an account that is not there goes", secret(named), false, { type: "delete" }],
    [
      "of an older account of the name goes",
      secret({ ...named, [names.serviceAccountUidAnnotation]: "u0" }),
      true,
      { type: "delete" },
    ],
    ["without anything is filled", secret(named), true, { type: "fill", token: true }],
    ["without the uid is filled, its token stays", secret(named, filled), true, { type: "fill", token: false }],
    [
      "with another authority is filled, its token stays",
      secret(known, { ...filled, "ca.crt": "eA==" }),
      true,
      { type: "fill", token: false },
    ],
    ["that is whole stays", secret(known, filled), true, { type: "keep" }],
    ["that names another namespace stays", secret(known, { ...filled, namespace: "eA==" }), true, { type: "keep" }],
  ];
  it.each(cases)("%s", (_what, given, there, verdict) => {
    expect(judgeSecret(names, given, there ? account : undefined, "ca")).toEqual(verdict);
  });
});

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  const start = (options: Partial<ControllersInProcessOptions> = {}) =>
    controllersInProcess({
      ...options,
      definitions: [serviceAccountController, serviceAccountTokenController, rootCaPublisher],
      dialect,
      flags: [
        `--service-account-private-key-file=${join(folder, "sa.key")}`,
        `--root-ca-file=${join(folder, "ca.crt")}`,
      ],
    });

  it("a Secret is filled with a token without an end, and goes with its account", async () => {
    const { client, eventually, close } = await start();
    const { names } = client;
    const accounts = client.core.v1.serviceAccounts("default");
    const secrets = client.core.v1.secrets("default");
    const { metadata: robot } = await accounts.create({ metadata: { name: "robot" } });
    await secrets.create({
      metadata: { name: "robot-token", annotations: { [names.serviceAccountNameAnnotation]: "robot" } },
      type: names.serviceAccountTokenType,
      data: { namespace: "" },
    });
    const token = await eventually(async () => {
      const { data, metadata } = await secrets.get("robot-token");
      expect(metadata.annotations?.[names.serviceAccountUidAnnotation]).toBe(robot.uid);
      expect(Buffer.from(data?.["ca.crt"] ?? "", "base64").toString()).toBe("an authority\n");
      expect(Buffer.from(data?.["namespace"] ?? "", "base64").toString()).toBe("default");
      return Buffer.from(data?.["token"] ?? "", "base64").toString();
    });
    const parsed = parseJwt(token);
    expect(typeof parsed === "string" ? parsed : parsed?.claims).toMatchObject({
      sub: "system:serviceaccount:default:robot",
    });
    expect(typeof parsed === "string" ? parsed : parsed?.claims).not.toHaveProperty("exp");
    await accounts.delete("robot");
    await eventually(async () => expect(await secrets.find("robot-token")).toBeUndefined());
    await close();
  });

  it("a Secret that names another account by now does not get the token of the one before", async () => {
    const meanwhile = new Meanwhile();
    const { client, eventually, close } = await start({ beforeManager: meanwhile.between });
    const { names } = client;
    const secrets = client.core.v1.secrets("default");
    const make = (account: string) =>
      secrets.create({
        metadata: { name: "token", annotations: { [names.serviceAccountNameAnnotation]: account } },
        type: names.serviceAccountTokenType,
      });
    for (const name of ["robot", "clerk"])
      await client.core.v1.serviceAccounts("default").create({ metadata: { name } });
    const replaced = meanwhile.before(
      ({ path }) => path.includes("/secrets/token"),
      async () => {
        await secrets.delete("token");
        await make("clerk");
      },
    );
    await make("robot");
    await replaced;
    const token = await eventually(async () => {
      const { data } = await secrets.get("token");
      expect(data?.["token"]).toBeDefined();
      return parseJwt(Buffer.from(data!["token"]!, "base64").toString());
    });
    expect(typeof token === "string" ? token : token?.claims).toMatchObject({
      sub: "system:serviceaccount:default:clerk",
    });
    await close();
  });

  it("a Secret that is deleted leaves the list of its account, the others stay there", async () => {
    const { client, eventually, close } = await start();
    const { names } = client;
    const accounts = client.core.v1.serviceAccounts("default");
    const secrets = client.core.v1.secrets("default");
    await accounts.create({ metadata: { name: "robot" }, secrets: [{ name: "robot-token" }, { name: "other" }] });
    await secrets.create({
      metadata: { name: "robot-token", annotations: { [names.serviceAccountNameAnnotation]: "robot" } },
      type: names.serviceAccountTokenType,
    });
    await eventually(async () => expect((await secrets.get("robot-token")).data?.["token"]).toBeDefined());
    await secrets.delete("robot-token");
    await eventually(async () => expect((await accounts.get("robot")).secrets).toEqual([{ name: "other" }]));
    await close();
  });

  it("the authority that somebody else brings into a namespace just before the server's gives way", async () => {
    const meanwhile = new Meanwhile();
    const { client, eventually, close } = await start({ between: meanwhile.between });
    const maps = client.core.v1.configMaps("shop");
    const restored = meanwhile.before(
      ({ method, path }) => method === "POST" && path.includes("/shop/configmaps"),
      async () => {
        await maps.create({ metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": "of another cluster" } });
      },
    );
    await client.core.v1.namespaces().create({ metadata: { name: "shop" } });
    await restored;
    await eventually(async () =>
      expect((await maps.get("kube-root-ca.crt")).data).toEqual({ "ca.crt": "an authority\n" }),
    );
    await close();
  });

  it("every namespace has its default account and the authority of the server, again when they are deleted", async () => {
    const { client, eventually, close } = await start();
    await client.core.v1.namespaces().create({ metadata: { name: "shop" } });
    const accounts = client.core.v1.serviceAccounts("shop");
    const maps = client.core.v1.configMaps("shop");
    const first = await eventually(() => accounts.get("default"));
    await accounts.delete("default");
    await eventually(async () => expect((await accounts.get("default")).metadata.uid).not.toBe(first.metadata.uid));
    await eventually(async () =>
      expect((await maps.get("kube-root-ca.crt")).data).toEqual({ "ca.crt": "an authority\n" }),
    );
    await maps.patch("kube-root-ca.crt", { merge: { data: { "ca.crt": "another", more: "x" } } });
    await eventually(async () =>
      expect((await maps.get("kube-root-ca.crt")).data).toEqual({ "ca.crt": "an authority\n" }),
    );
    await close();
  });
});
