import { describe, expect, it } from "vitest";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { namesFor } from "../../meta/names.ts";
import type { DeviceAnswer } from "../plugins/device-messages.ts";
import { containerConfig } from "./container-config.ts";
import { containerHash } from "./runtime-names.ts";
import { sandboxConfig } from "./sandbox-config.ts";

const names = namesFor("platform");
const podWith = (spec: object, metadata: object = {}) =>
  ({
    metadata: { name: "p", namespace: "n", uid: "u", labels: { app: "x" }, annotations: { note: "y" }, ...metadata },
    spec: { containers: [], ...spec },
  }) as unknown as Pod;

describe("what the runtime is told of a container", () => {
  const configOf = (container: Partial<Container>, devices: readonly DeviceAnswer[] = []) =>
    containerConfig(
      podWith({ terminationGracePeriodSeconds: 7 }),
      { name: "main", image: "example.com/app:1", resources: {}, ...container },
      {
        names,
        restartCount: 2,
        imageRef: "sha256:1",
        runtimeHandler: "",
        environment: new Map([["A", "a"]]),
        blockDevices: [],
        mounts: [{ containerPath: "/own", hostPath: "/o" }],
        devices,
        resources: { cpuPeriod: 0, cpuQuota: 0, cpuShares: 2, memoryLimitInBytes: 0, oomScoreAdj: 0 },
        securityContext: {},
      },
    );

  it("expands variables in command and arguments", () => {
    expect(configOf({ command: ["run", "$(A)"], args: ["$$(A)", "$(B)"] })).toMatchObject({
      command: ["run", "a"],
      args: ["$(A)", "$(B)"],
    });
  });

  it("names the run, its image, its variables and its log", () => {
    expect(configOf({ stopSignal: "x", lifecycle: { stopSignal: "SIGRTMIN+3" } } as Partial<Container>)).toMatchObject({
      metadata: { name: "main", attempt: 2 },
      image: { image: "sha256:1", userSpecifiedImage: "example.com/app:1" },
      envs: [{ key: "A", value: Buffer.from("a") }],
      logPath: "main/2.log",
      stopSignal: "SIGNAL_SIGRTMINPLUS3",
    });
  });

  it("has what plug-ins want for its devices, its own settings first", () => {
    const answer: DeviceAnswer = {
      envs: { A: "of the plug-in", B: "b" },
      mounts: [{ containerPath: "/lib/x", hostPath: "/opt/x", readOnly: true }],
      devices: [{ containerPath: "/dev/x", hostPath: "/dev/x0", permissions: "rw" }],
      annotations: { "example.com/x": "1", "io.kubernetes.container.restartCount": "9" },
      cdiDevices: [{ name: "example.com/x=0" }],
    };
    expect(configOf({}, [answer])).toMatchObject({
      envs: [
        { key: "A", value: Buffer.from("a") },
        { key: "B", value: Buffer.from("b") },
      ],
      mounts: [
        { containerPath: "/lib/x", hostPath: "/opt/x", readonly: true },
        { containerPath: "/own", hostPath: "/o" },
      ],
      devices: answer.devices,
      cdiDevices: answer.cdiDevices,
      annotations: { "example.com/x": "1", "io.kubernetes.container.restartCount": "2" },
    });
  });

  it("can be known again", () => {
    const { labels, annotations } = configOf({});
    expect(labels).toEqual({
      "io.kubernetes.pod.name": "p",
      "io.kubernetes.pod.namespace": "n",
      "io.kubernetes.pod.uid": "u",
      "io.kubernetes.container.name": "main",
    });
    expect(annotations).toMatchObject({
      "io.kubernetes.container.restartCount": "2",
      "io.kubernetes.container.hash": containerHash({ name: "main", image: "example.com/app:1" }),
    });
    expect(containerHash({ name: "main", image: "other" })).not.toBe(annotations?.["io.kubernetes.container.hash"]);
  });
});

describe("what the runtime is told of a sandbox", () => {
  const configOf = (spec: object) =>
    sandboxConfig(podWith(spec), {
      cgroupParent: "/kubepods/podu",
      names,
      attempt: 1,
      logDirectory: "/logs/n_p_u",
      dns: { config: { servers: ["1.1.1.1"] } },
      clusterDomain: "cluster.local",
      resources: { resources: { cpuShares: 1024, cpuQuota: 0, cpuPeriod: 0, memoryLimitInBytes: 5 }, overhead: {} },
    });

  it("has what its containers may use together", () => {
    expect(configOf({}).linux).toMatchObject({ resources: { cpuShares: 1024, memoryLimitInBytes: 5 }, overhead: {} });
  });

  it("has names, labels and annotations of the pod", () => {
    expect(configOf({})).toMatchObject({
      metadata: { name: "p", uid: "u", namespace: "n", attempt: 1 },
      hostname: "p",
      logDirectory: "/logs/n_p_u",
      dnsConfig: { servers: ["1.1.1.1"] },
      labels: { app: "x", "io.kubernetes.pod.uid": "u" },
      annotations: { note: "y" },
      linux: { securityContext: { seccomp: { profileType: "RuntimeDefault" }, privileged: false } },
    });
  });

  it.each<[string, object, object]>([
    [
      "ports of the node",
      {
        containers: [
          { name: "c", ports: [{ containerPort: 80, hostPort: 8080, protocol: "TCP", hostIP: "127.0.0.1" }] },
        ],
      },
      { portMappings: [{ protocol: "TCP", containerPort: 80, hostPort: 8080, hostIp: "127.0.0.1" }] },
    ],
    [
      "kernel parameters, in dots",
      { securityContext: { sysctls: [{ name: "net/ipv4/tcp_syncookies", value: "1" }] } },
      { linux: { sysctls: { "net.ipv4.tcp_syncookies": "1" } } },
    ],
    [
      "users and groups",
      { securityContext: { runAsUser: 5, runAsGroup: 6, fsGroup: 7 } },
      { linux: { securityContext: { runAsUser: { value: 5 }, runAsGroup: { value: 6 }, supplementalGroups: [7] } } },
    ],
    [
      "that a container is privileged",
      { containers: [{ name: "c", securityContext: { privileged: true } }] },
      { linux: { securityContext: { privileged: true } } },
    ],
    [
      "the full name as the host name",
      { hostname: "web", subdomain: "s", setHostnameAsFQDN: true },
      { hostname: "web.s.n.svc.cluster.local" },
    ],
  ])("has %s", (_, spec, expected) => {
    expect(configOf(spec)).toMatchObject(expected);
  });

  it("has no name of its own in the node's network", () => {
    expect(configOf({ hostNetwork: true }).hostname).toBeUndefined();
  });
});
