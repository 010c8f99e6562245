// The service proxy with many Services: how long the first load takes, and one change of one endpoint. The baseline is nft itself:
// the same text given to it again, and the same few elements written by hand, without anything of ours around it. In a network
// namespace of its own; needs root, ip and nft.

import { execFileSync, spawn } from "node:child_process";
import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import { Metrics } from "../src/base/metrics.ts";
import type { Service } from "../src/kinds/core/service/schema.ts";
import type { EndpointSlice } from "../src/kinds/discovery/endpoint-slice-schema.ts";
import { RELEASE } from "../src/meta/version.ts";
import { ProxyHealth } from "../src/proxy/health/proxy-health.ts";
import { tableSettings } from "../src/proxy/nft/table-settings.ts";
import { DEFAULT_CONFIGURATION } from "../src/proxy/proxy-configuration.ts";
import { proxyMetrics } from "../src/proxy/proxy-metrics.ts";
import { planService } from "../src/proxy/rules/service-plan.ts";
import { ServiceProxy } from "../src/proxy/service-proxy.ts";
import { median } from "./measure.ts";
import { report } from "./report.ts";

const SERVICES = Number(process.env["BENCH_SERVICES"] ?? 10_000);
const ENDPOINTS = Number(process.env["BENCH_ENDPOINTS"] ?? 10);
/** BENCH_AFFINITY=1: all of them with session affinity, which takes two elements for each endpoint. */
const AFFINITY = process.env["BENCH_AFFINITY"] === "1" ? { sessionAffinity: "ClientIP" } : {};
const CHANGES = 50;
const MORE = 200;
const NETWORK = { nodeIps: ["192.0.2.1"], podCidrs: [], machineIps: [], serviceCidrs: [] };
const NODE = { name: "node-0", zone: "", ips: [], followsNodeHints: true };
const NODES = 100;
const NAMESPACE = `plinth-bench-${process.pid}`;

execFileSync("ip", ["netns", "add", NAMESPACE]);
try {
  await run();
} finally {
  execFileSync("ip", ["netns", "delete", NAMESPACE]);
}

async function run(): Promise<void> {
  const objects = new Map<string, { readonly service: Service; slice: EndpointSlice }>();
  for (let index = 0; index < SERVICES; index += 1)
    objects.set(`default/s${index}`, { service: serviceAt(index), slice: sliceAt(index, 0) });

  let text = "";
  let nftMs = 0;
  let done: () => void = () => undefined;
  const proxy = new ServiceProxy({
    machine: {
      async nft(transaction) {
        text = transaction;
        const startMs = performance.now();
        await nft(transaction);
        nftMs = performance.now() - startMs;
        done();
      },
      forgetFlows: async () => 0,
      setHealthCheck: () => undefined,
    },
    plan(key) {
      const { service, slice } = objects.get(key)!;
      return planService(service, [slice], NODE);
    },
    settings: tableSettings(4, DEFAULT_CONFIGURATION, NETWORK),
    health: new ProxyHealth(systemClock, 60_000).of(4),
    metrics: proxyMetrics(new Metrics({ release: RELEASE }), systemClock).of(4),
    clock: systemClock,
    log: silentLog,
    minSyncPeriodMs: 0,
    syncPeriodMs: 3_600_000,
  });
  const count = `${SERVICES} Services with ${SERVICES * ENDPOINTS} endpoints`;

  const loading = performance.now();
  for (const key of objects.keys()) proxy.changed(key);
  proxy.start();
  await proxy.ready;
  const loadMs = performance.now() - loading;
  const bareLoad = performance.now();
  await nft(text);
  const bareLoadMs = performance.now() - bareLoad;
  const load = { seconds: loadMs / 1000, "seconds in nft": nftMs / 1000, "times nft alone": loadMs / bareLoadMs };
  report(`${count} loaded`, load, { seconds: 10 });

  const measure = async (what: string, versionOf: (change: number) => number): Promise<void> => {
    const whole: number[] = [];
    const bare: number[] = [];
    for (let change = 1; change <= CHANGES; change += 1) {
      const index = (change * 7919) % SERVICES;
      const key = `default/s${index}`;
      const { service } = objects.get(key)!;
      objects.set(key, { service, slice: sliceAt(index, versionOf(change)) });
      const applied = new Promise<void>((resolve) => {
        done = resolve;
      });
      const startMs = performance.now();
      proxy.changed(key);
      await applied;
      whole.push(performance.now() - startMs);
      const bareMs = performance.now();
      await nft("flush chain ip plinth-proxy probe\n");
      bare.push(performance.now() - bareMs);
    }
    const [ms, bareMs] = [median(whole), median(bare)];
    const figures = { "ms median": ms, "ms worst": Math.max(...whole), "times nft with nothing to do": ms / bareMs };
    report(what, figures, { "ms worst": 50 });
  };
  await measure("one endpoint replaced", (change) => change);
  await measure("one endpoint more", () => MORE);
  await proxy.stop();
}

function serviceAt(index: number): Service {
  const clusterIP = `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  return {
    metadata: { namespace: "default", name: `s${index}`, creationTimestamp: "2030-01-01T00:00:00Z" },
    spec: {
      type: "ClusterIP",
      clusterIP,
      clusterIPs: [clusterIP],
      ...AFFINITY,
      ports: [{ protocol: "TCP", port: 80, targetPort: 8080 }],
    },
  } as Service;
}

/** With each version of it the first endpoint is another one; with MORE there is one more. */
function sliceAt(index: number, version: number): EndpointSlice {
  const endpoints = Array.from({ length: ENDPOINTS + (version === MORE ? 1 : 0) }, (_, each) => {
    const number = index * ENDPOINTS + each;
    const ip =
      each === 0 && version > 0
        ? `10.64.0.${version}`
        : `10.${128 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
    return { addresses: [ip], nodeName: `node-${number % NODES}` };
  });
  return {
    metadata: { namespace: "default", name: `s${index}-1` },
    addressType: "IPv4",
    endpoints,
    ports: [{ name: "", protocol: "TCP", port: 8080 }],
  } as EndpointSlice;
}

function nft(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("ip", ["netns", "exec", NAMESPACE, "nft", "-f", "-"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`nft ended with ${code}`))));
    child.stdin.end(text);
  });
}
