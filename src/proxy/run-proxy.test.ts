// The whole proxy against a whole server in the same process, in both dialects; the kernel is played.

import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { DIALECTS, type Dialect } from "../meta/names.ts";
import { DEFAULT_CONFIGURATION } from "./proxy-configuration.ts";
import { type RunningProxy, runProxy } from "./run-proxy.ts";

let served: ClientInProcess;
let proxy: RunningProxy;
afterEach(async () => {
  await proxy.stop();
  await served.close();
});

const UNTOUCHED = {
  nft: async () => undefined,
  checkNft: async () => undefined,
  forgetFlows: async () => 0,
  tuneConntrack: async () => [],
};

/** The transactions of each family. */
type Transactions = Readonly<Record<4 | 6, string[]>>;

async function start(dialect: Dialect): Promise<Transactions> {
  served = await clientInProcess({ dialect });
  const { client } = served;
  const { names } = client;
  await client.core.v1.nodes().create({
    metadata: { name: "here", labels: { [names.zoneLabel]: "z1" } },
    status: { addresses: [{ type: "InternalIP", address: "192.0.2.1" }] },
  });
  const services = client.core.v1.services("default");
  const ports = [{ port: 80, protocol: "TCP" as const, targetPort: 8080 }];
  await services.create({
    metadata: { name: "web" },
    spec: { clusterIP: "10.0.0.10", type: "NodePort", ports: [{ ...ports[0]!, nodePort: 30_080 }] },
  });
  await services.create({ metadata: { name: "headless" }, spec: { clusterIP: "None", ports } });
  await services.create({
    metadata: { name: "others", labels: { [names.serviceProxyNameLabel]: "mesh" } },
    spec: { clusterIP: "10.0.0.11", ports },
  });
  for (const [index, zone] of ["z1", "z2"].entries())
    await client.discovery.v1.endpointSlices("default").create({
      metadata: { name: `web-${zone}`, labels: { [names.serviceNameLabel]: "web" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [`10.1.0.${index + 1}`], hints: { forZones: [{ name: zone }] } }],
      ports: [{ port: 8080, protocol: "TCP", name: "" }],
    });
  const transactions: Transactions = { 4: [], 6: [] };
  const nft = async (text: string) => {
    const ofFamily = transactions[/^\w+ \w+ ip6 /.test(text) ? 6 : 4];
    if (ofFamily.length === 0 && !text.startsWith("add table")) throw new Error("no such table");
    ofFamily.push(text);
  };
  const nftables = { ...DEFAULT_CONFIGURATION.nftables, minSyncPeriodMs: 0 };
  proxy = await runProxy({
    client,
    nodeName: "here",
    nodeIps: [],
    log: silentLog,
    clock: systemClock,
    configuration: {
      ...DEFAULT_CONFIGURATION,
      nftables,
      healthzBindAddress: "127.0.0.1:0",
      metricsBindAddress: "127.0.0.1:0",
    },
    shown: { mode: "nftables" },
    gates: { enabled: () => true },
    machine: { ...UNTOUCHED, nft },
  });
  await proxy.ready;
  return transactions;
}

describe("a proxy that has just been started", () => {
  it("can be stopped, and serves no ports when it shall not", async () => {
    served = await clientInProcess();
    const configuration = { ...DEFAULT_CONFIGURATION, healthzBindAddress: "", metricsBindAddress: "" };
    const { client } = served;
    proxy = await runProxy({
      client,
      nodeName: "here",
      nodeIps: [],
      log: silentLog,
      clock: systemClock,
      configuration,
      gates: { enabled: () => true },
      machine: UNTOUCHED,
    });
    expect([proxy.healthzPort, proxy.metricsPort]).toEqual([undefined, undefined]);
    await proxy.stop();
  });
});

describe.each(DIALECTS)("the proxy of a server in the dialect %s", (dialect) => {
  it("has the Services of the API in the kernel, those that are its own, and follows their changes", async () => {
    const { 4: transactions, 6: others } = await start(dialect);
    expect([transactions.length, others.length]).toEqual([1, 1]);
    expect(others[0]).not.toContain("ip plinth-proxy");
    const [first = ""] = transactions;
    expect(first).toContain("nodeport-ips { type ipv4_addr; elements = { 192.0.2.1 }; }");
    expect(first).toContain("10.0.0.10 . 80 . 0 : 10.1.0.1 . 8080 }");
    expect(first).toContain("tcp . 30080 : goto external-nodeport-cluster-tcp-1");
    expect(first).not.toContain("10.0.0.11");

    const { client } = served;
    await client.discovery.v1.endpointSlices("default").delete("web-z1");
    await expect.poll(() => transactions.slice(1).join("")).toContain("10.0.0.10 . 80 . 0 : 10.1.0.2 . 8080");
    await client.core.v1.services("default").delete("web");
    await expect.poll(() => transactions.at(-1)).toContain("delete element ip plinth-proxy cluster-ips { 10.0.0.10 }");
  }, 20_000);

  it("makes the tables anew when the node has other addresses, and looks at hints again when it is in another zone", async () => {
    const { 4: transactions } = await start(dialect);
    const { client } = served;
    const { zoneLabel } = client.names;
    await client.core.v1.nodes().modify("here", (node) => {
      node.metadata.labels = { ...node.metadata.labels, [zoneLabel]: "z2" };
    });
    await expect
      .poll(() => transactions.at(-1))
      .toContain("add element ip plinth-proxy endpoints-tcp { 10.0.0.10 . 80 . 0 : 10.1.0.2 . 8080 }");
    expect(transactions.at(-1)).not.toContain("flush table");
    await client.core.v1.nodes().status.modify("here", (node) => {
      node.status = { ...node.status, addresses: [{ type: "InternalIP", address: "192.0.2.2" }] };
    });
    await expect.poll(() => transactions.at(-1)).toContain("elements = { 192.0.2.2 }");
    expect(transactions.at(-1)).toContain("flush table ip plinth-proxy");
  }, 20_000);

  it("drops what goes to addresses of cluster IPs that no Service has, as soon as it knows where those are", async () => {
    const { 4: transactions, 6: others } = await start(dialect);
    await served.client.networking.v1.serviceCIDRs().create({
      metadata: { name: "more" },
      spec: { cidrs: ["10.77.0.0/16", "fd00:77::/112"] },
    });
    await expect.poll(() => transactions.at(-1)).toContain("10.77.0.0/16 } drop");
    await expect.poll(() => others.at(-1)).toContain("ip6 daddr { fd00:77::/112 } drop");
  }, 20_000);

  it("tells load balancers whether the node should have traffic, and monitors what it measures", async () => {
    await start(dialect);
    const get = (port: number | undefined, path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await get(proxy.healthzPort, "/healthz")).status).toBe(200);
    const text = await (await get(proxy.metricsPort, "/metrics")).text();
    const shown = await (await get(proxy.metricsPort, "/configz")).json();
    expect(shown).toEqual({ [served.client.names.proxyConfigurationField]: { mode: "nftables" } });
    expect(text).toContain('kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family="IPv4"} 1');
    expect(text).toContain("kubeproxy_sync_proxy_rules_service_changes_pending 0");
    await served.client.core.v1.nodes().modify("here", (node) => {
      node.spec = { ...node.spec, taints: [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }] };
    });
    await expect.poll(async () => (await get(proxy.healthzPort, "/healthz")).status).toBe(503);
    expect((await get(proxy.healthzPort, "/livez")).status).toBe(200);
  }, 20_000);
});
