// Pods in a real container runtime. Needs root, containerd, runc and a static busybox; skipped where they are not.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { RunningNode } from "./pod-runner.testing.ts";
import { IMAGE, missingForRuntime, RealRuntime } from "./real-runtime.testing.ts";

const missing = missingForRuntime();
if (missing !== undefined) console.warn(`skipped: pods in a real runtime (${missing})`);

describe.skipIf(missing !== undefined)("a real runtime", () => {
  let runtime: RealRuntime;
  let node: RunningNode;

  beforeAll(async () => {
    runtime = await RealRuntime.start();
    node = await RunningNode.start({ syncFrequency: "2s" }, "platform", { clock: systemClock, socket: runtime.socket });
  });

  afterAll(async () => {
    if (node !== undefined) {
      await node.api.client.core.v1.pods("default").deleteCollection({ gracePeriodSeconds: 1 });
      await node.until("nothing is left in the runtime", () => node.runner.pods().length === 0);
      await node.close();
    }
    await runtime?.stop();
  });

  const run = (spec: { containers?: object[]; [member: string]: unknown }) =>
    node.run({
      hostNetwork: true,
      terminationGracePeriodSeconds: 1,
      ...spec,
      containers: (spec.containers ?? [{}]).map((container) => ({
        name: "main",
        image: IMAGE,
        command: ["sleep", "1000"],
        ...container,
      })),
    });
  const logOf = (pod: { metadata: { name: string; uid: string } }) =>
    readFileSync(join(node.root, "logs", `default_${pod.metadata.name}_${pod.metadata.uid}`, "main/0.log"), "utf8");

  it("runs a pod with its volumes and variables, and stops it", async () => {
    const pod = await run({
      volumes: [{ name: "e", emptyDir: {} }],
      initContainers: [
        {
          name: "setup",
          image: IMAGE,
          command: ["sh", "-c", "echo written > /e/x"],
          volumeMounts: [{ name: "e", mountPath: "/e" }],
        },
      ],
      containers: [
        {
          command: ["sh", "-c", "cat /e/x; echo node is $NODE; exec sleep 1000"],
          env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
          volumeMounts: [{ name: "e", mountPath: "/e" }],
        },
      ],
    });
    await node.running(pod);
    await vi.waitFor(() => expect(logOf(pod)).toMatch(/written[\s\S]*node is node-1/), { timeout: 10_000 });
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
  });

  it("tells how a container ended, and starts it again", async () => {
    const pod = await run({ containers: [{ command: ["sh", "-c", "echo bye > /dev/termination-log; exit 3"] }] });
    const crashed = await node.untilPod(
      pod,
      "a crash loop",
      ({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === "CrashLoopBackOff",
    );
    expect(crashed.status.containerStatuses?.[0]?.lastState.terminated).toMatchObject({
      exitCode: 3,
      message: "bye\n",
      reason: "Error",
    });
  });

  it("is not asked to use a profile that is not there", async () => {
    const pod = await run({
      securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "absent.json" } },
    });
    await node.waiting(pod, "CreateContainerError");
  });

  it("has to say that it knows users of pods", async () => {
    const pod = await run({ hostNetwork: false, hostUsers: false });
    // The pod waits: for its network where there is none, else for its users.
    await node.until("an event", async () =>
      (await node.events(pod)).some((reason) => reason === "FailedCreatePodSandBox" || reason === "NetworkNotReady"),
    );
  });
});
