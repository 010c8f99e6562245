import { X509Certificate } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  adminCredentials,
  generatedServingCertificate,
  generatedSigningKey,
  machineNames,
  readServingCertificate,
  watchFiles,
} from "./certificates.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "plinth-certificates-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function save(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  // As editors and mounts do it: beside, then renamed into place.
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  return path;
}

describe("the serving certificate", () => {
  it("is made for every name asked for, by an authority that clients can trust", async () => {
    const { certificatePem, caPem } = await generatedServingCertificate(dir, ["localhost", "10.0.0.1"]);
    const certificate = new X509Certificate(certificatePem);
    expect([certificate.checkHost("localhost"), certificate.checkIP("10.0.0.1")]).toEqual(["localhost", "10.0.0.1"]);
    expect(certificate.verify(new X509Certificate(caPem!).publicKey)).toBe(true);
  });

  it("is read from files, and refused when the key is another one's", async () => {
    const one = await generatedServingCertificate(join(dir, "one"), ["localhost"]);
    const two = await generatedServingCertificate(join(dir, "two"), ["localhost"]);
    const certificateFile = await save("tls.crt", one.certificatePem);
    const keyFile = await save("tls.key", one.keyPem);
    expect(await readServingCertificate(certificateFile, keyFile)).toEqual({
      certificatePem: one.certificatePem,
      keyPem: one.keyPem,
    });
    const otherKey = await save("other.key", two.keyPem);
    await expect(readServingCertificate(certificateFile, otherKey)).rejects.toThrow(
      `--tls-private-key-file ${otherKey} is not the key of --tls-cert-file ${certificateFile}`,
    );
    await expect(readServingCertificate(certificateFile, join(dir, "none"))).rejects.toThrow(
      /--tls-private-key-file: ENOENT/,
    );
    await expect(readServingCertificate(await save("bad.crt", "rubbish"), keyFile)).rejects.toThrow(
      /--tls-cert-file .*bad\.crt/,
    );
  });
});

describe("other credentials", () => {
  it("are a client certificate in the groups asked for", async () => {
    const { certificatePem, clientCaPem } = await adminCredentials(dir, "admin", ["system:masters"]);
    const certificate = new X509Certificate(certificatePem);
    expect(certificate.toLegacyObject().subject).toMatchObject({ CN: "admin", O: "system:masters" });
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.verify(new X509Certificate(clientCaPem).publicKey)).toBe(true);
  });

  it("are a signing key that stays the same", async () => {
    const path = await generatedSigningKey(dir);
    const { readFile } = await import("node:fs/promises");
    const first = await readFile(path, "utf8");
    expect(await generatedSigningKey(dir)).toBe(path);
    expect(await readFile(path, "utf8")).toBe(first);
    expect(first).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  });
});

describe("the names of this machine", () => {
  it("hold localhost and the address that is bound", () => {
    expect(machineNames("192.0.2.7")).toEqual(expect.arrayContaining(["localhost", "127.0.0.1", "::1", "192.0.2.7"]));
  });

  it.each(["0.0.0.0", "::"])("do not hold %s, which is no address to connect to", (everywhere) => {
    expect(machineNames(everywhere)).not.toContain(everywhere);
  });
});

describe("watched files", () => {
  it("call back when one is replaced, and not before", async () => {
    const file = await save("watched", "one");
    let changes = 0;
    let wake = () => {};
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const watch = watchFiles(
      [file, join(dir, "missing")],
      () => {
        changes += 1;
        wake();
      },
      5,
    );
    await watch.ready;
    expect(changes).toBe(0);
    await save("watched", "two");
    await changed;
    watch.stop();
    expect(changes).toBe(1);
  });
});
