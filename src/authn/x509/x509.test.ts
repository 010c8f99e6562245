// Requirements: document 2, "Methods" (client certificate), "Authenticating proxy".

import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { StartFiles } from "../../base/start-files.ts";
import { NodeHeaderList } from "../../http/header-list.ts";
import type { ShownCertificate } from "../../http/message.ts";
import { namesFor } from "../../meta/names.ts";
import type { Authentication } from "../authenticator.ts";
import { credentials, makeAuthority, makeLeaf, type TestAuthority, until } from "../authn.testing.ts";
import { checkApart } from "./authorities-apart.ts";
import { followAuthorities, readAuthorityBundle } from "./authority-file.ts";
import { CertificateAuthorities } from "./certificate-authorities.ts";
import { clientCertificates } from "./client-certificate.ts";
import { requestHeaders } from "./request-header.ts";

const names = namesFor("kubernetes");
const HOUR_MS = 3_600_000;
const clock = new FakeClock(Date.now());
let first: TestAuthority;
let second: TestAuthority;
let foreign: TestAuthority;
let intermediate: TestAuthority;
let trusted: CertificateAuthorities;

beforeAll(async () => {
  [first, second, foreign] = await Promise.all([makeAuthority("ca-a"), makeAuthority("ca-b"), makeAuthority("other")]);
  intermediate = await makeAuthority("middle", first);
  trusted = new CertificateAuthorities(clock, [first.certificate, second.certificate]);
});

/** As OpenSSL accepted it, or did not. */
const shown = (
  ders: readonly Uint8Array[],
  problem?: string,
  authorities: readonly X509Certificate[] = trusted.certificates,
): ShownCertificate => ({ chain: ders.map((der) => new X509Certificate(der)), problem, authorities });
const judge = (chain: readonly Uint8Array[], problem?: string): Authentication =>
  clientCertificates(names, trusted, { withUid: true }).authenticate(
    credentials({}, shown(chain, problem)),
  ) as Authentication;
const nameOf = (outcome: Authentication) => (outcome.result === "user" ? outcome.user.name : outcome.result);

describe("a client certificate", () => {
  it("gives name, groups and the id of the credential", async () => {
    const leaf = await makeLeaf(first, { commonName: "jane+x@Example.com", organizations: ["dev", "q,a"] });
    const outcome = judge([leaf.der]);
    expect(outcome).toMatchObject({ result: "user", user: { name: "jane+x@Example.com", groups: ["dev", "q,a"] } });
    const id = outcome.result === "user" ? outcome.user.extra?.[names.credentialIdExtra]?.[0] : undefined;
    expect(id).toMatch(/^X509SHA256=[0-9a-f]{64}$/);
  });

  it.each([
    ["of the second authority", () => makeLeaf(second, { commonName: "x" }), "x"],
    ["of a foreign authority", () => makeLeaf(foreign, { commonName: "x" }), "refused"],
    ["without a name", () => makeLeaf(first, { commonName: "" }), "none"],
  ])("%s", async (_, make, expected) => {
    expect(nameOf(judge([(await make()).der]))).toBe(expected);
  });

  it.each([
    ["CERT_HAS_EXPIRED", "a certificate of the chain has expired"],
    ["INVALID_PURPOSE", "a certificate of the chain is not for clients"],
    ["CA_MD_TOO_WEAK", "a certificate of the chain is not accepted: CA_MD_TOO_WEAK"],
  ])("that OpenSSL does not accept is refused: %s", async (code, error) => {
    const leaf = await makeLeaf(first, { commonName: "x" });
    expect(judge([leaf.der], code)).toEqual({ result: "refused", error });
  });

  it("of an intermediate authority leads to the one above it", async () => {
    const leaf = await makeLeaf(intermediate, { commonName: "x" });
    expect(nameOf(judge([leaf.der, intermediate.certificate.raw]))).toBe("x");
    expect(nameOf(judge([leaf.der]))).toBe("refused");
  });

  it("with a huge key is refused before any signature is looked at", async () => {
    const leaf = await makeLeaf(first, { commonName: "x" });
    const huge = { publicKey: { asymmetricKeyDetails: { modulusLength: 16_384 } } } as X509Certificate;
    const chain = [new X509Certificate(leaf.der), huge];
    const request = credentials({}, { chain, problem: undefined, authorities: trusted.certificates });
    expect(trusted.verify(request)).toMatchObject({ trusted: false, problem: expect.stringContaining("too large") });
  });

  it("is judged again when its time is over or the authorities change, on an open connection too", async () => {
    const time = new FakeClock(Date.now());
    const authorities = new CertificateAuthorities(time, [first.certificate]);
    const method = clientCertificates(names, authorities, { withUid: false });
    const leaf = await makeLeaf(first, { commonName: "x", untilMs: Date.now() + HOUR_MS / 2 });
    const request = credentials({}, shown([leaf.der], undefined, [first.certificate]));
    const ask = () => nameOf(method.authenticate(request) as Authentication);
    expect(ask()).toBe("x");
    authorities.replace([second.certificate]);
    expect(ask()).toBe("refused");
    authorities.replace([first.certificate]);
    expect(ask()).toBe("x");
    await time.advance(HOUR_MS * 0.6);
    expect(ask()).toBe("refused");
  });

  it("counts by the authorities of its own handshake", async () => {
    const authorities = new CertificateAuthorities(clock, [first.certificate]);
    const leaf = await makeLeaf(first, { commonName: "x" });
    const before = credentials({}, shown([leaf.der], undefined, [second.certificate]));
    expect(authorities.verify(before)).toMatchObject({ trusted: false });
    const after = credentials({}, shown([leaf.der], undefined, [first.certificate]));
    expect(authorities.verify(after)).toMatchObject({ trusted: true });
  });
});

