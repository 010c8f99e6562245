// A node that joins with nothing but a bootstrap token: real processes, a runtime behind a real socket.
// Requirements: document 2, "Bootstrap tokens"; document 3, "Node-agent local files and sockets".

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Client } from "../../src/client/client.ts";
import { HttpsTransport } from "../../src/client/https-transport.ts";
import { loadConnection } from "../../src/client/load-connection.ts";
import { ADMIN_TOKEN, type Running, readyUrl, startCommand, TestFolder } from "../../src/cmd/commands.testing.ts";
import { FakeRuntime } from "../../src/nodeagent/cri/fake-runtime.testing.ts";
import { allowBootstrap, kubeconfigFor, TOKEN } from "./bootstrap-token.testing.ts";

let folder: TestFolder;
let runtime: FakeRuntime;
let client: Client | undefined;
const running: Running[] = [];

beforeEach(async () => {
  folder = new TestFolder();
  runtime = await FakeRuntime.start();
});

afterEach(async () => {
  for (const each of running.splice(0)) {
    each.process.kill("SIGKILL");
    await each.ended;
  }
  await client?.close();
  runtime.close();
  folder.remove();
});

describe("a node with a bootstrap token", () => {
  it("gets an identity of its own, becomes ready, and ends promptly", async () => {
    const up = await startCommand(
      [
        "up",
        ...folder.serverFlags(),
        "--authorization-mode=Node",
        "--enable-bootstrap-token-auth",
        "--kubelet-preferred-address-types=InternalIP",
      ],
      folder.path,
    );
    running.push(up);
    const url = await readyUrl(up);
    const connection = loadConnection({ kubeconfig: folder.file("admin", kubeconfigFor(url, ADMIN_TOKEN)) });
    const admin = new Client({ transport: new HttpsTransport({ connection }), dialect: "platform" });
    client = admin;
    await allowBootstrap(admin);

    const config = folder.file(
      "config",
      JSON.stringify({
        apiVersion: "nodeagent.config.platform.io/v1beta1",
        kind: "NodeAgentConfiguration",
        port: 0,
        authentication: { x509: { clientCAFile: join(folder.path, "data/pki/client-ca.crt") } },
        healthzPort: 0,
        containerRuntimeEndpoint: runtime.endpoint,
        podLogsDir: join(folder.path, "logs"),
        failSwapOn: false,
      }),
    );
    const bootstrap = folder.file("bootstrap", kubeconfigFor(url, `${TOKEN.id}.${TOKEN.secret}`));
    const [kubeconfig, pki] = [join(folder.path, "kubeconfig"), join(folder.path, "pki")];
    const agent = await startCommand(
      [
        "nodeagent",
        `--bootstrap-kubeconfig=${bootstrap}`,
        `--kubeconfig=${kubeconfig}`,
        `--config=${config}`,
        `--root-dir=${join(folder.path, "root")}`,
        `--cert-dir=${pki}`,
        "--hostname-override=booted",
      ],
      folder.path,
    );
    running.push(agent);
    const readyNow = async () =>
      (await admin.core.v1.nodes().find("booted"))?.status.conditions?.find(({ type }) => type === "Ready")?.status;
    await expect.poll(readyNow, { timeout: 20_000, interval: 100 }).toBe("True");

    // The server has an identity for agents, whether it runs a node of its own or not.
    const pods = await admin.request("GET", "/api/v1/nodes/booted/proxy/pods");
    expect(pods).toMatchObject({ kind: "PodList" });

    expect(existsSync(kubeconfig)).toBe(true);
    expect(statSync(join(pki, "nodeagent-client-current.pem")).mode & 0o077).toBe(0);
    const { items } = await admin.certificates.v1.certificateSigningRequests().list();
    expect(items.map(({ spec }) => [spec.signerName, spec.username])).toEqual([
      ["platform.io/kube-apiserver-client-kubelet", `system:bootstrap:${TOKEN.id}`],
    ]);
    expect((await agent.stop()).code).toBe(0);
  });
});
