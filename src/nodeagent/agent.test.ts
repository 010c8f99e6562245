// The whole agent against a whole API server in the same process and a runtime behind a real socket.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { silentLog } from "../base/log.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import type { Client } from "../client/client.ts";
import { NodeAgent } from "./agent.ts";
import { loadConfiguration } from "./config/load-configuration.ts";
import type { PodRunner } from "./context.ts";
import { FakeRuntime } from "./cri/fake-runtime.testing.ts";
import { answers, GrpcServer } from "./grpc/grpc-server.ts";
import { agentPaths } from "./paths.ts";
import { exportSpans } from "./tracing/otlp-messages.ts";

let plinth: ClientInProcess;
let client: Client;
let runtime: FakeRuntime;
let folder: string;
const agents: NodeAgent[] = [];
let count = 0;

beforeAll(async () => {
  plinth = await clientInProcess();
  client = plinth.client;
  const name = client.names.nodeLeaseNamespace;
  if ((await client.core.v1.namespaces().find(name)) === undefined)
    await client.core.v1.namespaces().create({ metadata: { name } });
});
afterAll(() => plinth.close());
beforeEach(async () => {
  runtime = await FakeRuntime.start();
  folder = mkdtempSync(join(tmpdir(), "plinth-agent-"));
  count += 1;
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop()));
  runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startAgent(
  config: JsonObject = {},
  nodeName = `node-${count}`,
  createPodRunner = noPods,
): Promise<NodeAgent> {
  const flags = {
    containerRuntimeEndpoint: runtime.endpoint,
    address: "127.0.0.1",
    port: 0,
    healthzPort: 0,
    failSwapOn: false,
    ...config,
  };
  const agent = await NodeAgent.start({
    client,
    credentialProviders: [],
    loaded: loadConfiguration({ dialect: "platform", flags }),
    paths: agentPaths({ rootDir: folder, certDir: join(folder, "pki") }),
    nodeName,
    hostname: nodeName,
    nodeIps: [],
    labels: new Map([["example.com/rack", "r1"]]),
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    createPodRunner,
  });
  agents.push(agent);
  return agent;
}

const nodeNow = () => client.core.v1.nodes().find(`node-${count}`);
const conditionNow = async (type: string) =>
  (await nodeNow())?.status.conditions?.find((each) => each.type === type)?.status;
const ready = () => expect.poll(() => conditionNow("Ready"), { timeout: 10_000 }).toBe("True");

