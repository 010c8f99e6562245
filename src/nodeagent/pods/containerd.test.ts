// Pods in a real container runtime. Needs root, containerd, runc and a static busybox; skipped where they are not.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { temporaryServingCertificate } from "../../http/certificates.ts";
import { NODE, RunningNode } from "./pod-runner.testing.ts";
import { IMAGE, missingForRuntime, RealRuntime } from "./real-runtime.testing.ts";

const missing = missingForRuntime();
if (missing !== undefined) console.warn(`skipped: pods in a real runtime (${missing})`);

/** What is off unless somebody asks for it. */
const SERVER_FLAGS = [
  "--feature-gates=EnvFiles=true,ClusterTrustBundle=true,ClusterTrustBundleProjection=true",
  "--runtime-config=certificates.platform.io/v1beta1=true",
];

const hasLoop = existsSync("/dev/loop-control") && spawnSync("losetup", ["--version"]).status === 0;

describe.skipIf(missing !== undefined)("a real runtime", () => {
  let runtime: RealRuntime;
  let node: RunningNode;

  beforeAll(async () => {
    runtime = await RealRuntime.start();
    const config = {
      syncFrequency: "2s",
      featureGates: { EnvFiles: true, ClusterTrustBundleProjection: true },
      // Memory is set aside: the runtime is told of which part of the machine.
      memoryManagerPolicy: "Static",
      systemReserved: { memory: "64Mi" },
      evictionHard: {},
      reservedMemory: [{ numaNode: 0, limits: { memory: "64Mi" } }],
    };
    const other = { clock: systemClock, socket: runtime.socket };
    node = await RunningNode.start(config, "platform", other, SERVER_FLAGS);
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
    await node.api.client.core.v1.secrets("default").create({ metadata: { name: "key" }, data: { k: "c2VjcmV0" } });
    const amounts = { cpu: "100m", memory: "16Mi" };
    const pod = await run({
      volumes: [
        { name: "e", emptyDir: {} },
        { name: "s", secret: { secretName: "key" } },
      ],
      initContainers: [
        {
          name: "setup",
          image: IMAGE,
          command: ["sh", "-c", "mkdir /e/part; echo partly > /e/part/y; echo written > /e/x"],
          volumeMounts: [{ name: "e", mountPath: "/e" }],
          resources: { requests: amounts, limits: amounts },
        },
      ],
      containers: [
        {
          command: [
            "sh",
            "-c",
            "cat /e/x /part/y /s/k; grep ' /s tmpfs ' /proc/mounts; grep Mems_allowed_list /proc/self/status; echo node is $NODE; exec sleep 1000",
          ],
          resources: { requests: amounts, limits: amounts },
          env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
          volumeMounts: [
            { name: "e", mountPath: "/e" },
            { name: "e", mountPath: "/part", subPath: "part" },
            { name: "s", mountPath: "/s" },
          ],
        },
      ],
    });
    await node.running(pod);
    const said = /written[\s\S]*partly[\s\S]*secret[\s\S]*tmpfs[\s\S]*Mems_allowed_list:\s+0\n[\s\S]*node is node-1/;
    await vi.waitFor(() => expect(logOf(pod)).toMatch(said), { timeout: 10_000 });
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
  });

  it("gives a container the variables that another one has written into a file", async () => {
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const pod = await run({
      volumes: [{ name: "v", emptyDir: {} }],
      initContainers: [
        { name: "setup", image: IMAGE, command: ["sh", "-c", "echo 'COLOR = dark blue' > /v/settings"], volumeMounts },
      ],
      containers: [
        {
          command: ["sh", "-c", "echo painted $PAINT; exec sleep 1000"],
          env: [{ name: "PAINT", valueFrom: { fileKeyRef: { volumeName: "v", path: "settings", key: "COLOR" } } }],
        },
      ],
    });
    await node.running(pod);
    await vi.waitFor(() => expect(logOf(pod)).toContain("painted dark blue"), { timeout: 10_000 });
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
  });

  it("gives a container trusted certificates, and the new ones while it runs", async () => {
    const authority = async (name: string) =>
      (await temporaryServingCertificate([name], { nowMs: Date.now(), lifeMs: 3_600_000 })).caPem;
    const [first, second] = [await authority("first"), await authority("second")];
    const bundles = node.api.client.certificates.v1beta1.clusterTrustBundles();
    await bundles.create({ metadata: { name: "trusted" }, spec: { trustBundle: first } });
    const pod = await run({
      volumes: [{ name: "t", projected: { sources: [{ clusterTrustBundle: { path: "ca.crt", name: "trusted" } }] } }],
      containers: [
        {
          command: ["sh", "-c", "cat /t/ca.crt; while true; do sleep 1; cat /t/ca.crt; done"],
          volumeMounts: [{ name: "t", mountPath: "/t" }],
        },
      ],
    });
    await node.running(pod);
    const said = () => logOf(pod).replace(/^\S+ \S+ \S+ /gm, "");
    await vi.waitFor(() => expect(said()).toContain(first), { timeout: 10_000 });
    await bundles.patch("trusted", { merge: { spec: { trustBundle: second } } });
    await vi.waitFor(() => expect(said()).toContain(second), { timeout: 10_000 });
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
  });

  it.skipIf(!hasLoop)("gives a container a device as its volume", async () => {
    const file = join(node.root, "disk");
    writeFileSync(file, Buffer.concat([Buffer.from("raw bytes\n"), Buffer.alloc(2 ** 20)]));
    const device = spawnSync("losetup", ["--find", "--show", file]).stdout.toString().trim();
    try {
      const { core, names } = { core: node.api.client.core.v1, names: node.api.client.names };
      const shared = { accessModes: ["ReadWriteOnce" as const], volumeMode: "Block" as const, storageClassName: "" };
      const claim = await core.persistentVolumeClaims("default").create({
        metadata: { name: "disk" },
        spec: { ...shared, resources: { requests: { storage: "1Mi" } }, volumeName: "disk" },
      });
      const matchExpressions = [{ key: names.hostnameLabel, operator: "In" as const, values: [NODE] }];
      await core.persistentVolumes().create({
        metadata: { name: "disk" },
        spec: {
          ...shared,
          capacity: { storage: "1Mi" },
          claimRef: { name: "disk", namespace: "default", uid: claim.metadata.uid },
          local: { path: device },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
        },
      });
      const status = { phase: "Bound" as const, capacity: { storage: "1Mi" } };
      await core.persistentVolumeClaims("default").status.patch("disk", { merge: { status } });
      const pod = await run({
        volumes: [{ name: "d", persistentVolumeClaim: { claimName: "disk" } }],
        containers: [
          {
            command: ["sh", "-c", "head -n 1 /dev/data; exec sleep 1000"],
            volumeDevices: [{ name: "d", devicePath: "/dev/data" }],
          },
        ],
      });
      await node.running(pod);
      await vi.waitFor(() => expect(logOf(pod)).toContain("raw bytes"), { timeout: 10_000 });
      await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
      await node.gone(pod);
    } finally {
      spawnSync("losetup", ["--detach", device]);
    }
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
