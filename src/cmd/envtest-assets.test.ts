import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { get as getSecurely } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boolFlag } from "../base/flag-values.ts";
import { connect } from "../client/connect.ts";
import { adminCredentials, temporaryServingCertificate } from "../http/certificates.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { type Running, runCommand, startCommand, TestFolder } from "./commands.testing.ts";
import { splitFlags } from "./envtest-assets.ts";

describe("the stand-ins of a test environment", () => {
  let folder: TestFolder;
  const running: Running[] = [];
  beforeEach(() => {
    folder = new TestFolder();
  });
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop();
    folder.remove();
  });

  it("are two programs, and the word that makes others find them", async () => {
    const assets = join(folder.path, "assets");
    const { code, stdout } = await runCommand("envtest-assets", assets);
    expect([code, stdout]).toEqual([0, `export KUBEBUILDER_ASSETS=${assets}\n`]);
    for (const name of ["kube-apiserver", "etcd"]) expect(readFileSync(join(assets, name), "utf8")).toMatch(/^#!/);
    const etcd = spawn(join(assets, "etcd"), ["--listen-client-urls=http://127.0.0.1:0"], { stdio: "ignore" });
    await once(etcd, "spawn");
    etcd.kill("SIGKILL");
    await once(etcd, "exit");
  });

  it("say which flags they have, because they are asked before their start", async () => {
    for (const name of ["envtest-store", "envtest-apiserver"]) {
      const { code, stdout } = await runCommand(name, "--help");
      expect([code, stdout]).toEqual([0, expect.stringContaining("--")]);
      // Versions of long ago had it, and are then told another port.
      expect(stdout).not.toContain("--insecure-port");
    }
  });

  // The flags and files are those that controller-runtime's environment gives (pkg/internal/testing/controlplane).
  it("start with the flags and files of the environment, and serve an API whose namespaces end", async () => {
    const [storePort, port] = [await freePort(), await freePort()];
    const storeUrl = `http://127.0.0.1:${storePort}`;
    running.push(
      await startCommand([
        "envtest-store",
        `--advertise-client-urls=${storeUrl}`,
        `--data-dir=${join(folder.path, "etcd")}`,
        `--listen-client-urls=${storeUrl}`,
        "--listen-peer-urls=http://127.0.0.1:0",
        "--unsafe-no-fsync=true",
      ]),
    );
    await eventually(async () => expect(await health(storePort)).toContain('"health":"true"'));
    const certDir = join(folder.path, "certs");
    mkdirSync(certDir);
    const write = (name: string, text: string) => writeFileSync(join(certDir, name), text);
    const life = { nowMs: Date.now(), lifeMs: 3_600_000 };
    const serving = await temporaryServingCertificate(["127.0.0.1", "localhost"], life);
    write("apiserver.crt", serving.certificatePem);
    write("apiserver.key", serving.keyPem);
    const signer = await temporaryServingCertificate(["service-accounts"], life);
    write("sa-signer.crt", signer.certificatePem);
    write("sa-signer.key", signer.keyPem);
    const clients = join(folder.path, "clients");
    mkdirSync(clients);
    const admin = await adminCredentials(clients, "admin", [SYSTEM_MASTERS]);
    write("client-cert-auth-ca.crt", admin.clientCaPem);
    running.push(
      await startCommand([
        "envtest-apiserver",
        "--allow-privileged=true",
        "--authorization-mode=RBAC",
        "--bind-address=127.0.0.1",
        `--cert-dir=${certDir}`,
        `--client-ca-file=${join(certDir, "client-cert-auth-ca.crt")}`,
        "--disable-admission-plugins=ServiceAccount",
        `--etcd-servers=${storeUrl}`,
        `--secure-port=${port}`,
        `--service-account-issuer=https://127.0.0.1:${port}/`,
        `--service-account-key-file=${join(certDir, "sa-signer.crt")}`,
        `--service-account-signing-key-file=${join(certDir, "sa-signer.key")}`,
        "--service-cluster-ip-range=10.0.0.0/24",
        "--no-such-flag=1",
      ]),
    );
    const server = `https://127.0.0.1:${port}`;
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const user = { "client-certificate-data": base64(admin.certificatePem), "client-key-data": base64(admin.keyPem) };
    const config = {
      "current-context": "c",
      clusters: [{ name: "k", cluster: { server, "certificate-authority-data": base64(serving.caPem) } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    };
    // It is believed to have started when this answers 200, without credentials.
    await eventually(async () => expect(await healthz(port, serving.caPem)).toBe(200));
    const client = connect({ kubeconfig: folder.file("kubeconfig", JSON.stringify(config)), dialect: "kubernetes" });
    const deployments = client.apps.v1.deployments("default");
    const labels = { app: "web" };
    const spec = { containers: [{ name: "c", image: "i" }] };
    const template = { metadata: { labels }, spec };
    const created = await deployments.create({
      metadata: { name: "web" },
      spec: { selector: { matchLabels: labels }, template },
    });
    const namespaces = client.core.v1.namespaces();
    await namespaces.create({ metadata: { name: "short" } });
    await client.core.v1.configMaps("short").create({ metadata: { name: "inside" } });
    await namespaces.delete("short");
    await eventually(async () => expect(await namespaces.find("short")).toBeUndefined());
    // The same object still, though controllers have had their time: suites write it with the version that they know.
    expect((await deployments.get("web")).metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    await client.close();
  });

  it("leave out flags that mean nothing here", () => {
    const table = { profiling: boolFlag({ default: false, doc: "" }) };
    expect(splitFlags(table, ["--profiling=true", "--etcd-servers=x", "--other=1"])).toEqual({
      known: ["--profiling=true"],
      unknown: ["--other=1"],
    });
  });
});

async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function healthz(port: number, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    getSecurely({ host: "127.0.0.1", port, path: "/healthz", ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

function health(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`http://127.0.0.1:${port}/health`, (response) => {
      let text = "";
      response.on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