describe("an agent", () => {
  it("registers its node with what the machine and the runtime are", async () => {
    await runtimeWithImage();
    await startAgent({ maxPods: 17, registerWithTaints: [{ key: "example.com/new", effect: "NoSchedule" }] });
    await ready();
    const node = await nodeNow();
    expect(node?.metadata.labels).toMatchObject({
      "platform.io/hostname": `node-${count}`,
      "platform.io/os": "linux",
      "example.com/rack": "r1",
    });
    expect(node?.spec.taints).toContainEqual({ key: "example.com/new", effect: "NoSchedule" });
    expect(node?.status).toMatchObject({
      capacity: { pods: "17" },
      nodeInfo: { containerRuntimeVersion: "fake://1.2.3", operatingSystem: "linux" },
      images: [{ names: ["example.com/x:1"], sizeBytes: 1_000_000 }],
      runtimeHandlers: [{ name: "", features: { userNamespaces: true } }],
      features: { supplementalGroupsPolicy: true },
    });
    expect(node?.status.addresses?.map(({ type }) => type)).toEqual(["InternalIP", "HostName"]);
    expect(node?.status.daemonEndpoints?.kubeletEndpoint?.Port).toBe(agents[0]?.port);
  });

  it("tells in events that it started, how the node is, and whether new pods may come", async () => {
    await startAgent({ nodeStatusUpdateFrequency: "1s" });
    await ready();
    const nodes = client.core.v1.nodes();
    await nodes.patch(`node-${count}`, { merge: { spec: { unschedulable: true } } });
    const told = async () =>
      (await client.core.v1.events("default").list()).items
        .filter(({ involvedObject }) => involvedObject.kind === "Node" && involvedObject.name === `node-${count}`)
        .map(({ reason }) => reason);
    for (const reason of ["Starting", "NodeHasSufficientMemory", "NodeReady", "NodeNotSchedulable"])
      await expect.poll(told, { timeout: 10_000 }).toContain(reason);
  });

  it("does not start where its files are something else, and says so in one line", async () => {
    const file = join(folder, "cpu_manager_state");
    mkdirSync(file);
    const why = (failed: Promise<unknown>) => failed.catch((error: Error) => [error.name, error.message]);
    expect(await why(startAgent())).toEqual([
      "StartError",
      `the state file cannot be read: ${file} is not a plain file`,
    ]);
    rmSync(file, { recursive: true });
    const pods = () => ({ ...noPods(), start: () => mkdir("/dev/null/pods").then(() => undefined) });
    expect(await why(startAgent({}, `node-${count}`, pods))).toEqual([
      "StartError",
      "ENOTDIR: not a directory, mkdir '/dev/null/pods'",
    ]);
  });

  it("renews a lease that the node owns", async () => {
    await startAgent();
    await ready();
    const leases = client.coordination.v1.leases(client.names.nodeLeaseNamespace);
    await expect.poll(async () => (await leases.find(`node-${count}`))?.spec.holderIdentity).toBe(`node-${count}`);
    const lease = await leases.get(`node-${count}`);
    expect(lease.spec.leaseDurationSeconds).toBe(40);
    expect(lease.metadata.ownerReferences).toMatchObject([{ kind: "Node", uid: (await nodeNow())?.metadata.uid }]);
  });

  it("sends spans of what it asks of the runtime to the collector of its configuration", async () => {
    const seen: string[] = [];
    const take = answers(exportSpans, ({ resourceSpans }) => {
      for (const { scopeSpans } of resourceSpans)
        for (const { spans } of scopeSpans) seen.push(...spans.map(({ name }) => name));
      return {};
    });
    const collector = await GrpcServer.listen(join(folder, "collector"), [take]);
    try {
      const endpoint = `unix:${join(folder, "collector")}`;
      const agent = await startAgent({ tracing: { endpoint, samplingRatePerMillion: 1_000_000 } });
      await agent.stop();
      expect(seen).toContain("runtime.v1.RuntimeService/Version");
    } finally {
      collector.close();
    }
  });

  it("is not ready while the runtime is not, and tells why", async () => {
    runtime.status = {
      status: {
        conditions: [
          { type: "RuntimeReady", status: false, reason: "Broken", message: "it broke" },
          { type: "NetworkReady", status: false, reason: "NoPlugin" },
        ],
      },
    };
    await startAgent();
    await expect.poll(() => conditionNow("Ready")).toBe("False");
    const condition = (await nodeNow())?.status.conditions?.find(({ type }) => type === "Ready");
    expect(condition?.message).toContain("RuntimeReady=false reason:Broken message:it broke");
    expect(await conditionNow("NetworkUnavailable")).toBe("True");
  });

  it("starts without a runtime, and its node becomes ready when there is one", async () => {
    runtime.hangUp();
    await startAgent();
    await expect.poll(() => conditionNow("Ready")).toBe("False");
    await runtime.listen();
    await expect.poll(() => conditionNow("Ready"), { timeout: 15_000 }).toBe("True");
  });

  it("takes over the node of the agent before it, and what others have set on it", async () => {
    const first = await startAgent();
    await ready();
    const before = await nodeNow();
    await first.stop();
    agents.length = 0;
    await client.core.v1.nodes().patch(`node-${count}`, {
      merge: { metadata: { labels: { "platform.io/hostname": "wrong", other: "kept" } } },
    } as never);
    await startAgent();
    await expect.poll(async () => (await nodeNow())?.metadata.labels?.["platform.io/hostname"]).toBe(`node-${count}`);
    const after = await nodeNow();
    expect([after?.metadata.uid, after?.metadata.labels?.["other"]]).toEqual([before?.metadata.uid, "kept"]);
  });

  it("registers again when its node was deleted", async () => {
    await startAgent({ nodeStatusUpdateFrequency: "200ms" });
    await ready();
    const uid = (await nodeNow())?.metadata.uid;
    await client.core.v1.nodes().delete(`node-${count}`);
    await expect.poll(async () => (await nodeNow())?.metadata.uid ?? uid, { timeout: 10_000 }).not.toBe(uid);
  });

  it("makes no node where it shall not, and keeps one that somebody else has made", async () => {
    await startAgent({ registerNode: false, nodeStatusUpdateFrequency: "100ms" });
    expect(await nodeNow()).toBeUndefined();
    await client.core.v1.nodes().create({ metadata: { name: `node-${count}` } });
    await ready();
  });

  it("tells the runtime from which range its pods have addresses, once", async () => {
    await client.core.v1.nodes().create({ metadata: { name: `node-${count}` }, spec: { podCIDRs: ["10.1.0.0/24"] } });
    await startAgent({ nodeStatusUpdateFrequency: "100ms" });
    await ready();
    await expect.poll(() => runtime.requests("updateRuntimeConfig").length).toBe(1);
    await expect.poll(() => runtime.requests("listImages").length).toBeGreaterThan(3);
    expect(runtime.requests("updateRuntimeConfig")).toEqual([
      { runtimeConfig: { networkConfig: { podCidr: "10.1.0.0/24" } } },
    ]);
  });

  it("makes its folders, and a certificate that it keeps", async () => {
    const first = await startAgent();
    expect(readdirSync(folder).sort()).toEqual([
      "checkpoints",
      "cpu_manager_state",
      "device-plugins",
      "memory_manager_state",
      "pki",
      "plugins",
      "plugins_registry",
      "pod-resources",
      "pods",
      "seccomp",
    ]);
    const files = () => readdirSync(join(folder, "pki")).map((file) => readFileSync(join(folder, "pki", file), "utf8"));
    const before = files();
    expect(statSync(join(folder, "pki/nodeagent.key")).mode & 0o077).toBe(0);
    await first.stop();
    agents.length = 0;
    await startAgent();
    expect(files()).toEqual(before);
  });

  it("serves HTTPS to those it knows", async () => {
    const agent = await startAgent();
    expect(await statusOf(agent.port, "/healthz")).toBe(401);
  });

  it("does not start on a port that is taken", async () => {
    const agent = await startAgent();
    await expect(startAgent({ port: agent.port }, "other")).rejects.toThrow(
      /^port: cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/,
    );
  });
});

/** Pods have tests of their own. */
const noPods = (): PodRunner => ({
  start: async () => undefined,
  stop: async () => undefined,
  pods: () => [],
  volumes: async () => new Map(),
  findContainer: () => ({ found: "nothing" }),
  findSandbox: () => undefined,
  problem: () => undefined,
  isShuttingDown: () => false,
});

async function runtimeWithImage(): Promise<void> {
  runtime.images.set("example.com/x:1", { id: "sha256:1", size: 1_000_000 });
}

function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
