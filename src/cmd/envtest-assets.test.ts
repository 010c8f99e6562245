import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boolFlag } from "../base/flag-values.ts";
import { connect } from "../client/connect.ts";
import { adminCredentials } from "../http/certificates.ts";
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

  it("say that they are well, and serve an API whose namespaces end", async () => {
    const [storePort, port] = [await freePort(), await freePort()];
    running.push(
      await startCommand(["envtest-store", `--listen-client-urls=http://127.0.0.1:${storePort}`, "--data-dir=/none"]),
    );
    await eventually(async () => expect(await health(storePort)).toContain('"health":"true"'));
    const pki = join(folder.path, "pki");
    mkdirSync(pki);
    const { clientCaPem, certificatePem, keyPem } = await adminCredentials(pki, "admin", [SYSTEM_MASTERS]);
    writeFileSync(join(pki, "ca.pem"), clientCaPem);
    running.push(
      await startCommand([
        "envtest-apiserver",
        `--etcd-servers=http://127.0.0.1:${storePort}`,
        `--secure-port=${port}`,
        "--bind-address=127.0.0.1",
        `--client-ca-file=${join(pki, "ca.pem")}`,
        "--no-such-flag=1",
        "--disable-admission-plugins=ServiceAccount",
      ]),
    );
    const config = {
      "current-context": "c",
      clusters: [{ name: "k", cluster: { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
      users: [
        {
          name: "u",
          user: {
            "client-certificate-data": Buffer.from(certificatePem).toString("base64"),
            "client-key-data": Buffer.from(keyPem).toString("base64"),
          },
        },
      ],
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    };
    const client = connect({ kubeconfig: folder.file("kubeconfig", JSON.stringify(config)), dialect: "kubernetes" });
    const namespaces = client.core.v1.namespaces();
    await eventually(() => namespaces.create({ metadata: { name: "short" } }));
    await client.core.v1.configMaps("short").create({ metadata: { name: "inside" } });
    await namespaces.delete("short");
    await eventually(async () => expect(await namespaces.find("short")).toBeUndefined());
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
