// What is told of objects, kind by kind, without a server: what is looked up beside them stands in the tables.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { namesFor } from "../../meta/names.ts";
import { describerOf } from "./describe-object.ts";
import type { Lookup } from "./describer.ts";
import { Sheet } from "./sheet.ts";

const names = namesFor("platform");

function lookup(lists: Readonly<Record<string, readonly JsonObject[]>> = {}): Lookup {
  const listOf = (resource: string): JsonObject[] | undefined =>
    Object.hasOwn(lists, resource) ? [...lists[resource]!] : undefined;
  return {
    names,
    nowMs: Date.parse("2030-01-01T01:00:00Z"),
    list: async (resource) => listOf(resource),
    get: async (resource, _namespace, name) =>
      listOf(resource)?.find(({ metadata }) => (metadata as JsonObject)["name"] === name),
  };
}

async function told(object: JsonObject, lists: Readonly<Record<string, readonly JsonObject[]>> = {}): Promise<string> {
  const [group] = String(object["apiVersion"]).includes("/") ? String(object["apiVersion"]).split("/") : [""];
  const sheet = new Sheet();
  await describerOf(object, names.groupKey(group!)).write(sheet, object, lookup(lists));
  return sheet.text();
}

const metadata = (name: string, more: JsonObject = {}): JsonObject => ({ name, namespace: "default", ...more });
const owned = (name: string, kind: string, owner: string): JsonObject =>
  metadata(name, { ownerReferences: [{ kind, name: owner, uid: `uid-${owner}`, controller: true }] });

