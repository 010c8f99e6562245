import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { StartFiles } from "../base/start-files.ts";
import { ownNodeCertificates } from "../http/certificates.ts";
import { issueCertificate } from "../http/pki/issue-certificate.ts";
import { asAuthority } from "../http/pki/pki-folder.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { keepKubeconfig, keepNodeCertificates } from "./own-certificates.ts";
import { chooseProxyIdentity } from "./proxy-identity.ts";

const DAY_MS = 86_400_000;
const LOOKS_MS = DAY_MS;
const WAIT = { timeout: 10_000, interval: 10 };

let certDir: string;
beforeAll(() => {
  certDir = mkdtempSync(join(tmpdir(), "own-certificates-"));
});
afterAll(() => rmSync(certDir, { recursive: true, force: true }));

it("are made anew while the server runs, in the kubeconfig, for agents of nodes and for servers behind", async () => {
  const kubeconfig = join(certDir, "kubeconfig");
  const clock = new FakeClock();
  const cluster = { url: "https://127.0.0.1:6443", caPem: undefined };
  const kept = await keepKubeconfig({ certDir, kubeconfig, callsAgents: true, clock, log: silentLog }, cluster);
  const options = { certDir, dataDir: certDir } as ApiServerOptions;
  const identity = await chooseProxyIdentity(options, silentLog, new StartFiles(), clock);
  expect([daysLeft(inKubeconfig(kubeconfig)), daysLeft(identity.current().certificatePem)]).toEqual([364, 364]);

  await nearsItsEnd("admin", "client-ca");
  await nearsItsEnd("apiserver-kubelet-client", "client-ca");
  await nearsItsEnd("front-proxy-client", "front-proxy-ca");
  await clock.advance(LOOKS_MS);
  await vi.waitFor(() => {
    expect(daysLeft(inKubeconfig(kubeconfig))).toBe(364);
    expect(inKubeconfig(kubeconfig)).toBe(read("admin.crt"));
    expect(daysLeft(read("apiserver-kubelet-client.crt"))).toBe(364);
    expect(daysLeft(identity.current().certificatePem)).toBe(364);
    expect(identity.current().certificatePem).toBe(read("front-proxy-client.crt"));
  }, WAIT);
  kept.stop();
  identity.stop();
  expect(clock.waiting).toBe(0);
});

it("are made anew while the server runs, for the agent of its own node", async () => {
  const clock = new FakeClock();
  const renew = () => ownNodeCertificates(certDir, ["n", "127.0.0.1"], { user: "system:node:n", groups: ["nodes"] });
  const certificates = await renew();
  const { client, agentCertificate, agentKey } = certificates.files;
  expect([client.certificateFile, client.keyFile, agentCertificate, agentKey]).toEqual(
    ["node-n.crt", "node-n.key", "node-n-server.crt", "node-n-server.key"].map((file) => join(certDir, file)),
  );
  const kept = keepNodeCertificates({ certificates, renew, clock, log: silentLog });
  await nearsItsEnd("node-n", "client-ca");
  await nearsItsEnd("node-n-server", "ca");
  await clock.advance(LOOKS_MS);
  await vi.waitFor(() => {
    expect(daysLeft(read("node-n.crt"))).toBe(364);
    expect(daysLeft(read("node-n-server.crt"))).toBe(364);
  }, WAIT);
  kept.stop();
  expect(clock.waiting).toBe(0);
});

const read = (file: string): string => readFileSync(join(certDir, file), "utf8");

/** Puts a certificate there that ends soon. */
async function nearsItsEnd(name: string, authority: string): Promise<void> {
  const issuer = asAuthority({ certificatePem: read(`${authority}.crt`), keyPem: read(`${authority}.key`) });
  const nowMs = Date.now();
  const { certificatePem, keyPem } = await issueCertificate(
    { use: "client", subject: { commonName: name }, notBeforeMs: nowMs - DAY_MS, notAfterMs: nowMs + 10 * DAY_MS },
    issuer,
  );
  writeFileSync(join(certDir, `${name}.key`), keyPem);
  writeFileSync(join(certDir, `${name}.crt`), certificatePem);
}

function inKubeconfig(file: string): string {
  const { users } = JSON.parse(readFileSync(file, "utf8")) as {
    users: [{ user: { "client-certificate-data": string } }];
  };
  return Buffer.from(users[0].user["client-certificate-data"], "base64").toString();
}

function daysLeft(certificatePem: string): number {
  return Math.floor((Date.parse(new X509Certificate(certificatePem).validTo) - Date.now()) / DAY_MS);
}
