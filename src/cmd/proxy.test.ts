// `plinth proxy` as a process of its own, with the rights of its role, in a network that the test makes and removes.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NODE, POD_A, POD_B, POD_NETWORKS, TestNetwork, whyNoNetwork } from "../proxy/network.testing.ts";
import { ADMIN_TOKEN, readyUrl, runCommand, startCommand, useCommands } from "./commands.testing.ts";

const PROXY_TOKEN = "proxy-token";
const CLUSTER_IP = "10.0.0.10";
const NODE_PORT = 30_080;
const reason = whyNoNetwork();

const test = useCommands();

describe("plinth proxy", () => {
  it.each<[string, string[], number, RegExp]>([
    ["an argument", ["x"], 2, /^plinth proxy: unexpected argument "x" \(see plinth proxy --help\)\n$/],
    ["a flag that is not there", ["--mode=x"], 2, /^plinth proxy: unknown flag --mode/],
    [
      "a network that is none",
      ["--cluster-cidr=10.0.0.0"],
      2,
      /^plinth proxy: flag --cluster-cidr: "10.0.0.0" is not a network/,
    ],
    ["a file that is not there", ["--config=/none"], 1, /^plinth proxy: --config: \/none: ENOENT/],
    ["a name that no node has", ["--hostname-override=a_b"], 1, /^plinth proxy: --hostname-override: "a_b": /],
  ])("refuses %s", async (_, args, code, message) => {
    const outcome = await runCommand("proxy", ...args);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(message)]);
  });
});

describe.skipIf(reason !== undefined)(`plinth proxy on a node${reason === undefined ? "" : ` (${reason})`}`, () => {
  let network: TestNetwork;
  beforeEach(async () => {
    network = await TestNetwork.create();
  }, 30_000);
  afterEach(async () => {
    await network.remove();
  });

  const start = async (...args: string[]) => {
    const started = await startCommand(args, test.folder.path, network.within("node"));
    test.running.push(started);
    return started;
  };

  it("ends when the server speaks another dialect, and says which flag is missing", async () => {
    const flags = test.folder.serverFlags();
    test.folder.file("tokens.csv", `${PROXY_TOKEN},system:kube-proxy,2\n`);
    const url = await readyUrl(await start("apiserver", ...flags, "--dialect=kubernetes"));
    const kubeconfig = test.folder.file("kubeconfig", kubeconfigFor(url, join(test.folder.path, "data/pki/ca.crt")));
    const { code, stderr } = await (await start("proxy", `--kubeconfig=${kubeconfig}`)).ended;
    expect(stderr).toContain("the server speaks the dialect kubernetes: start with --dialect=kubernetes");
    expect(code).toBe(1);
  }, 60_000);

  it("carries traffic to Services of a server elsewhere, leaves it alone when it ends, and cleans up when asked", async () => {
    const flags = test.folder.serverFlags();
    test.folder.file("tokens.csv", `${ADMIN_TOKEN},admin,1,"system:masters"\n${PROXY_TOKEN},system:kube-proxy,2\n`);
    const url = await readyUrl(await start("apiserver", ...flags, "--disable-admission-plugins=ServiceAccount"));
    const api = (method: string, path: string, body: object) =>
      network.run(
        "node",
        [
          "curl",
          "-ks",
          "--noproxy",
          "*",
          "-X",
          method,
          "-H",
          `authorization: Bearer ${ADMIN_TOKEN}`,
          "-H",
          "content-type: application/json",
          "-d",
          "@-",
          url + path,
        ],
        JSON.stringify(body),
      );
    api("POST", "/api/v1/nodes", {
      metadata: { name: "here" },
      status: { addresses: [{ type: "InternalIP", address: NODE[4] }] },
    });
    const ports = [{ port: 80, targetPort: 8080, nodePort: NODE_PORT }];
    api("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "web" },
      spec: { type: "NodePort", clusterIP: CLUSTER_IP, ports },
    });
    const slice = (ip: string) => ({
      metadata: { name: "web-1", labels: { "platform.io/service-name": "web" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [ip] }],
      ports: [{ name: "", port: 8080, protocol: "TCP" }],
    });
    const slices = "/apis/discovery.platform.io/v1/namespaces/default/endpointslices";
    api("POST", slices, slice(POD_A[4]));

    const kubeconfig = test.folder.file("kubeconfig", kubeconfigFor(url, join(test.folder.path, "data/pki/ca.crt")));
    const proxy = await start(
      "proxy",
      `--kubeconfig=${kubeconfig}`,
      "--hostname-override=here",
      `--cluster-cidr=${POD_NETWORKS}`,
    );
    await expect.poll(() => network.get("b", CLUSTER_IP, 80), { timeout: 20_000 }).toBe(`a ${POD_B[4]}`);
    expect(network.get("client", NODE[4], NODE_PORT)).toBe("a 10.1.1.1");
    api("PUT", `${slices}/web-1`, slice(POD_B[4]));
    await expect.poll(() => network.get("a", CLUSTER_IP, 80), { timeout: 20_000 }).toBe(`b ${POD_A[4]}`);
    expect(network.run("node", ["curl", "-s", "--noproxy", "*", "http://127.0.0.1:10256/healthz"])).toContain(
      '"nodeEligible":true',
    );
    const metrics = network.run("node", ["curl", "-s", "--noproxy", "*", "http://127.0.0.1:10249/metrics"]);
    expect(metrics).toContain("kubeproxy_sync_proxy_rules_endpoint_changes_total");

    expect((await proxy.stop()).code).toBe(0);
    expect(network.get("a", CLUSTER_IP, 80)).toBe(`b ${POD_A[4]}`);
    const cleanup = await start("proxy", "--cleanup");
    expect(await cleanup.ended).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(network.run("node", ["nft", "list", "tables"])).toBe("");
  }, 90_000);
});

function kubeconfigFor(server: string, ca: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "certificate-authority": ca } }],
    users: [{ name: "u", user: { token: PROXY_TOKEN } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