const podSpec = {
  serviceAccountName: "bot",
  nodeName: "n1",
  containers: [
    {
      name: "web",
      image: "web:1",
      ports: [{ containerPort: 80, name: "http", protocol: "TCP" }],
      command: ["serve", "--all"],
      resources: { limits: { cpu: "1500m" }, requests: { cpu: "500m" } },
      readinessProbe: { httpGet: { path: "/ready", port: "http", scheme: "HTTP" }, periodSeconds: 5 },
      env: [
        { name: "A", value: "b" },
        { name: "S", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
        { name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      ],
      volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true }],
    },
  ],
  volumes: [{ name: "data", persistentVolumeClaim: { claimName: "claim" } }],
  tolerations: [{ key: "x", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
};

describe("a pod", () => {
  it("is told of with its containers, their states and its volumes", async () => {
    const text = await told({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...owned("web-1", "ReplicaSet", "web"), labels: { app: "web", b: "c" } },
      spec: podSpec,
      status: {
        phase: "Running",
        hostIP: "10.0.0.9",
        podIP: "10.1.0.1",
        podIPs: [{ ip: "10.1.0.1" }],
        qosClass: "Burstable",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [
          {
            name: "web",
            ready: true,
            restartCount: 2,
            state: { running: { startedAt: "2030-01-01T00:00:00Z" } },
            lastState: { terminated: { exitCode: 1, reason: "Error", startedAt: "2029-12-31T00:00:00Z" } },
          },
        ],
      },
    });
    expect(text).toBe(`Name:             web-1
Namespace:        default
Priority:         0
Service Account:  bot
Node:             n1/10.0.0.9
Labels:           app=web
                  b=c
Annotations:      <none>
Status:           Running
IP:               10.1.0.1
IPs:
  IP:           10.1.0.1
Controlled By:  ReplicaSet/web
Containers:
  web:
    Container ID:
    Image:         web:1
    Image ID:
    Port:          80/TCP (http)
    Host Port:     0/TCP (http)
    Command:
      serve
      --all
    State:          Running
      Started:      Tue, 01 Jan 2030 00:00:00 +0000
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Mon, 31 Dec 2029 00:00:00 +0000
      Finished:     <unset>
    Ready:          True
    Restart Count:  2
    Limits:
      cpu:  1500m
    Requests:
      cpu:      500m
    Readiness:  http-get http://:http/ready delay=0s timeout=1s period=5s #success=1 #failure=3
    Environment:
      A:  b
      S:  <set to the key 'token' in secret 'keys'>  Optional: false
      N:  web (v1:metadata.labels['app'])
      C:  2 (limits.cpu)
    Mounts:
      /data from data (ro)
Conditions:
  Type    Status
  Ready   True
Volumes:
  data:
    Type:        PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:   claim
    ReadOnly:    false
QoS Class:       Burstable
Node-Selectors:  <none>
Tolerations:     x:NoExecute op=Exists for 300s
`);
  });

  it("that is going says since when", async () => {
    const going = metadata("p", { deletionTimestamp: "2030-01-01T00:59:30Z", deletionGracePeriodSeconds: 30 });
    const text = await told({ apiVersion: "v1", kind: "Pod", metadata: going });
    expect(text).toMatch(/\nStatus: +Terminating \(lasts 30s\)\nTermination Grace Period: +30s\n/);
  });
});

describe("what makes pods", () => {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  const pods = [
    { metadata: owned("a", "ReplicaSet", "web"), status: { phase: "Running" } },
    { metadata: owned("b", "ReplicaSet", "web"), status: { phase: "Pending" } },
    { metadata: owned("c", "ReplicaSet", "other"), status: { phase: "Running" } },
  ];

  it.each<[kind: string, object: JsonObject, lists: Record<string, JsonObject[]>, lines: RegExp[]]>([
    [
      "Deployment",
      {
        apiVersion: "apps/v1",
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: 1 } },
          template,
        },
        status: { updatedReplicas: 2, replicas: 3, availableReplicas: 1, unavailableReplicas: 2 },
      },
      {
        "replicasets.apps": [1, 2].map((revision) => ({
          metadata: {
            ...owned(`web-${revision}`, "Deployment", "web"),
            annotations: { [names.deploymentRevisionAnnotation]: String(revision) },
          },
          spec: { replicas: revision },
          status: { replicas: 1 },
        })),
      },
      [
        /^Replicas: +2 desired \| 2 updated \| 3 total \| 1 available \| 2 unavailable$/m,
        /^RollingUpdateStrategy: +25% max unavailable, 1 max surge$/m,
        /^OldReplicaSets: +web-1 \(1\/1 replicas created\)$/m,
        /^NewReplicaSet: +web-2 \(1\/2 replicas created\)$/m,
        /^ {2}Containers:\n {3}web:\n {4}Image: +web:1$/m,
      ],
    ],
    [
      "ReplicaSet",
      { apiVersion: "apps/v1", spec: { replicas: 2, selector: { matchLabels: labels }, template } },
      { pods },
      [/^Replicas: +0 current \/ 2 desired$/m, /^Pods Status: +1 Running \/ 1 Waiting \/ 0 Succeeded \/ 0 Failed$/m],
    ],
    [
      "StatefulSet",
      {
        apiVersion: "apps/v1",
        spec: {
          selector: {
            matchExpressions: [
              { key: "a", operator: "In", values: ["x", "y"] },
              { key: "b", operator: "DoesNotExist" },
            ],
          },
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
          template,
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }],
        },
      },
      {},
      [
        /^Selector: +a in \(x,y\),!b$/m,
        /^ {2}Partition: +1$/m,
        /^Pods Status: +<unknown>$/m,
        /^Volume Claims:\n {2}Name: +data$/m,
      ],
    ],
    [
      "DaemonSet",
      { apiVersion: "apps/v1", spec: { selector: { matchLabels: labels }, template }, status: { numberAvailable: 3 } },
      {},
      [/^Number of Nodes Scheduled with Available Pods: 3$/m],
    ],
    [
      "Job",
      {
        apiVersion: "batch/v1",
        spec: { completions: 1, template },
        status: { startTime: "2030-01-01T00:00:00Z", completionTime: "2030-01-01T00:00:09Z", succeeded: 1 },
      },
      {},
      [/^Parallelism: +<unset>$/m, /^Duration: +9s$/m, /^Pods Statuses: +0 Active \(0 Ready\) \/ 1 Succeeded/m],
    ],
    [
      "CronJob",
      { apiVersion: "batch/v1", spec: { schedule: "@daily", jobTemplate: { spec: { template } } } },
      {},
      [/^Schedule: +@daily$/m, /^Last Schedule Time: +<unset>\nActive Jobs: +<none>$/m],
    ],
  ])("%s is told of with its template and how far it is", async (kind, object, lists, lines) => {
    const text = await told(
      { kind, ...object, metadata: { name: "web", namespace: "default", uid: "uid-web" } },
      lists,
    );
    for (const line of lines) expect(text).toMatch(line);
    expect(text).toContain("\nPod Template:\n");
  });
});

