// Two nodes, each with a container runtime of its own, on one control plane: work is spread over both, each answers for its
// own pods, one is drained, and comes back.
// Needs root, containerd, runc, network plug-ins and a static busybox; skipped where they are not.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Stored } from "../../src/client/informer.ts";
import type { Running } from "../../src/cmd/commands.testing.ts";
import type { Pod } from "../../src/kinds/core/pod.ts";
import { bridgeNetworkText } from "../../src/nodeagent/network/bridge-network.ts";
import type { RealRuntime } from "../../src/nodeagent/pods/real-runtime.testing.ts";
import { allowBootstrap, kubeconfigFor, TOKEN } from "./bootstrap-token.testing.ts";
import { completed, isReady, missingForMachine, NodeMachine } from "./node-machine.testing.ts";

/** A machine that is busy otherwise takes its time for containers. */
const SLOW = { timeout: 90_000 };
const PATIENCE = { timeout: 40_000, interval: 100 };
const REPLICAS = 4;
const NODES = 2;
/** Two agents would share the control groups of one machine. */
const WITHOUT_GROUPS = { cgroupsPerQOS: false, enforceNodeAllocatable: ["none"] };
const missing = missingForMachine();
const why = missing === undefined ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(`two nodes${why}`, SLOW, () => {
  let machine: NodeMachine;
  let runtime: RealRuntime;
  let agent: Running;

  beforeAll(async () => {
    machine = await NodeMachine.start("platform");
    runtime = await machine.anotherRuntime();
    await machine.up(
      "--node",
      "--hostname-override=one",
      `--container-runtime-endpoint=unix://${machine.runtime.socket}`,
      `--node-config-dir=${machine.agentDropIns(WITHOUT_GROUPS)}`,
      "--enable-bootstrap-token-auth",
    );
    await allowBootstrap(machine.client);
    await joinNode();
    await approveServing();
    for (const name of ["one", "two"]) await machine.untilNode(name, "True");
  });
  afterAll(async () => {
    await machine?.stop();
  });

  /** The second node: with a token, and with an authority by which it knows the API server. */
  async function joinNode(): Promise<void> {
    const { socket, networkFolder } = runtime;
    const inFolder = (part: string) => join(runtime.folder, part);
    mkdirSync(networkFolder, { recursive: true });
    const podCidrs = ["10.245.0.0/24"];
    const network = bridgeNetworkText({ podCidrs, leaseDir: inFolder("leases"), masquerade: false });
    // A bridge has one network, and the first node has its own.
    writeFileSync(join(networkFolder, "10-test.conflist"), network.replace("plinth0", "pods-two"));
    writeFileSync(inFolder("bootstrap"), kubeconfigFor(machine.url, `${TOKEN.id}.${TOKEN.secret}`));
    const settings = {
      apiVersion: "nodeagent.config.platform.io/v1beta1",
      kind: "NodeAgentConfiguration",
      // Both are one machine: ports tell them apart.
      port: 10_251,
      containerRuntimeEndpoint: `unix://${socket}`,
      podLogsDir: inFolder("logs"),
      syncFrequency: "2s",
      nodeStatusUpdateFrequency: "1s",
      healthzPort: 0,
      evictionHard: {},
      failSwapOn: false,
      serverTLSBootstrap: true,
      authentication: { x509: { clientCAFile: join(machine.folder, "plane/pki/client-ca.crt") } },
      ...WITHOUT_GROUPS,
    };
    writeFileSync(inFolder("agent.json"), JSON.stringify(settings));
    agent = await machine.run(
      "nodeagent",
      `--bootstrap-kubeconfig=${inFolder("bootstrap")}`,
      `--kubeconfig=${inFolder("kubeconfig")}`,
      `--config=${inFolder("agent.json")}`,
      `--root-dir=${inFolder("root")}`,
      `--cert-dir=${inFolder("root/pki")}`,
      "--hostname-override=two",
    );
  }

  /** What nobody but an administrator may: vouch for the names by which a node is reached. */
  async function approveServing(): Promise<void> {
    const requests = machine.client.certificates.v1.certificateSigningRequests();
    await vi.waitFor(async () => {
      const { items } = await requests.list();
      const request = items.find(({ spec }) => spec.signerName.endsWith("kubelet-serving"));
      expect(request, agent.output.stderr).toBeDefined();
      const approved = {
        type: "Approved",
        status: "True",
        reason: "Known",
        message: "It is the second node.",
      } as const;
      const status = { ...request!.status, conditions: [approved] };
      await requests.subresource("approval").update({ ...request!, status });
    }, PATIENCE);
  }

  /** Those of the app that are ready and stay, once there are so many. */
  async function ready(app: string, count: number): Promise<Stored<Pod>[]> {
    let found: Stored<Pod>[] = [];
    await vi.waitFor(async () => {
      const { items } = await machine.pods().list({ labelSelector: `app=${app}` });
      found = items.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
      expect(found.map(({ spec }) => spec.nodeName)).toHaveLength(count);
    }, PATIENCE);
    return found;
  }

  const nodesOf = (pods: readonly Pod[]) => [...new Set(pods.map(({ spec }) => spec.nodeName))].sort();
  const templateOf = (app: string) => ({
    metadata: { labels: { app } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        completed({
          command: ["sh", "-c", "echo runs on $NODE; exec sleep 1000"],
          env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
        }),
      ],
    },
  });
  const setUnschedulable = (name: string, unschedulable: boolean) =>
    machine.client.core.v1.nodes().patch(name, { merge: { spec: { unschedulable } } });

  it("share the pods of a Deployment, and each answers for its own", async () => {
    const deployments = machine.client.apps.v1.deployments("default");
    await deployments.create({
      metadata: { name: "web" },
      spec: { replicas: REPLICAS, selector: { matchLabels: { app: "web" } }, template: templateOf("web") },
    } as unknown as Parameters<typeof deployments.create>[0]);
    const pods = await ready("web", REPLICAS);
    expect(nodesOf(pods)).toEqual(["one", "two"]);
    for (const { metadata, spec } of pods) {
      expect(await machine.logOf(metadata.name)).toBe(`runs on ${spec.nodeName}\n`);
      const session = await machine.pods().exec(metadata.name, { command: ["sh", "-c", "echo $NODE"] });
      expect((await session.collect()).stdout).toBe(`${spec.nodeName}\n`);
    }
  });

  it("both have the pod of a DaemonSet", async () => {
    const daemonSets = machine.client.apps.v1.daemonSets("default");
    await daemonSets.create({
      metadata: { name: "every" },
      spec: { selector: { matchLabels: { app: "every" } }, template: templateOf("every") },
    } as unknown as Parameters<typeof daemonSets.create>[0]);
    expect(nodesOf(await ready("every", NODES))).toEqual(["one", "two"]);
  });

  it("take over from each other when one is drained", async () => {
    await setUnschedulable("two", true);
    const leaving = (await ready("web", REPLICAS)).filter(({ spec }) => spec.nodeName === "two");
    for (const { metadata } of leaving) await machine.pods().evict(metadata.name);
    await vi.waitFor(async () => {
      const { items } = await machine.pods().list({ fieldSelector: "spec.nodeName=two" });
      expect(items.map(({ metadata }) => metadata.labels?.["app"])).toEqual(["every"]);
    }, PATIENCE);
    expect(nodesOf(await ready("web", REPLICAS))).toEqual(["one"]);
  });

  it("keep their pods when an agent is started anew, and take others again", async () => {
    const [before] = (await ready("every", NODES)).filter(({ spec }) => spec.nodeName === "two");
    agent.process.kill("SIGKILL");
    await agent.ended;
    await joinNode();
    await setUnschedulable("two", false);
    await machine.createPod("back", { nodeSelector: { [machine.client.names.hostnameLabel]: "two" } });
    await machine.untilReady("back");
    const after = await machine.pods().get(before!.metadata.name);
    expect(after.status.containerStatuses).toEqual(before!.status.containerStatuses);
    expect(await machine.logOf(before!.metadata.name)).toBe("runs on two\n");
  });
});
