import { describe, expect, it } from "vitest";
import { cellsOf, completed, context, created, NOW } from "../complete.testing.ts";
import type { Draft } from "../define-kind.ts";
import { defaultPullPolicy } from "./pod/image-tag.ts";
import { prepareEphemeralContainers, preparePodStatus, prepareResize } from "./pod/prepare.ts";
import { qosClassOf } from "./pod/resources.ts";
import type { Pod } from "./pod/schema.ts";
import { pod } from "./pod.ts";

const withContainer = (container: object, spec: object = {}): Draft<Pod> => ({
  metadata: { name: "p", labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "i:1", ...container }], ...spec },
});

describe("defaults of a pod", () => {
  it("are those of the spec, its containers and its volumes", () => {
    const object = completed(pod, {
      spec: {
        serviceAccountName: "sa",
        hostNetwork: true,
        containers: [
          {
            name: "c",
            image: "i",
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: "1500u", memory: "1Gi" }, requests: { cpu: "1m" } },
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { grpc: { port: 1 } },
            lifecycle: { preStop: { httpGet: { port: 80 } } },
            env: [{ name: "n", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          },
        ],
        volumes: [
          { name: "empty" },
          { name: "secret", secret: {} },
          { name: "host", hostPath: { path: "/" } },
          {
            name: "all",
            projected: {
              sources: [{ serviceAccountToken: { path: "t" } }, { downwardAPI: { items: [{ fieldRef: {} }] } }],
            },
          },
          { name: "claim", ephemeral: { volumeClaimTemplate: {} } },
        ],
      },
    });
    expect(object.spec).toMatchObject({
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: "default-scheduler",
      enableServiceLinks: true,
      serviceAccount: "sa",
      containers: [
        {
          imagePullPolicy: "Always",
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          ports: [{ protocol: "TCP", hostPort: 80 }],
          resources: { limits: { cpu: "2m", memory: "1Gi" }, requests: { cpu: "1m", memory: "1Gi" } },
          livenessProbe: {
            httpGet: { path: "/", scheme: "HTTP" },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          readinessProbe: { grpc: { service: "" } },
          lifecycle: { preStop: { httpGet: { path: "/", scheme: "HTTP" } } },
          env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }],
        },
      ],
      volumes: [
        { emptyDir: {} },
        { secret: { defaultMode: 420 } },
        { hostPath: { type: "" } },
        {
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3600 } },
              { downwardAPI: { items: [{ fieldRef: { apiVersion: "v1" } }] } },
            ],
          },
        },
        { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: "Filesystem" } } } },
      ],
    });
  });

  it("make requests of the whole pod from its containers, then from its limits", () => {
    const object = completed(
      pod,
      withContainer(
        { resources: { requests: { cpu: "1" } } },
        { resources: { limits: { cpu: "4", memory: "1Gi", "example.com/gpu": "1" } } },
      ),
      { ...context, gateEnabled: () => true },
    );
    expect(object.spec.resources?.requests).toEqual({ cpu: "1", memory: "1Gi" });
  });

  it.each([
    ["app", "Always"],
    ["app:latest", "Always"],
    ["registry.test:5000/a/app", "Always"],
    ["registry.test:5000/a/app:1", "IfNotPresent"],
    [`app@sha256:${"a".repeat(64)}`, "IfNotPresent"],
    ["Not An Image", "IfNotPresent"],
    ["", "IfNotPresent"],
  ])("pull the image %j %s", (image, policy) => {
    expect(defaultPullPolicy(image)).toBe(policy);
  });
});

