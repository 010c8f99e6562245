// Tokens, passwords and certificates of an entry; files are read again.

import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { UserEntry } from "../kubeconfig.ts";
import { ConfiguredCredentials } from "./configured-credentials.ts";
import { CredentialError } from "./credential-source.ts";
import { impersonationHeaders } from "./impersonation-headers.ts";

let folder: string;
let clock: FakeClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
  clock = new FakeClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const of = (user: UserEntry) => new ConfiguredCredentials("ann", user, clock);
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe("the credentials of an entry", () => {
  it.each<[string, UserEntry, object]>([
    ["nothing", {}, {}],
    ["a token", { token: "t" }, { authorization: "Bearer t" }],
    ["a password", { username: "u", password: "p" }, { authorization: "Basic dTpw" }],
    ["a token before a password", { token: "t", username: "u" }, { authorization: "Bearer t" }],
    [
      "a certificate",
      { clientCertificate: { at: "", pem: "C" }, clientKey: { at: "", pem: "K" } },
      { identity: { certificatePem: "C", keyPem: "K" } },
    ],
  ])("are %s", async (_what, user, expected) => {
    const source = of(user);
    expect(await source.current()).toEqual(expected);
    expect(await source.current()).toBe(await source.current());
  });

  it("are read again from a token file after a minute", async () => {
    const tokenFile = file("token", "one\n");
    const source = of({ token: "never", tokenFile });
    expect((await source.current()).authorization).toBe("Bearer one");
    writeFileSync(tokenFile, "two\n");
    expect((await source.current()).authorization).toBe("Bearer one");
    clock.advance(60_000);
    expect((await source.current()).authorization).toBe("Bearer two");
  });

  it("are read again at once when they are refused", async () => {
    const tokenFile = file("token", "one");
    const source = of({ tokenFile });
    await source.current();
    writeFileSync(tokenFile, "two");
    source.refused();
    expect((await source.current()).authorization).toBe("Bearer two");
  });

  it("stay while the file is away", async () => {
    const tokenFile = file("token", "one");
    const source = of({ tokenFile });
    await source.current();
    unlinkSync(tokenFile);
    clock.advance(60_000);
    expect((await source.current()).authorization).toBe("Bearer one");
  });

  it("are read again from the files of a certificate", async () => {
    const user: UserEntry = {
      clientCertificate: { at: "", file: file("cert", "C1") },
      clientKey: { at: "", file: file("key", "K1") },
    };
    const source = of(user);
    const first = await source.current();
    expect(first.identity).toEqual({ certificatePem: "C1", keyPem: "K1" });
    clock.advance(60_000);
    expect(await source.current()).toBe(first);
    file("cert", "C2");
    file("key", "K2");
    clock.advance(60_000);
    expect((await source.current()).identity).toEqual({ certificatePem: "C2", keyPem: "K2" });
  });

  it("that cannot be read are told of with the user", async () => {
    const source = of({ tokenFile: join(folder, "none") });
    await expect(source.current()).rejects.toThrow(/^user "ann": token file: ENOENT/);
    await expect(source.current()).rejects.toThrow(CredentialError);
  });
});

describe("impersonation", () => {
  it("is said in headers", () => {
    const extra = new Map([
      ["scopes", ["a", "b"]],
      ["Example.com/Näme%", ["c"]],
    ]);
    expect(impersonationHeaders({ user: "ann", uid: "7", groups: ["g", "h"], extra })).toEqual({
      "impersonate-user": "ann",
      "impersonate-uid": "7",
      "impersonate-group": ["g", "h"],
      "impersonate-extra-scopes": ["a", "b"],
      "impersonate-extra-example.com%2fn%c3%a4me%25": ["c"],
    });
  });

  it("of nobody has none", () => expect(impersonationHeaders(undefined)).toEqual({}));
});
