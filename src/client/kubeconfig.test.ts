// Requirements: document 2, "Webhook token authentication", "Webhook authorization".

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectionOf, parseKubeconfig, readKubeconfig, readPem } from "./kubeconfig.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  writeFileSync(join(folder, "ca.pem"), "CA");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string) => Buffer.from(text).toString("base64");
const config = (cluster: object, user: object = {}, more: object = {}) => ({
  "current-context": "c",
  clusters: [{ name: "k", cluster }],
  users: [{ name: "u", user }],
  contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
  ...more,
});
const parse = (value: object) => connectionOf(parseKubeconfig(Buffer.from(JSON.stringify(value)), folder));

describe("a kubeconfig file", () => {
  it("is neither waited for nor read without end", () => {
    const path = join(folder, "odd");
    execFileSync("mkfifo", [path]);
    expect(() => readKubeconfig(path)).toThrow(`${path} is not a plain file`);
    const named = config({ server: "https://x", "certificate-authority": "odd" });
    expect(() => parse(named)).toThrow(`clusters[0].cluster.certificate-authority: ${path} is not a plain file`);
    expect(() => readKubeconfig("/dev/zero")).toThrow("/dev/zero has more than 16777216 bytes");
  });

  it("gives the connection of its current context", () => {
    const user = { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY"), token: "t" };
    const { cluster, ...rest } = parse(config({ server: "https://x", "certificate-authority": "ca.pem" }, user));
    expect(cluster).toMatchObject({ server: "https://x", insecureSkipTlsVerify: false, disableCompression: false });
    expect(readPem(cluster.certificateAuthority!)).toBe("CA");
    expect(rest).toEqual({
      clusterName: "k",
      userName: "u",
      user: {
        clientCertificate: { at: "users[0].user.client-certificate-data", pem: "CERT" },
        clientKey: { at: "users[0].user.client-key-data", pem: "KEY" },
        token: "t",
      },
    });
  });

  it("prefers data in the file over files it names", () => {
    const cluster = {
      server: "https://x",
      "certificate-authority": "missing.pem",
      "certificate-authority-data": base64("INLINE"),
    };
    expect(readPem(parse(config(cluster)).cluster.certificateAuthority!)).toBe("INLINE");
  });

  it("finds files beside itself", () => {
    const user = { tokenFile: "token", exec: { command: "./plugin" } };
    const connection = parse(config({ server: "https://x", "certificate-authority": "ca.pem" }, user));
    expect(connection.cluster.certificateAuthority).toMatchObject({ file: join(folder, "ca.pem") });
    expect(connection.user.tokenFile).toBe(join(folder, "token"));
    expect(connection.user.exec).toEqual({ settings: { command: "./plugin" }, at: "users[0].user.exec", folder });
  });

  it("reads files only for the connection that is wanted", () => {
    const other = { name: "other", cluster: { server: "https://y", "certificate-authority": "missing.pem" } };
    const file = config({ server: "https://x" });
    expect(() => parse({ ...file, clusters: [...file.clusters, other] })).not.toThrow();
  });

  it("says whom to act as", () => {
    const user = { as: "a", "as-uid": "1", "as-groups": ["g", "h"], "as-user-extra": { scope: ["x"], __proto__: [] } };
    expect(parse(config({ server: "https://x" }, user)).user.impersonate).toEqual({
      user: "a",
      uid: "1",
      groups: ["g", "h"],
      extra: new Map([["scope", ["x"]]]),
    });
  });

  it("has extensions of clusters by their name", () => {
    const extensions = [{ name: "a", extension: { b: [1] } }, { name: "empty" }];
    expect([...parse(config({ server: "https://x", extensions })).cluster.extensions]).toEqual([
      ["a", { b: [1] }],
      ["empty", null],
    ]);
  });

  it.each<[string, object, RegExp]>([
    ["a context that is not there", config({}, {}, { "current-context": "x" }), /no context "x"/],
    ["no context", config({}, {}, { "current-context": "" }), /no context is chosen/],
    ["a cluster that is not there", config({}, {}, { clusters: [] }), /no cluster "k"/],
    ["a user that is not there", config({}, {}, { users: [] }), /no user "u"/],
    [
      "a certificate without its key",
      config({ server: "https://x" }, { "client-certificate-data": base64("C") }),
      /users\[0\]\.user\.client-certificate-data: .*belong together/,
    ],
    ["groups without a user", config({}, { "as-groups": ["g"] }), /need the name of a user/],
    ["a group that is none", config({}, { as: "a", "as-groups": [1] }), /as-groups: a list of texts is expected/],
    ["a plug-in that is none", config({}, { exec: "x" }), /users\[0\]\.user\.exec: an object is expected/],
    [
      "a missing file",
      config({ server: "https://x", "certificate-authority": "missing.pem" }),
      /clusters\[0\]\.cluster\.certificate-authority: ENOENT/,
    ],
    [
      "both an authority and none",
      config({ server: "https://x", "certificate-authority": "ca.pem", "insecure-skip-tls-verify": true }),
      /exclude each other/,
    ],
    ["a list that is none", config({}, {}, { clusters: {} }), /clusters: a list is expected/],
    ["a number for a text", config({ server: 1 }), /server: text is expected/],
  ])("is refused with %s", (_what, value, message) => expect(() => parse(value)).toThrow(message));

  it("that is empty says nothing, as /dev/null to those who want none", () =>
    expect(parseKubeconfig(new Uint8Array(), folder)).toMatchObject({ currentContext: "" }));

  it("that does not exist is refused", () => expect(() => readKubeconfig(join(folder, "none"))).toThrow(/ENOENT/));
});
