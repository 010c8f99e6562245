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

const named = (name: string): string => testSigningRequest({ subject: [[NAME_OID.commonName, name]] }).pem;

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
    ["one that no certificate could hold", named("x".repeat(64 * 1024))],
    ["one for a name with a character of control", named("a\0b")],
  ])("is not %s", (_, text) => expect(() => readSigningRequest(text)).toThrow(DerError));

  const [shown, hidden] = [named("shown"), named("hidden")];
  const [begin = "", ...rest] = shown.split("\n");
  it.each([
    ["text around it", `hello\n${shown}bye\n${hidden}`, "shown"],
    ["headers", [begin, "A: b", "", ...rest].join("\n"), "shown"],
    ["headers, and another one after it", [begin, "A: b", "", ...rest].join("\n") + hidden, "shown"],
    ["one that does not begin a line before it", `x${hidden}${shown}`, "shown"],
    ["one of another name before it", hidden.replaceAll(" REQUEST", "") + shown, undefined],
    ["one of the old name before it", hidden.replaceAll("CERT", "NEW CERT") + shown, undefined],
    ["one that ends as another before it", hidden.replace("END CERT", "END NEW CERT") + shown, undefined],
    ["one that does not end before it", hidden.replace(/-----END.*\n/, "") + shown, undefined],
    ["one whose first line goes on before it", hidden.replace("-----\n", "-----\u00a0\n") + shown, undefined],
    ["blanks and other ends of lines", shown.replaceAll("\n", " \t\r\n"), "shown"],
    ["signs that look like blanks", shown.replace(/=*\n-----END/, "\u00a0$&"), undefined],
    ["headers in the middle", [begin, rest[0], "A: b", ...rest.slice(1)].join("\n"), undefined],
    ["padding in the middle", [begin, "MAA=", ...rest].join("\n"), undefined],
    ["characters that are not base64", [begin, "!", ...rest].join("\n"), undefined],
  ])("is read in one way only, with %s", (_, text, name) => {
    if (name === undefined) expect(() => readSigningRequest(text)).toThrow(DerError);
    else expect(readSigningRequest(text).subject.map(({ value }) => value)).toEqual([name]);
  });
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