describe("a file of authorities", () => {
  it("is followed: new ones are trusted, and a bad file changes nothing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "authorities-"));
    const file = join(folder, "ca.pem");
    await writeFile(file, first.certificatePem);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) };
    const startFiles = new StartFiles();
    const bundle = readAuthorityBundle("client-ca-file", file, foreign.certificatePem, startFiles)!;
    let changes = 0;
    const onChange = () => {
      changes += 1;
    };
    const followed = followAuthorities(bundle, { clock, log, check: () => undefined, onChange });
    const all = [first, second, foreign];
    const leaves = await Promise.all(all.map((one) => makeLeaf(one, { commonName: "x" })));
    const requests = leaves.map(({ der }, i) => credentials({}, shown([der], undefined, [all[i]!.certificate])));
    const isTrusted = () => requests.map((request) => followed.authorities.verify(request)?.trusted);
    try {
      expect(isTrusted()).toEqual([true, false, true]);
      await writeFile(file, second.certificatePem);
      await until(() => isTrusted()[1] === true, clock);
      expect(isTrusted()).toEqual([false, true, true]);
      expect(changes).toBe(1);
      await writeFile(file, "nothing");
      await until(() => warnings.length > 0, clock);
      expect(isTrusted()).toEqual([false, true, true]);
      // A process that starts now has what is in force.
      const later = readAuthorityBundle("client-ca-file", file, "", new StartFiles(startFiles.contents));
      expect(later?.pem).toBe(second.certificatePem);
    } finally {
      followed.close();
      await rm(folder, { recursive: true });
    }
  });

  it("is not taken where it makes every user a proxy", () => {
    const [one, other] = [first.certificate, second.certificate];
    expect(() => checkApart([one, other], [other], [])).toThrow(/--requestheader-allowed-names must be specified/);
    expect(() => checkApart([one, other], [other], ["proxy"])).not.toThrow();
    expect(() => checkApart([one], [other], [])).not.toThrow();
  });

  it("must hold certificates", () => {
    expect(() => readAuthorityBundle("client-ca-file", "/no/such/file")).toThrow(
      /--client-ca-file \/no\/such\/file: ENOENT/,
    );
    expect(readAuthorityBundle("client-ca-file", undefined)).toBeUndefined();
  });
});

describe("an authenticating proxy", () => {
  const options = {
    usernameHeaders: ["X-Remote-User", "X-Other-User"],
    uidHeaders: ["X-Remote-Uid"],
    groupHeaders: ["X-Remote-Group"],
    extraHeaderPrefixes: ["X-Remote-Extra-"],
    allowedNames: ["proxy"],
  };
  const via = async (
    headers: Record<string, string | string[]>,
    commonName = "proxy",
    authority = first,
  ): Promise<Authentication> => {
    const leaf = await makeLeaf(authority, { commonName });
    return requestHeaders(trusted, options).authenticate(credentials(headers, shown([leaf.der])));
  };

  it("names the user in headers", async () => {
    const outcome = await via({
      "X-Other-User": "rex",
      "x-remote-user": "fido",
      "x-remote-uid": "7",
      "x-remote-group": ["dogs", "good,boys"],
      "x-remote-extra-acme.com%2FProject": "p",
      "X-Remote-Extra-Scopes": ["a", "b"],
      "x-remote-extra-broken%zz": "kept",
    });
    expect(outcome).toEqual({
      result: "user",
      user: {
        name: "fido",
        uid: "7",
        groups: ["dogs", "good,boys"],
        extra: { "acme.com/project": ["p"], scopes: ["a", "b"], "broken%zz": ["kept"] },
      },
    });
  });

  it("takes the first username header that has a value", async () => {
    expect(nameOf(await via({ "x-remote-user": "", "x-other-user": "rex" }))).toBe("rex");
  });

  it.each([
    ["a certificate of another name", { "x-remote-user": "a" }, "rogue", "refused"],
    ["no username header", { "x-remote-group": "a" }, "proxy", "none"],
  ])("with %s", async (_, headers, name, expected) => expect(nameOf(await via(headers, name))).toBe(expected));

  it("of a foreign authority is refused, and headers without a certificate are ignored", async () => {
    expect(nameOf(await via({ "x-remote-user": "a" }, "proxy", foreign))).toBe("refused");
    expect(
      nameOf(
        (await requestHeaders(trusted, options).authenticate(credentials({ "x-remote-user": "a" }))) as Authentication,
      ),
    ).toBe("none");
  });

  it("is believed by the first of repeated lines, which node has joined", async () => {
    const proxy = await makeLeaf(first, { commonName: "proxy" });
    const headers = new NodeHeaderList({ "x-remote-user": "a, b" }, ["X-Remote-User", "a", "x-remote-user", "b"]);
    const request = { ...credentials({}, shown([proxy.der])), headers };
    expect(nameOf((await requestHeaders(trusted, options).authenticate(request)) as Authentication)).toBe("a");
  });

  it("cannot reach the prototype through an extra key", async () => {
    const outcome = await via({ "x-remote-user": "a", "x-remote-extra-__proto__": "x" });
    expect(outcome.result === "user" && Object.keys(outcome.user.extra ?? {})).toEqual(["__proto__"]);
  });
});
