import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeClock, systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Authority } from "../../base/sign-certificate.ts";
import { readSigningRequest } from "../../base/signing-request.ts";
import { type ClientInProcess, clientInProcess } from "../../client/client.testing.ts";
import { loadConnection } from "../../client/load-connection.ts";
import { issueFor } from "../../controllers/certificates/issue.ts";
import { type KeyedCertificate, temporaryServingCertificate } from "../../http/certificates.ts";
import { issueCertificate } from "../../http/pki/issue-certificate.ts";
import { bootstrapIdentity } from "./bootstrap.ts";
import { readCertificateFile, writeCertificateFile } from "./certificate-file.ts";
import { requestCertificate } from "./request-certificate.ts";
import { CertificateRotation, msUntilRenewal } from "./rotation.ts";

const DAY_MS = 86_400_000;
let folder: string;
let plinth: ClientInProcess;
let authority: Authority;
const stop = new AbortController();

beforeAll(async () => {
  plinth = await clientInProcess();
  const times = { notBeforeMs: Date.now() - DAY_MS, notAfterMs: Date.now() + 300 * DAY_MS };
  const made = await issueCertificate({ use: "authority", subject: { commonName: "test-ca" }, ...times });
  authority = { certificate: new X509Certificate(made.certificatePem), key: createPrivateKey(made.keyPem) };
  void decideRequests();
});
afterAll(async () => {
  stop.abort();
  await plinth.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-identity-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Approves and signs every request, except those of the node `stranger`. */
async function decideRequests(): Promise<void> {
  const requests = plinth.client.certificates.v1.certificateSigningRequests();
  try {
    for await (const change of requests.watch({ signal: stop.signal })) {
      if (change.type !== "ADDED") continue;
      const { metadata, spec } = change.object;
      const request = readSigningRequest(Buffer.from(spec.request, "base64").toString());
      const isStranger = request.subject.some(({ value }) => value === "system:node:stranger");
      const condition = {
        type: isStranger ? "Denied" : "Approved",
        status: "True",
        reason: "Test",
        message: "by a test",
      };
      const approval = requests.subresource<typeof change.object>("approval");
      await approval.patch(metadata.name, { merge: { status: { conditions: [condition] } } } as never);
      if (isStranger) continue;
      const certificate = await issueFor(request, authority, {
        usages: spec.usages ?? [],
        nowMs: Date.now(),
        lifeMs: DAY_MS,
      });
      await requests.status.patch(metadata.name, {
        merge: { status: { certificate: Buffer.from(certificate).toString("base64") } },
      } as never);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

const request = (nodeName: string, use: "client" | "serving" = "client", names: readonly string[] = []) =>
  requestCertificate({ client: plinth.client, clock: systemClock, nodeName, use, names, signal: stop.signal });

describe("a certificate that the API server signs", () => {
  it("says which node the agent is", async () => {
    const { certificatePem, keyPem } = await request("node-1");
    const certificate = new X509Certificate(certificatePem);
    expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:node-1");
    expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
    const { items } = await plinth.client.certificates.v1.certificateSigningRequests().list();
    expect(items.at(-1)?.spec).toMatchObject({
      signerName: "platform.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    });
  });

  it("has the names of the node for its server", async () => {
    const certificate = new X509Certificate(
      (await request("node-1", "serving", ["node-1", "192.0.2.7"])).certificatePem,
    );
    expect(certificate.subjectAltName).toBe("DNS:node-1, IP Address:192.0.2.7");
  });

  it("is not to be had when the request is denied", async () => {
    await expect(request("stranger")).rejects.toThrow(/was denied: Test by a test/);
  });
});

describe("the file of a certificate", () => {
  it("is private, and read back as it was written", async () => {
    const file = join(folder, "pki/current.pem");
    const made = await request("node-1");
    await writeCertificateFile(file, made);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(await readCertificateFile(file)).toEqual(made);
  });

  it.each(["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])(
    "with %j holds none",
    async (text) => {
      const file = join(folder, "current.pem");
      writeFileSync(file, text);
      expect(await readCertificateFile(file)).toBeUndefined();
    },
  );
});

describe("bootstrapping", () => {
  it("leaves a kubeconfig alone that shows something of its own", async () => {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, "mine");
    await bootstrapIdentity({
      kubeconfig,
      certificateFile: join(folder, "none.pem"),
      bootstrap: () => {
        throw new Error("must not be asked");
      },
      nodeName: "node-1",
      dialect: "platform",
      clock: systemClock,
      log: silentLog,
      signal: stop.signal,
    });
    expect(readFileSync(kubeconfig, "utf8")).toBe("mine");
  });

  it("writes the kubeconfig again when only that is missing", async () => {
    const certificateFile = join(folder, "current.pem");
    const kubeconfig = join(folder, "kubeconfig");
    await writeCertificateFile(certificateFile, await request("node-1"));
    const cluster = {
      server: "https://192.0.2.1:6443",
      insecureSkipTlsVerify: true,
      disableCompression: false,
      extensions: new Map(),
    };
    const bootstrap = () => ({ clusterName: "c", userName: "u", cluster, user: { token: "abcdef.0123456789abcdef" } });
    await bootstrapIdentity({
      kubeconfig,
      certificateFile,
      bootstrap,
      nodeName: "node-1",
      dialect: "platform",
      clock: systemClock,
      log: silentLog,
      signal: stop.signal,
    });
    expect(existsSync(kubeconfig)).toBe(true);
    expect(statSync(kubeconfig).mode & 0o077).toBe(0);
    const connection = loadConnection({ kubeconfig });
    expect(connection.cluster.server).toBe("https://192.0.2.1:6443");
    expect(connection.user).toMatchObject({
      clientCertificate: { file: certificateFile },
      clientKey: { file: certificateFile },
    });
    expect(connection.user.token).toBeUndefined();
  });
});

describe("a certificate is renewed", () => {
  it.each([
    [0, 0.7],
    [1, 0.9],
    [0.5, 0.8],
  ])("with chance %d at %d of its life", async (chance, share) => {
    const nowMs = Date.parse("2030-01-01T00:00:00Z");
    const { certificatePem } = await temporaryServingCertificate(["x"], { nowMs, lifeMs: 23 * 3_600_000 });
    // It is valid from an hour before.
    expect(msUntilRenewal(certificatePem, nowMs - 3_600_000, chance)).toBeCloseTo(24 * 3_600_000 * share, -3);
    expect(msUntilRenewal(certificatePem, nowMs + 30 * DAY_MS, chance)).toBe(0);
  });

  it("when its time comes, and again after a failure", async () => {
    const clock = new FakeClock();
    const made = (lifeMs: number) => temporaryServingCertificate(["x"], { nowMs: clock.nowMs(), lifeMs });
    const applied: KeyedCertificate[] = [];
    const errors: unknown[] = [];
    let asked = 0;
    const current = await made(9 * 3_600_000);
    const rotation = new CertificateRotation({
      clock,
      random: () => 0,
      current,
      request: async () => {
        asked += 1;
        if (asked === 1) throw new Error("not yet");
        return await made(9 * 3_600_000);
      },
      apply: async (next) => void applied.push(next),
      onError: (error) => errors.push(error),
    });
    await clock.advance(6 * 3_600_000 - 5_000);
    expect(asked).toBe(0);
    await clock.advance(6_000);
    expect([asked, errors.length]).toEqual([1, 1]);
    await clock.advance(3_000);
    await expect.poll(() => applied.length).toBe(1);
    rotation.stop();
  });

  it("with a pause when what was signed has run out already", async () => {
    const clock = new FakeClock();
    const old = await temporaryServingCertificate(["x"], { nowMs: clock.nowMs() - 9 * DAY_MS, lifeMs: DAY_MS });
    let asked = 0;
    const rotation = new CertificateRotation({
      clock,
      random: () => 0,
      current: undefined,
      request: async () => {
        asked += 1;
        return old;
      },
      apply: async () => undefined,
      onError: () => undefined,
    });
    await expect.poll(() => asked).toBe(1);
    await clock.advance(59_000);
    expect(asked).toBe(1);
    await clock.advance(2_000);
    await expect.poll(() => asked).toBe(2);
    rotation.stop();
  });
});
