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

const TOKEN = { id: "abcdef", secret: "0123456789abcdef" };

/** Who may do what with requests for certificates: a cluster's administrator sets it up once. */
async function allowBootstrap(client: Client): Promise<void> {
  const { names } = client;
  const roles = [
    ["system:node-bootstrapper", "system:bootstrappers"],
    [`system:${names.group("certificates")}:certificatesigningrequests:nodeclient`, "system:bootstrappers"],
  ] as const;
  const apiGroup = names.group("rbac.authorization");
  for (const [role, group] of roles) {
    await client.rbac.v1.clusterRoleBindings().create({
      metadata: { generateName: "bootstrap-" },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup, kind: "Group", name: group }],
    });
  }
  await client.core.v1.secrets(names.systemNamespace).create({
    metadata: { name: `bootstrap-token-${TOKEN.id}` },
    type: names.bootstrapTokenType,
    stringData: { "token-id": TOKEN.id, "token-secret": TOKEN.secret, "usage-bootstrap-authentication": "true" },
  });
}

function kubeconfigFor(server: string, token: string): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

describe("a node with a bootstrap token", () => {
  it("gets an identity of its own, becomes ready, and ends promptly", async () => {
    const up = await startCommand(
      ["up", ...folder.serverFlags(), "--authorization-mode=Node", "--enable-bootstrap-token-auth"],
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
        address: "127.0.0.1",
        port: 0,
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

    expect(existsSync(kubeconfig)).toBe(true);
    expect(statSync(join(pki, "nodeagent-client-current.pem")).mode & 0o077).toBe(0);
    const { items } = await admin.certificates.v1.certificateSigningRequests().list();
    expect(items.map(({ spec }) => [spec.signerName, spec.username])).toEqual([
      ["platform.io/kube-apiserver-client-kubelet", `system:bootstrap:${TOKEN.id}`],
    ]);
    expect((await agent.stop()).code).toBe(0);
  });
});
