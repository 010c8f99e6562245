import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { oid, time, unsigned } from "../../base/der-writer.ts";
import { StartError } from "../../base/start-error.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { PkiFolder } from "./pki-folder.ts";

const DAY_MS = 86_400_000;

describe("DER", () => {
  it.each([
    ["2.5.29.17", "0603551d11"],
    ["1.2.840.10045.4.3.2", "06082a8648ce3d040302"],
  ])("writes the object identifier %s", (dotted, hex) => {
    expect(oid(dotted).toString("hex")).toBe(hex);
  });

  it("keeps a number with its first bit set positive", () => {
    expect(unsigned(Buffer.from([0x80])).toString("hex")).toBe("02020080");
  });

  it.each([
    ["2049-12-31T23:59:59Z", 0x17, "491231235959Z"],
    ["2050-01-01T00:00:00Z", 0x18, "20500101000000Z"],
  ])("writes the time %s in the form that its year demands", (iso, tag, text) => {
    const encoded = time(Date.parse(iso));
    expect([encoded[0], encoded.subarray(2).toString()]).toEqual([tag, text]);
  });
});

describe("issued certificates", () => {
  const validity = { notBeforeMs: Date.now() - DAY_MS, notAfterMs: Date.now() + DAY_MS };

  it("are read by OpenSSL with names, addresses, use and subject", async () => {
    const names = ["localhost", "a.example.com", "127.0.0.1", "::1", "2001:db8::10.1.2.3", "fe80::1:0:0:2"];
    const keyed = await issueCertificate({
      use: "server",
      subject: { commonName: "x", organizations: ["a", "b, c"] },
      names,
      ...validity,
    });
    const certificate = new X509Certificate(keyed.certificatePem);
    expect(certificate.checkHost("a.example.com")).toBeDefined();
    for (const ip of ["127.0.0.1", "::1", "2001:db8::a01:203", "fe80::1:0:0:2"])
      expect(certificate.checkIP(ip)).toBe(ip);
    expect(certificate.checkIP("127.0.0.2")).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(certificate.toLegacyObject().subject).toMatchObject({ CN: "x", O: ["a", "b, c"] });
    expect(Date.parse(certificate.validTo)).toBeCloseTo(validity.notAfterMs, -4);
  });

  it("verify against the authority that signed them and no other", async () => {
    const [one, other] = await Promise.all(
      ["one", "other"].map((commonName) =>
        issueCertificate({ use: "authority", subject: { commonName }, ...validity }),
      ),
    );
    const { createPrivateKey } = await import("node:crypto");
    const authority = { certificate: new X509Certificate(one!.certificatePem), key: createPrivateKey(one!.keyPem) };
    const leaf = new X509Certificate(
      (await issueCertificate({ use: "client", subject: { commonName: "me" }, ...validity }, authority)).certificatePem,
    );
    expect(authority.certificate.ca).toBe(true);
    expect([leaf.checkIssued(authority.certificate), leaf.verify(authority.certificate.publicKey)]).toEqual([
      true,
      true,
    ]);
    const stranger = new X509Certificate(other!.certificatePem);
    expect([leaf.checkIssued(stranger), leaf.verify(stranger.publicKey)]).toEqual([false, false]);
  });
});

describe("the folder of keys", () => {
  let dir: string;
  let nowMs: number;
  let folder: PkiFolder;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "plinth-pki-"));
    nowMs = Date.parse("2030-06-01T00:00:00Z");
    folder = new PkiFolder(join(dir, "pki"), () => nowMs);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const leafFor = async (names: readonly string[]) => {
    const authority = await folder.authority("ca", "the-ca");
    return folder.leaf("server", { use: "server", subject: { commonName: "s" }, names }, authority);
  };

  it("keeps what it has made", async () => {
    const first = await leafFor(["localhost"]);
    expect(await leafFor(["localhost"])).toEqual(first);
  });

  it("keeps a certificate that has more names than are asked for", async () => {
    const first = await leafFor(["localhost", "127.0.0.1"]);
    expect(await leafFor(["localhost"])).toEqual(first);
  });

  it("makes a certificate anew that lacks a name", async () => {
    const first = await leafFor(["localhost"]);
    const second = await leafFor(["localhost", "10.0.0.1"]);
    expect(second.certificatePem).not.toBe(first.certificatePem);
    expect(new X509Certificate(second.certificatePem).checkIP("10.0.0.1")).toBe("10.0.0.1");
  });

  it("makes a certificate anew that is near its end, with the same authority", async () => {
    const first = await leafFor(["localhost"]);
    nowMs += 340 * DAY_MS;
    const second = await leafFor(["localhost"]);
    expect(second.certificatePem).not.toBe(first.certificatePem);
    expect(new X509Certificate(second.certificatePem).issuer).toBe("CN=the-ca");
  });

  it("makes a certificate anew when its authority is another one", async () => {
    const first = await leafFor(["localhost"]);
    await rm(folder.path("ca.key"));
    const second = await leafFor(["localhost"]);
    expect(second.certificatePem).not.toBe(first.certificatePem);
  });

  it("lets nobody else read the keys", async () => {
    await leafFor(["localhost"]);
    for (const file of ["ca.key", "server.key"]) expect((await stat(folder.path(file))).mode & 0o777).toBe(0o600);
  });

  it("refuses a damaged file by name instead of replacing it", async () => {
    await leafFor(["localhost"]);
    await writeFile(folder.path("ca.key"), "rubbish");
    await expect(leafFor(["localhost"])).rejects.toThrow(StartError);
    await expect(leafFor(["localhost"])).rejects.toThrow(folder.path("ca"));
    expect(await readFile(folder.path("ca.key"), "utf8")).toBe("rubbish");
  });

  it("says which folder cannot be written", async () => {
    await writeFile(join(dir, "pki"), "a file");
    await expect(leafFor(["localhost"])).rejects.toThrow(/cannot (read|write) .*pki/);
  });
});
