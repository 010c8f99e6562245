// Requirements: document 2, "Client credential plugin": what the command prints.

import { beforeAll, describe, expect, it } from "vitest";
import { issueCertificate, type KeyedCertificate } from "../../http/pki/issue-certificate.ts";
import { ExecOutputError, readExecCredential } from "./exec-credential.ts";

const V1 = "client.authentication.platform.io/v1";
const HOUR_MS = 3_600_000;
let ann: KeyedCertificate;
let bob: KeyedCertificate;

beforeAll(async () => {
  const issue = (commonName: string) =>
    issueCertificate({
      subject: { commonName },
      notBeforeMs: Date.now() - HOUR_MS,
      notAfterMs: Date.now() + HOUR_MS,
      use: "client",
      names: [],
    });
  [ann, bob] = await Promise.all([issue("ann"), issue("bob")]);
});

const print = (status: unknown, over: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ apiVersion: V1, kind: "ExecCredential", status, ...over }));

describe("what a plug-in prints", () => {
  it("may be a token", () => {
    expect(readExecCredential(print({ token: "t" }), V1)).toEqual({ credentials: { authorization: "Bearer t" } });
  });

  it("may be a certificate and its key, with intermediates behind the certificate", () => {
    const status = { clientCertificateData: ann.certificatePem + bob.certificatePem, clientKeyData: ann.keyPem };
    expect(readExecCredential(print(status), V1).credentials).toEqual({
      identity: { certificatePem: status.clientCertificateData, keyPem: ann.keyPem },
    });
  });

  it("may be both", () => {
    const status = { token: "t", clientCertificateData: ann.certificatePem, clientKeyData: ann.keyPem };
    expect(Object.keys(readExecCredential(print(status), V1).credentials)).toEqual(["authorization", "identity"]);
  });

  it("may be YAML", () => {
    const text = `apiVersion: ${V1}\nkind: ExecCredential\nstatus:\n  token: t\n  expirationTimestamp: 2030-01-01T00:00:00Z\n`;
    expect(readExecCredential(Buffer.from(text), V1)).toEqual({
      credentials: { authorization: "Bearer t" },
      expiresAtMs: Date.parse("2030-01-01T00:00:00Z"),
    });
  });

  it.each([
    ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"],
    ["2030-01-01T02:00:00+02:00", "2030-01-01T00:00:00Z"],
  ])("expires at %s", (expirationTimestamp, time) => {
    const read = readExecCredential(print({ token: "t", expirationTimestamp }), V1);
    expect(read.expiresAtMs).toBe(Date.parse(time));
  });

  it("never expires when it says nothing", () => {
    expect(readExecCredential(print({ token: "t", expirationTimestamp: null }), V1).expiresAtMs).toBeUndefined();
  });

  it.each<[string, () => Buffer, RegExp]>([
    ["nothing", () => Buffer.from(""), /printed nothing/],
    ["garbage", () => Buffer.from("hello\n"), /printed 6 bytes that are no ExecCredential/],
    ["a bare token", () => Buffer.from("secret-token\n"), /are no ExecCredential/],
    ["text behind a credential", () => Buffer.from(`${print({ token: "secret" })}\nbye`), /are no ExecCredential/],
    ["half a credential", () => Buffer.from('{"status":{"token":"secret"'), /are no ExecCredential/],
    ["a list", () => Buffer.from("[]"), /are no ExecCredential/],
    ["half an object", () => Buffer.from('{"kind":'), /are no ExecCredential/],
    ["another kind", () => print({}, { kind: "Pod" }), /kind ExecCredential is expected, not "Pod"/],
    ["no kind", () => print({}, { kind: undefined }), /not none/],
    [
      "another version",
      () => print({ token: "secret" }, { apiVersion: `${V1}beta1` }),
      /configured to use API version .*\/v1, plugin returned version ".*\/v1beta1"/,
    ],
    [
      "another dialect",
      () => print({ token: "secret" }, { apiVersion: "client.authentication.k8s.io/v1" }),
      /plugin returned version "client\.authentication\.k8s\.io\/v1"/,
    ],
    ["no status", () => print(undefined), /didn't return a status field/],
    ["an odd status", () => print("x"), /status: an object is expected/],
    ["an empty status", () => print({}), /didn't return a token or cert\/key pair/],
    ["a token that is none", () => print({ token: 7 }), /status\.token: text is expected/],
    ["a token over two lines", () => print({ token: "a\nb" }), /cannot be sent/],
    ["a certificate alone", () => print({ clientCertificateData: ann.certificatePem }), /only certificate or key/],
    ["a key alone", () => print({ token: "t", clientKeyData: ann.keyPem }), /only certificate or key/],
    [
      "the key of another",
      () => print({ clientCertificateData: ann.certificatePem, clientKeyData: bob.keyPem }),
      /key does not belong/,
    ],
    ["a certificate that is none", () => print({ clientCertificateData: "x", clientKeyData: "y" }), /failed parsing/],
    ["a time that is none", () => print({ token: "t", expirationTimestamp: "soon" }), /"soon" is not a time/],
    ["an empty time", () => print({ token: "t", expirationTimestamp: "" }), /is not a time/],
    ["a number for a time", () => print({ token: "t", expirationTimestamp: 1 }), /is not a time/],
  ])("is refused when it is %s", (_what, output, message) => {
    let error: unknown;
    try {
      readExecCredential(output(), V1);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(ExecOutputError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain("secret");
  });

  it("is not repeated at length", () => {
    const run = () => readExecCredential(Buffer.from("x".repeat(100_000)), V1);
    expect(run).toThrow(ExecOutputError);
    expect(run).not.toThrow(/x{300}/);
  });
});