describe("other kinds", () => {
  const slices = [
    {
      metadata: metadata("s"),
      ports: [{ name: "http", port: 8080 }],
      endpoints: [
        { addresses: ["10.1.0.1"] },
        { addresses: ["10.1.0.2"], conditions: { ready: false } },
        { addresses: ["fd00::1"], conditions: { ready: true } },
      ],
    },
  ];
  const web = {
    metadata: metadata("web"),
    spec: { type: "ClusterIP", ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }] },
  };
  const group = (key: Parameters<typeof names.group>[0]): string => `${names.group(key)}/v1`;
  const discovery = `endpointslices.${names.group("discovery")}`;

  it.each<[kind: string, object: JsonObject, lists: Record<string, JsonObject[]>, lines: RegExp[]]>([
    [
      "Service",
      { apiVersion: "v1", spec: web.spec },
      { [discovery]: slices },
      [/^Port: +http +80\/TCP$/m, /^TargetPort: +http\/TCP$/m, /^Endpoints: +10\.1\.0\.1:8080,\[fd00::1\]:8080$/m],
    ],
    [
      "Endpoints",
      {
        apiVersion: "v1",
        subsets: [
          {
            addresses: [{ ip: "10.1.0.1" }, { ip: "10.1.0.2" }],
            ports: [
              { name: "http", port: 8080, protocol: "TCP" },
              { port: 53, protocol: "UDP" },
            ],
          },
          { notReadyAddresses: [{ ip: "10.1.0.3" }] },
        ],
      },
      {},
      [
        /^Subsets:\n {2}Addresses: +10\.1\.0\.1,10\.1\.0\.2\n {2}NotReadyAddresses: +<none>\n {2}Ports:\n/m,
        /^ {4}Name +Port +Protocol\n {4}---- +---- +--------\n {4}http +8080 +TCP\n {4}<unset> +53 +UDP\n\n/m,
        /^ {2}Addresses: +<none>\n {2}NotReadyAddresses: +10\.1\.0\.3\n\n$/m,
      ],
    ],
    ["Endpoints", { apiVersion: "v1" }, {}, [/^Annotations: +<none>\nSubsets:\n$/m]],
    [
      "EndpointSlice",
      {
        apiVersion: group("discovery"),
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.1.0.1", "10.1.0.2"], conditions: { ready: true } }],
      },
      {},
      [/^AddressType: +IPv4\nPorts: <unset>\nEndpoints:\n {2}- Addresses: +10\.1\.0\.1, 10\.1\.0\.2$/m],
    ],
    [
      "EndpointSlice",
      { apiVersion: group("discovery"), addressType: "IPv4", ports: [{ name: "", port: 80, protocol: "TCP" }] },
      {},
      [/^Ports:\n {2}Name +Port +Protocol\n.*\n {2}<unset> +80 +TCP\nEndpoints: <none>\n$/m],
    ],
    [
      "Ingress",
      {
        apiVersion: group("networking"),
        spec: {
          rules: [
            {
              host: "a.example.com",
              http: {
                paths: [
                  { path: "/", backend: { service: { name: "web", port: { number: 80 } } } },
                  { path: "/x", backend: { service: { name: "none", port: { number: 1 } } } },
                ],
              },
            },
          ],
        },
      },
      { services: [web], [discovery]: slices },
      [
        /^ {2}a\.example\.com\n +\/ +web:80 \(10\.1\.0\.1:8080,\[fd00::1\]:8080\)$/m,
        /^ +\/x +none:1 \(<error: services "none" not found>\)$/m,
      ],
    ],
    [
      "NetworkPolicy",
      {
        apiVersion: group("networking"),
        spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ from: [{ podSelector: {} }] }] },
      },
      {},
      [/^ {4}From:\n {6}PodSelector: <none>$/m, /^ {2}Not affecting egress traffic$/m],
    ],
    [
      "Secret",
      { apiVersion: "v1", type: "Opaque", data: { token: "aHVudGVyMg==" } },
      {},
      [/^Type: +Opaque$/m, /^token: +7 bytes$/m],
    ],
    ["ConfigMap", { apiVersion: "v1", data: { key: "a\nb" } }, {}, [/^key:\n----\na\nb\n$/m]],
    [
      "PersistentVolumeClaim",
      {
        apiVersion: "v1",
        spec: { volumeName: "pv" },
        status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOncePod"] },
      },
      {
        pods: [
          {
            metadata: metadata("user"),
            spec: { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "web" } }] },
          },
        ],
      },
      [/^Capacity: +1Gi\nAccess Modes: +RWOP$/m, /^Used By: +user$/m],
    ],
    [
      "PersistentVolume",
      { apiVersion: "v1", spec: { csi: { driver: "d", volumeHandle: "h" }, accessModes: ["ReadWriteMany"] } },
      {},
      [/^Access Modes: +RWX$/m, /^ +Type: +CSI .*\n +Driver: +d$/m],
    ],
    [
      "StorageClass",
      { apiVersion: group("storage"), provisioner: "p", mountOptions: ["ro"] },
      {},
      [/^IsDefaultClass: +No$/m, /^MountOptions:\n {2}ro$/m],
    ],
    [
      "ServiceAccount",
      { apiVersion: "v1", secrets: [{ name: "keys" }, { name: "lost" }] },
      { secrets: [{ metadata: metadata("keys") }] },
      [/^Mountable secrets: +keys\n +lost \(not found\)$/m],
    ],
    [
      "ClusterRole",
      {
        apiVersion: group("rbac.authorization"),
        rules: [
          { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get"] },
          { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get", "update"] },
          { nonResourceURLs: ["/healthz"], verbs: ["get"] },
        ],
      },
      {},
      [/^ {2}deployments\.apps\/scale +\[\] +\[\] +\[get update\]$/m, /^ +\[\/healthz\] +\[\] +\[get\]$/m],
    ],
    [
      "RoleBinding",
      {
        apiVersion: group("rbac.authorization"),
        roleRef: { kind: "Role", name: "r" },
        subjects: [{ kind: "ServiceAccount", name: "bot", namespace: "ns" }],
      },
      {},
      [/^Role:\n {2}Kind: +Role\n {2}Name: +r$/m, /^ {2}ServiceAccount +bot +ns$/m],
    ],
    [
      "HorizontalPodAutoscaler",
      {
        apiVersion: "autoscaling/v2",
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "web" },
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } },
            { type: "External", external: { metric: { name: "queue" }, target: { value: "10" } } },
          ],
          behavior: { scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 15 }] } },
        },
        status: {
          currentMetrics: [{ type: "Resource", resource: { current: { averageUtilization: 20, averageValue: "5m" } } }],
        },
      },
      {},
      [
        /^ {2}resource cpu on pods {2}\(as a percentage of request\): +20% \(5m\) \/ 80%$/m,
        /^ {2}"queue" \(target value\): +<unknown> \/ 10$/m,
        /^ {6}- Type: Pods +Value: 4 +Period: 15 seconds$/m,
      ],
    ],
    [
      "PodDisruptionBudget",
      { apiVersion: "policy/v1", spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 1 } },
      {},
      [/^Min available: +50%\nSelector: +<unset>$/m, /^ +Allowed disruptions: +1$/m],
    ],
    [
      "Namespace",
      { apiVersion: "v1", status: { phase: "Active" } },
      {
        resourcequotas: [{ metadata: metadata("q"), status: { hard: { pods: "10" }, used: { pods: "3" } } }],
        limitranges: [{ spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } }],
      },
      [/^ {2}pods +3 +10$/m, /^ {2}Container +cpu +- +2 +- +- +-$/m],
    ],
    ["Namespace", { apiVersion: "v1" }, {}, [/^No resource quota\.\n\nNo LimitRange resource\.$/m]],
    [
      "CustomResourceDefinition",
      {
        apiVersion: group("apiextensions"),
        spec: {
          group: "example.com",
          names: { kind: "Widget" },
          versions: [{ name: "v1", served: true, storage: true }],
        },
      },
      {},
      [/^Kind: +Widget$/m, /^ {2}v1 +true +true +false +<none> +<none>$/m],
    ],
    [
      "Event",
      { apiVersion: "v1", involvedObject: { kind: "Pod", name: "p" }, message: "hello", count: 3 },
      {},
      [/^Object: +Pod\/p\nMessage: +hello$/m, /^Count: +3$/m],
    ],
    [
      "CertificateSigningRequest",
      { apiVersion: group("certificates"), spec: { request: "bm9uZQ==", expirationSeconds: 3600 } },
      {},
      [/^Requested Duration: +60m$/m, /^Status: +Pending\nSubject:\n {2}<unreadable>$/m],
    ],
  ])("%s is told of in its own form", async (kind, object, lists, lines) => {
    const text = await told({ kind, metadata: metadata("web"), ...object }, lists);
    for (const line of lines) expect(text).toMatch(line);
  });

  it("a node adds up what its pods ask for", async () => {
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1", labels: { [`${names.nodeRolePrefix}worker`]: "" } },
      status: { allocatable: { cpu: "2", memory: "1Gi", pods: "10" } },
    };
    const pods = ["a", "b"].map((name) => ({ metadata: metadata(name), spec: podSpec, status: { phase: "Running" } }));
    const text = await told(node, { pods: [...pods, { ...pods[0], status: { phase: "Failed" } }] });
    expect(text).toMatch(/^Roles: +worker$/m);
    expect(text).toMatch(/^ {2}default +a +500m \(25%\) +1500m \(75%\) +0 \(0%\) +0 \(0%\) +<unknown>$/m);
    expect(text).toMatch(/^Non-terminated Pods: +\(2 in total\)$/m);
    expect(text).toMatch(/^ {2}cpu +1 \(50%\) +3 \(150%\)$/m);
  });

  it("a kind of the same name in a group of others has the common form", async () => {
    const text = await told({ apiVersion: "example.com/v1", kind: "Service", metadata: metadata("s"), spec: { a: 1 } });
    expect(text).toContain("\nAPI Version:  example.com/v1\nKind:         Service\n");
  });
});