describe("a new pod", () => {
  it("is pending, whatever status it brings", () => {
    const object = created(pod, { ...withContainer({}), status: { phase: "Running", podIP: "1.2.3.4" } });
    expect(object.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  it("with scheduling gates says so in a condition", () => {
    const object = created(pod, withContainer({}, { schedulingGates: [{ name: "g" }] }));
    expect(object.status.conditions).toMatchObject([
      { type: "PodScheduled", status: "False", reason: "SchedulingGated", lastTransitionTime: NOW },
    ]);
    expect(cellsOf(pod, object)["Status"]).toBe("SchedulingGated");
  });

  it("has the values of its own labels in constraints that name only keys", () => {
    const constraint = { maxSkew: 1, topologyKey: "z", labelSelector: {}, matchLabelKeys: ["app", "other"] };
    const object = created(pod, withContainer({}, { topologySpreadConstraints: [constraint] }));
    expect(object.spec.topologySpreadConstraints?.[0]?.labelSelector).toEqual({
      matchExpressions: [{ key: "app", operator: "In", values: ["a"] }],
    });
  });

  it.each([
    [{}, "BestEffort"],
    [{ requests: { cpu: "1" } }, "Burstable"],
    [{ limits: { cpu: "1" }, requests: { cpu: "1" } }, "Burstable"],
    [{ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1000m", memory: "1Gi" } }, "Guaranteed"],
    [{ limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } }, "Burstable"],
    [{ requests: { "example.com/gpu": "1" } }, "BestEffort"],
  ])("with resources %j is %s", (resources, qos) => {
    expect(qosClassOf(completed(pod, withContainer({ resources })).spec)).toBe(
      // Defaults turn limits into requests, which the class is computed from.
      qos,
    );
  });
});

describe("the endpoints of a pod", () => {
  const old = (): Pod => ({
    ...completed(pod, withContainer({})),
    status: { phase: "Running", qosClass: "Burstable", observedGeneration: 3 },
  });

  it("status keeps spec, owners and class of service", () => {
    const written = { ...old(), spec: { containers: null }, status: { phase: "Failed" as const } };
    written.metadata = { ...written.metadata, ownerReferences: [] };
    preparePodStatus(written, old());
    expect(written.spec).toEqual(old().spec);
    expect(written.metadata.ownerReferences).toBeUndefined();
    expect(written.status).toEqual({ phase: "Failed", qosClass: "Burstable", observedGeneration: 3 });
  });

  it("ephemeralcontainers writes nothing else", () => {
    const written = old();
    written.metadata.labels = {};
    written.spec.nodeName = "n";
    written.spec.ephemeralContainers = [{ name: "debug", resources: {} }];
    prepareEphemeralContainers(written, old());
    expect(written).toEqual({
      ...old(),
      spec: { ...old().spec, ephemeralContainers: [{ name: "debug", resources: {} }] },
    });
  });

  it("resize writes only resources, and leaves other containers for validation to refuse", () => {
    const written = old();
    written.spec.containers = [{ name: "c", image: "other", resources: { limits: { cpu: "1" } } }];
    prepareResize(written, old());
    expect(written.spec.containers).toMatchObject([{ name: "c", image: "i:1", resources: { limits: { cpu: "1" } } }]);
    for (const containers of [
      [{ name: "new", resources: {} }],
      [
        { name: "c", resources: {} },
        { name: "new", resources: {} },
      ],
    ]) {
      const wrong = old();
      wrong.spec.containers = containers;
      prepareResize(wrong, old());
      expect(wrong.spec.containers).toEqual(containers);
    }
  });

  it.each([
    [{ spec: {}, requested: 30, seconds: 0 }],
    [{ spec: { nodeName: "n" }, requested: undefined, seconds: 30 }],
    [{ spec: { nodeName: "n", terminationGracePeriodSeconds: 5 }, requested: undefined, seconds: 5 }],
    [{ spec: { nodeName: "n" }, requested: 0, seconds: 0 }],
    [{ spec: { nodeName: "n" }, requested: -1, seconds: 1 }],
  ])("delete gives time to end: %j", ({ spec, requested, seconds }) => {
    expect(pod.gracefulDelete?.(completed(pod, withContainer({}, spec)), requested)).toBe(seconds);
  });
});

describe("the table of pods", () => {
  const running = { running: { startedAt: NOW } };
  const terminated = (reason: string, exitCode = 1) => ({
    terminated: { reason, exitCode, finishedAt: "2026-01-02T03:03:05Z" },
  });
  const rows: [string, Draft<Pod>["status"], Draft<Pod>["spec"] | undefined, Record<string, string>][] = [
    [
      "ready",
      { phase: "Running", containerStatuses: [{ name: "c", ready: true, state: running }] },
      undefined,
      {
        Ready: "1/1",
        Status: "Running",
        Restarts: "0",
      },
    ],
    [
      "waiting",
      { phase: "Pending", containerStatuses: [{ name: "c", state: { waiting: { reason: "ErrImagePull" } } }] },
      undefined,
      {
        Ready: "0/1",
        Status: "ErrImagePull",
      },
    ],
    [
      "restarted a minute ago",
      {
        phase: "Running",
        containerStatuses: [
          { name: "c", ready: true, restartCount: 2, state: running, lastState: terminated("Error") },
        ],
      },
      undefined,
      { Restarts: "2 (60s ago)", Status: "Running" },
    ],
    [
      "killed by a signal",
      {
        phase: "Failed",
        containerStatuses: [{ name: "c", state: { terminated: { exitCode: 137, signal: 9 } } }],
      },
      undefined,
      { Status: "Signal:9" },
    ],
    [
      "initializing",
      {
        phase: "Pending",
        initContainerStatuses: [{ name: "i", state: { waiting: { reason: "PodInitializing" } } }],
      },
      { initContainers: [{ name: "i" }, { name: "j" }] },
      { Status: "Init:0/2" },
    ],
    [
      "failed while initializing",
      {
        phase: "Pending",
        initContainerStatuses: [{ name: "i", state: terminated("") }],
      },
      { initContainers: [{ name: "i" }] },
      { Status: "Init:ExitCode:1" },
    ],
    [
      "with a side car",
      {
        phase: "Running",
        initContainerStatuses: [{ name: "i", started: true, ready: true, restartCount: 1, state: running }],
        containerStatuses: [{ name: "c", ready: true, state: running }],
      },
      { initContainers: [{ name: "i", restartPolicy: "Always" }] },
      { Ready: "2/2", Restarts: "1" },
    ],
    [
      "with a side car behind an init container that runs again",
      {
        phase: "Running",
        conditions: [{ type: "Initialized", status: "True" }],
        initContainerStatuses: [
          { name: "i", restartCount: 1, state: running },
          { name: "j", started: true, ready: true, restartCount: 4, state: running },
        ],
        containerStatuses: [{ name: "c", ready: true, restartCount: 2, state: running }],
      },
      { initContainers: [{ name: "i" }, { name: "j", restartPolicy: "Always" }] },
      { Ready: "1/2", Restarts: "2", Status: "Init:0/2" },
    ],
    [
      "half completed",
      {
        phase: "Running",
        containerStatuses: [
          { name: "c", ready: true, state: running },
          { name: "d", state: terminated("Completed", 0) },
        ],
      },
      undefined,
      { Status: "NotReady" },
    ],
  ];

  it.each(rows)("says what a pod is that is %s", (_what, status, spec, expected) => {
    const object = completed(pod, {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c" }], ...spec },
      status,
    } as Draft<Pod>);
    expect(cellsOf(pod, object)).toMatchObject(expected);
  });

  it("says that a pod is being deleted", () => {
    const object = completed(pod, { metadata: { deletionTimestamp: NOW }, status: { phase: "Running" } });
    expect(cellsOf(pod, object)["Status"]).toBe("Terminating");
  });

  it("marks rows of pods that have ended", () => {
    const ended = completed(pod, { status: { phase: "Succeeded" } });
    expect(pod.rowConditions?.(ended)).toMatchObject([{ type: "Completed", status: "True", reason: "Succeeded" }]);
    expect(pod.rowConditions?.(completed(pod, {}))).toEqual([]);
  });
});
