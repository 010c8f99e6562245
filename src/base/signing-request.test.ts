import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DerError } from "./der-reader.ts";
import {
  alternativeNames,
  basicConstraints,
  encodeName,
  extendedKeyUsage,
  KEY_USAGES,
  keyUsage,
  NAME_OID,
  pem,
  publicKeyInfoOf,
  signCertificate,
} from "./sign-certificate.ts";
import { testSigningRequest } from "./signing-request.testing.ts";
import { readSigningRequest } from "./signing-request.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

describe("a request for a certificate", () => {
  it("says who it is for and which names are wanted", () => {
    const names = {
      dnsNames: ["a.example.com", "b"],
      emailAddresses: ["x@example.com"],
      ipAddresses: ["10.0.0.1", "2001:db8::1"],
      uris: ["spiffe://x/y"],
    };
    const subject = [
      [NAME_OID.organization, "one"],
      [NAME_OID.organization, "two"],
      [NAME_OID.commonName, "name ü"],
    ] as const;
    const read = readSigningRequest(testSigningRequest({ subject, ...names }).pem);
    expect(read.subject.map(({ type, value }) => [type, value])).toEqual(subject);
    expect(read).toMatchObject({
      ...names,
      ipAddresses: ["10.0.0.1", "2001:0db8:0000:0000:0000:0000:0000:0001"],
    });
  });

  it("has no names where none are asked for", () => {
    const read = readSigningRequest(testSigningRequest().pem);
    expect([read.subject, read.dnsNames, read.ipAddresses]).toEqual([[], [], []]);
  });

  it.each([
    ["RSA", rsa, undefined, true],
    ["EC", ec, undefined, true],
    ["somebody else's", ec, generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey, false],
    ["a key of another kind's", ec, rsa, false],
  ])("is signed by its own key: %s", (_, key, signer, isSigned) => {
    const { pem: text } = testSigningRequest({ key, ...(signer === undefined ? {} : { signer }) });
    expect(readSigningRequest(text).isSignedByItsKey()).toBe(isSigned);
  });

  it.each([
    ["nothing", ""],
    ["another block", pem("CERTIFICATE", Buffer.from([0x30, 0]))],
    ["an empty sequence", pem("CERTIFICATE REQUEST", Buffer.from([0x30, 0]))],
    ["rubbish", pem("CERTIFICATE REQUEST", Buffer.from("rubbish"))],
    ["too little", pem("CERTIFICATE REQUEST", Buffer.from([0x30, 0x82, 0xff]))],
  ])("is not %s", (_, text) => expect(() => readSigningRequest(text)).toThrow(DerError));
});

describe("a signed certificate", () => {
  const sign = async (issuer: Parameters<typeof signCertificate>[1], extensions: Buffer[]) =>
    new X509Certificate(
      await signCertificate(
        {
          subject: encodeName([[NAME_OID.commonName, "leaf"]]),
          publicKeyInfo: publicKeyInfoOf(ec),
          notBeforeMs: 0,
          notAfterMs: 4e12,
          extensions,
        },
        issuer,
      ),
    );

  it("names the key of its authority as that names itself", async () => {
    const own = await sign(ec, [basicConstraints(true)]);
    const leaf = await sign({ certificate: own, key: ec }, [basicConstraints(false)]);
    expect([leaf.checkIssued(own), leaf.verify(own.publicKey)]).toEqual([true, true]);
  });

  it("has the usages and names that it is given", async () => {
    const names = alternativeNames({ dnsNames: ["a.example.com"], ipAddresses: ["::1"], uris: ["urn:x"] })!;
    const cert = await sign(rsa, [
      keyUsage(new Set(["digitalSignature", "decipherOnly"])),
      extendedKeyUsage(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]),
      names,
    ]);
    expect(cert.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]);
    expect(cert.subjectAltName).toBe("DNS:a.example.com, IP Address:0:0:0:0:0:0:0:1, URI:urn:x");
  });

  it.each([
    [["digitalSignature"], "03020780"],
    [["digitalSignature", "keyEncipherment"], "030205a0"],
    [["keyCertSign", "cRLSign"], "03020106"],
    [["decipherOnly"], "0303070080"],
    [[...KEY_USAGES], "030307ff80"],
  ] as const)("writes the usages %j as few bits as can be", (usages, bits) => {
    expect(keyUsage(new Set(usages)).toString("hex")).toMatch(new RegExp(`${bits}$`));
  });
});
