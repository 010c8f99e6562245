import { beforeAll, describe, expect, it } from "vitest";
import { issueCertificate } from "../../http/pki/issue-certificate.ts";
import { authorityBundleProblem } from "./authority-bundle.ts";

const DAY_MS = 86_400_000;
const PREFIX = "unable to load root certificates: ";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const block = (type: string, body: string): string => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;

let certificate: string;

beforeAll(async () => {
  const { certificatePem } = await issueCertificate({
    subject: { commonName: "webhook" },
    notBeforeMs: Date.now() - DAY_MS,
    notAfterMs: Date.now() + DAY_MS,
    use: "server",
    names: ["localhost"],
  });
  certificate = certificatePem;
});

describe("the authorities of a webhook", () => {
  it("may be left to the system", () => {
    expect(authorityBundleProblem("")).toBeUndefined();
  });

  it("are at least one certificate, whatever stands around it", () => {
    expect(authorityBundleProblem(base64(certificate))).toBeUndefined();
    const around = `words\n${block("CERTIFICATE", "bm8=")}${block("PRIVATE KEY", "AAAA")}${certificate}more`;
    expect(authorityBundleProblem(base64(around))).toBeUndefined();
  });

  it.each([
    ["words", "unable to parse bytes as PEM block"],
    [block("PRIVATE KEY", "AAAA"), "no valid certificate authority data seen"],
    [block("CERTIFICATE", "Proc-Type: 4\n\nAAAA"), "no valid certificate authority data seen"],
    [block("CERTIFICATE", "bm8="), "failed to parse certificate: x509: malformed certificate"],
  ])("are not %j", (text, why) => {
    expect(authorityBundleProblem(base64(text))).toBe(PREFIX + why);
  });

  it("are not the many beginnings of none", () => {
    const beginnings = "-----BEGIN CERTIFICATE-----\n".repeat(50_000);
    expect(authorityBundleProblem(base64(beginnings))).toBe(`${PREFIX}unable to parse bytes as PEM block`);
  });
});