describe("the form of all other kinds", () => {
  it("shows members below each other, flat lists as tables, and cannot be broken by text", async () => {
    const text = await told({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { ...metadata("w"), uid: "u", managedFields: [{}], annotations: { note: "a\nb" } },
      spec: {
        size: 3,
        empty: {},
        tags: ["x", "y"],
        parts: [{ name: "a", in: { b: 1 } }, { name: "c\u001b[31m\nd" }],
      },
      status: {
        conditions: [
          { type: "Ready", status: "True" },
          { type: "Done", status: "False" },
        ],
      },
    });
    expect(text).toBe(`Name:         w
Namespace:    default
Labels:       <none>
Annotations:  note:
                a
                b
API Version:  example.com/v1
Kind:         Widget
Metadata:
  UID:  u
Spec:
  Empty:  <none>
  Parts:
    - In:
        B:   1
      Name:  a
    - Name:  c^[[31m\\nd
  Size:      3
  Tags:      x, y
Status:
  Conditions:
    Type   Status
    ----   ------
    Ready  True
    Done   False
`);
  });

  it("is bounded for deep objects and long texts", async () => {
    let deep: JsonObject = { end: "x".repeat(10_000) };
    for (let level = 0; level < 50; level += 1) deep = { deep };
    const text = await told({ apiVersion: "example.com/v1", kind: "Widget", metadata: metadata("w"), spec: deep });
    expect(text.length).toBeLessThan(2_000);
  });
});
