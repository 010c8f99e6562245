// A node that joins with a bootstrap token, and the life of its pods in real containers: their start, checks, restarts, the
// death of the agent, their end, and their eviction when the node is silent.
// Needs root, containerd, runc, network plug-ins and a static busybox; skipped where they are not.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Running } from "../../src/cmd/commands.testing.ts";
import type { Pod } from "../../src/kinds/core/pod.ts";
import { DIALECTS } from "../../src/meta/names.ts";
import { bridgeNetworkText } from "../../src/nodeagent/network/bridge-network.ts";
import { allowBootstrap, kubeconfigFor, TOKEN } from "./bootstrap-token.testing.ts";
import { completed, missingForMachine, NodeMachine } from "./node-machine.testing.ts";

const NODE = "joined";
/** A machine that is busy otherwise takes its time for containers. */
const SLOW = { timeout: 90_000 };
const missing = missingForMachine();
const why = missing === undefined ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined).each(DIALECTS)(`the life of a node, dialect %s${why}`, SLOW, (dialect) => {
  let machine: NodeMachine;
  let agent: Running;

  beforeAll(async () => {
    machine = await NodeMachine.start(dialect);
    mkdirSync(machine.runtime.networkFolder, { recursive: true });
    writeFileSync(
      join(machine.runtime.networkFolder, "10-test.conflist"),
      bridgeNetworkText({ podCidrs: ["10.245.0.0/24"], leaseDir: join(machine.folder, "leases"), masquerade: false }),
    );
    await machine.up(
      // Where no node is well, nobody is evicted: there would be nowhere to go.
      "--simulated-nodes=1",
      "--enable-bootstrap-token-auth",
      "--authorization-mode=Node,RBAC",
      "--node-monitor-period=500ms",
      "--node-monitor-grace-period=6s",
    );
    await allowBootstrap(machine.client);
    writeFileSync(join(machine.folder, "bootstrap"), kubeconfigFor(machine.url, `${TOKEN.id}.${TOKEN.secret}`));
    agent = await startAgent();
    await machine.untilNode(NODE, "True");
  });
  afterAll(async () => {
    await machine?.stop();
  });

  const inRoot = (...path: string[]) => join(machine.folder, "root", ...path);

  function startAgent(): Promise<Running> {
    mkdirSync(inRoot("seccomp"), { recursive: true });
    writeFileSync(inRoot("seccomp/no-directories.json"), JSON.stringify(NO_DIRECTORIES));
    const dropIns = machine.agentDropIns({
      containerRuntimeEndpoint: `unix://${machine.runtime.socket}`,
      podLogsDir: inRoot("logs"),
      failSwapOn: false,
      nodeLeaseDurationSeconds: 4,
    });
    return machine.run(
      "nodeagent",
      `--dialect=${dialect}`,
      `--bootstrap-kubeconfig=${join(machine.folder, "bootstrap")}`,
      `--kubeconfig=${join(machine.folder, "agent")}`,
      `--config-dir=${dropIns}`,
      `--root-dir=${inRoot()}`,
      `--cert-dir=${inRoot("pki")}`,
      `--hostname-override=${NODE}`,
    );
  }

  async function killAgent(): Promise<void> {
    agent.process.kill("SIGKILL");
    await agent.ended;
  }

  const logOf = ({ metadata: { name, uid } }: Pod, count = 0) =>
    readFileSync(inRoot("logs", `default_${name}_${uid}`, "main", `${count}.log`), "utf8");
  const mainOf = ({ status }: Pod) => status.containerStatuses?.[0];

  it("is known by a certificate that its token got it", async () => {
    const { items } = await machine.client.certificates.v1.certificateSigningRequests().list();
    expect(items.map(({ spec }) => spec.username)).toContain(`system:bootstrap:${TOKEN.id}`);
    expect(existsSync(inRoot("pki/nodeagent-client-current.pem"))).toBe(true);
  });

  it("runs a pod with all that belongs to it, through restarts of both, and ends it in grace", async () => {
    await machine.client.core.v1.configMaps("default").create({
      metadata: { name: "words" },
      data: { greeting: "hello from afar" },
    });
    const outside = join(machine.folder, "outside-of-pods");
    mkdirSync(outside);
    await machine.createPod("whole", { nodeName: NODE, ...wholePod(outside) });
    const started = await machine.untilReady("whole");
    expect(started.status.initContainerStatuses?.map(({ name, ready }) => [name, ready])).toEqual([
      ["setup", true],
      ["side", true],
    ]);
    // The first line comes from the ConfigMap, the second from the profile, the third from the limit.
    expect(logOf(started)).toMatch(/hello from afar[\s\S]*no directories[\s\S]*67108864/);

    rmSync(join(outside, "alive"));
    const restarted = await machine.untilPod(
      "whole",
      (pod) => mainOf(pod)?.restartCount === 1 && mainOf(pod)?.ready === true,
    );
    const ids = idsOf(restarted);

    await killAgent();
    agent = await startAgent();
    // The agent that came later sees to the pod: the next failure is its own finding.
    await vi.waitFor(() => expect(agent.output.stderr).toContain("the node agent is running"), { timeout: 20_000 });
    const adopted = await machine.untilReady("whole");
    expect(idsOf(adopted)).toEqual(ids);
    rmSync(join(outside, "alive"));
    const again = await machine.untilPod(
      "whole",
      (pod) => mainOf(pod)?.restartCount === 2 && mainOf(pod)?.ready === true,
    );
    expect(idsOf(again)["side"]).toBe(ids["side"]);

    await machine.pods().delete("whole");
    await vi.waitFor(async () => expect(await machine.pods().find("whole")).toBeUndefined(), { timeout: 20_000 });
    expect(readFileSync(join(outside, "last-words"), "utf8")).toBe("bye\n");
  });

  it("tells how a pod ended that is not started again", async () => {
    await machine.createPod("three", {
      nodeName: NODE,
      restartPolicy: "Never",
      containers: [{ command: ["sh", "-c", "exit 3"] }],
    });
    const ended = await machine.untilPod("three", ({ status }) => status.phase === "Failed");
    expect(mainOf(ended)?.state.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
  });

  it("is unknown when its agent is dead, and its pods are evicted", async () => {
    await machine.createPod("left", {
      nodeName: NODE,
      tolerations: [forOneSecond(machine.client.names.unreachableTaint)],
    });
    await machine.untilReady("left");
    await killAgent();
    await machine.untilNode(NODE, "Unknown");
    const taint = machine.client.names.unreachableTaint;
    await vi.waitFor(
      async () => {
        const { spec } = await machine.client.core.v1.nodes().get(NODE);
        expect(spec.taints?.map(({ key, effect }) => [key, effect])).toContainEqual([taint, "NoExecute"]);
      },
      { timeout: 10_000 },
    );
    await machine.untilPod("left", ({ metadata }) => metadata.deletionTimestamp !== undefined);
  });
});

/** Every call is allowed but those that make directories. */
const NO_DIRECTORIES = {
  defaultAction: "SCMP_ACT_ALLOW",
  syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO" }],
};

const MAIN = `
trap 'echo bye > /outside/last-words; exit 0' TERM
cat /shared/greeting
mkdir /tmp/x || echo no directories
cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes
touch /outside/alive
while true; do sleep 0.1; done`;

/** Init and sidecar containers, probes, a ConfigMap, a token, a memory limit and a profile. */
function wholePod(outside: string): object & { [member: string]: unknown } {
  const mount = (name: string) => ({ name, mountPath: `/${name}` });
  const exec = (...command: string[]) => ({ exec: { command }, periodSeconds: 1 });
  return {
    terminationGracePeriodSeconds: 20,
    volumes: [
      { name: "words", configMap: { name: "words" } },
      { name: "token", projected: { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 600 } }] } },
      { name: "shared", emptyDir: {} },
      { name: "outside", hostPath: { path: outside } },
    ],
    initContainers: [
      {
        name: "setup",
        command: ["sh", "-c", "cat /words/greeting > /shared/greeting"],
        volumeMounts: [mount("words"), mount("shared")],
      },
      {
        name: "side",
        restartPolicy: "Always",
        command: ["sh", "-c", "trap 'exit 0' TERM; touch /shared/beside; while true; do sleep 0.1; done"],
        startupProbe: exec("test", "-f", "/shared/beside"),
        volumeMounts: [mount("shared")],
      },
    ].map(completed),
    containers: [
      {
        command: ["sh", "-c", MAIN],
        resources: { limits: { memory: "64Mi" } },
        securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "no-directories.json" } },
        readinessProbe: exec("test", "-s", "/token/token"),
        livenessProbe: { ...exec("test", "-f", "/outside/alive"), failureThreshold: 1, initialDelaySeconds: 1 },
        volumeMounts: ["token", "shared", "outside"].map(mount),
      },
    ],
  };
}

/** The others tolerate it for minutes: a machine that stands still for a while must not cost them their life. */
function forOneSecond(key: string): object {
  return { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 };
}

function idsOf({ status }: Pod): Record<string, string | undefined> {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return Object.fromEntries(all.map(({ name, containerID }) => [name, containerID]));
}
