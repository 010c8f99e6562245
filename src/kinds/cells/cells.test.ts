// The tables of the main kinds, cell by cell.

import { describe, expect, it } from "vitest";
import { humanDuration } from "../../meta/human-duration.ts";
import { apiService } from "../apiregistration/api-service.ts";
import { controllerRevision } from "../apps/controller-revision.ts";
import { deployment } from "../apps/deployment.ts";
import { cronJob } from "../batch/cron-job.ts";
import { job } from "../batch/job.ts";
import { certificateSigningRequest } from "../certificates/certificate-signing-request.ts";
import { cellsOf, completed, NOW, names } from "../complete.testing.ts";
import { endpoints } from "../core/endpoints.ts";
import { event } from "../core/event.ts";
import { node } from "../core/node.ts";
import { persistentVolume } from "../core/persistent-volume.ts";
import { persistentVolumeClaim } from "../core/persistent-volume-claim.ts";
import { resourceQuota } from "../core/resource-quota.ts";
import { service } from "../core/service.ts";
import type { Draft, Kind } from "../define-kind.ts";
import { endpointSlice } from "../discovery/endpoint-slice.ts";
import { priorityLevelConfiguration } from "../flowcontrol/priority-level-configuration.ts";
import { ingress } from "../networking/ingress.ts";
import { ipAddress } from "../networking/ip-address.ts";
import { roleBinding } from "../rbac/role-binding.ts";
import { csiDriver } from "../storage/csi-driver.ts";
import { storageClass } from "../storage/storage-class.ts";
import { selectorText } from "./selectors.ts";

interface Case {
  readonly name: string;
  readonly run: () => void;
}

function shows<T>(what: string, kind: Kind<T>, draft: Draft<T>, expected: Record<string, unknown>): Case {
  const run = () => expect(cellsOf(kind, completed(kind, draft))).toMatchObject(expected);
  return { name: `${kind.kind}: ${what}`, run };
}

const defaultClass = { [names.defaultStorageClassAnnotation]: "true" };

const cases: Case[] = [
  shows(
    "no shares where no limit is",
    priorityLevelConfiguration,
    { metadata: { name: "exempt" }, spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0 } } },
    { NominalConcurrencyShares: "<none>" },
  ),
  shows(
    "its shares of a limit",
    priorityLevelConfiguration,
    { metadata: { name: "a" }, spec: { type: "Limited", limited: { nominalConcurrencyShares: 7 } } },
    { NominalConcurrencyShares: 7 },
  ),
  shows(
    "the default",
    storageClass,
    { provisioner: "p.test", metadata: { name: "fast", annotations: defaultClass } },
    {
      Name: "fast (default)",
      Provisioner: "p.test",
    },
  ),
  shows("another", storageClass, { provisioner: "p.test", metadata: { name: "slow" } }, { Name: "slow" }),
  shows(
    "a new one",
    service,
    { spec: { clusterIPs: ["10.0.0.1"], ports: [{ port: 80 }] } },
    {
      Type: "ClusterIP",
      "Cluster-IP": "10.0.0.1",
      "External-IP": "<none>",
      "Port(s)": "80/TCP",
      Selector: "<none>",
    },
  ),
  shows(
    "a load balancer",
    service,
    {
      spec: {
        type: "LoadBalancer",
        selector: { b: "2", a: "1" },
        externalIPs: ["9.9.9.9"],
        ports: [{ port: 53, nodePort: 30000, protocol: "UDP" }],
      },
      status: { loadBalancer: { ingress: [{ hostname: "h" }, { ip: "1.2.3.4" }] } },
    },
    { "Cluster-IP": "<none>", "External-IP": "1.2.3.4,h,9.9.9.9", "Port(s)": "53:30000/UDP", Selector: "a=1,b=2" },
  ),
  shows(
    "a load balancer whose address is not known yet",
    service,
    {
      spec: { type: "LoadBalancer", externalIPs: ["9.9.9.9"] },
      status: { loadBalancer: { ingress: [{ ports: [] }, { ip: "1.2.3.4" }] } },
    },
    { "External-IP": "1.2.3.4,9.9.9.9" },
  ),
  shows(
    "a load balancer without address",
    service,
    { spec: { type: "LoadBalancer" } },
    {
      "External-IP": "<pending>",
      "Port(s)": "<none>",
    },
  ),
  shows(
    "another name",
    service,
    { spec: { type: "ExternalName", externalName: "x.test" } },
    { "External-IP": "x.test" },
  ),
  shows(
    "one that reports nothing",
    node,
    {},
    {
      Status: "Unknown",
      Roles: "<none>",
      Version: "",
      "Internal-IP": "<none>",
      "OS-Image": "<unknown>",
    },
  ),
  shows(
    "one that is ready but closed",
    node,
    {
      metadata: { labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge" } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "10.0.0.9" }],
      },
    },
    { Status: "Ready,SchedulingDisabled", Roles: "edge,worker", "Internal-IP": "10.0.0.9" },
  ),
  shows(
    "ready and wanted",
    deployment,
    { spec: { replicas: 3 }, status: { readyReplicas: 2, updatedReplicas: 1 } },
    {
      Ready: "2/3",
      "Up-to-date": 1,
      Available: 0,
    },
  ),
  shows(
    "hosts and ports",
    ingress,
    {
      spec: { rules: [{ host: "a" }, {}, { host: "b" }, { host: "c" }, { host: "d" }], tls: [{}] },
      status: { loadBalancer: { ingress: [{ ip: "2.2.2.2" }, { ip: "1.1.1.1" }, { ip: "2.2.2.2" }] } },
    },
    { Class: "<none>", Hosts: "a,b,c + 2 more...", Address: "1.1.1.1,2.2.2.2", Ports: "80, 443" },
  ),
  shows(
    "three hosts and a rule before them",
    ingress,
    { spec: { rules: [{}, { host: "a" }, { host: "b" }, { host: "c" }] } },
    { Hosts: "a,b,c", Ports: "80" },
  ),
  shows("no hosts", ingress, { spec: { rules: [{}] } }, { Hosts: "*" }),
  shows(
    "first addresses",
    endpoints,
    {
      subsets: [{ addresses: [{ ip: "1.1.1.1" }, { ip: "fd::1" }], ports: [{ port: 1 }, { port: 2 }] }],
    },
    { Endpoints: "1.1.1.1:1,[fd::1]:1,1.1.1.1:2 + 1 more..." },
  ),
  shows("no subsets", endpoints, {}, { Endpoints: "<none>" }),
  shows("subsets without addresses", endpoints, { subsets: [{ ports: [{ port: 1 }] }] }, { Endpoints: "" }),
  shows(
    "ports by number or name, which may be empty",
    endpointSlice,
    {
      addressType: "IPv4",
      ports: [{ port: 80 }, { name: "n" }, {}],
      endpoints: [{ addresses: ["1.1.1.1"] }],
    },
    { Ports: "80,n,", Endpoints: "1.1.1.1" },
  ),
  shows("a port with an empty name", endpointSlice, { ports: [{ name: "" }] }, { Ports: "<unset>" }),
  shows(
    "a series",
    event,
    {
      type: "Normal",
      involvedObject: { kind: "Pod", name: "p" },
      source: { component: "c", host: "h" },
      firstTimestamp: "2026-01-02T03:00:05Z",
      series: { count: 4, lastObservedTime: "2026-01-02T03:04:00.000000Z" },
    },
    { "Last Seen": "5s", "First Seen": "4m", Object: "pod/p", Source: "c, h", Count: 4 },
  ),
  shows("a series that counts nothing", event, { involvedObject: {}, count: 3, series: {} }, { Count: 0 }),
  shows(
    "a bound one",
    persistentVolumeClaim,
    {
      spec: { volumeName: "v", storageClassName: "fast" },
      status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadOnlyMany", "ReadWriteOnce"] },
    },
    { Status: "Bound", Volume: "v", Capacity: "1Gi", "Access Modes": "RWO,ROX", StorageClass: "fast" },
  ),
  shows("its claim", persistentVolume, { spec: { claimRef: { namespace: "n", name: "c" } } }, { Claim: "n/c" }),
  shows(
    "requests and limits apart",
    resourceQuota,
    {
      status: { hard: { pods: "5", "limits.cpu": "2", limitsOf: "1" }, used: { pods: "1" } },
    },
    { Request: "limitsOf: 0/1, pods: 1/5", Limit: "limits.cpu: 0/2" },
  ),
  shows(
    "a running one",
    job,
    { status: { startTime: "2026-01-02T03:03:05Z" } },
    {
      Status: "Running",
      Completions: "0/1",
      Duration: "60s",
    },
  ),
  shows(
    "a finished one",
    job,
    {
      spec: { parallelism: 3 },
      status: {
        succeeded: 1,
        startTime: "2026-01-02T03:03:05Z",
        completionTime: "2026-01-02T03:03:06Z",
        conditions: [{ type: "Complete", status: "True" }],
      },
    },
    { Status: "Complete", Completions: "1/1 of 3", Duration: "1s" },
  ),
  shows(
    "its schedule",
    cronJob,
    { spec: { schedule: "* * * * *" } },
    {
      Schedule: "* * * * *",
      Timezone: "<none>",
      Suspend: "False",
      Active: 0,
      "Last Schedule": "<none>",
    },
  ),
  shows(
    "a decision and the outcome",
    certificateSigningRequest,
    {
      spec: { signerName: "s", expirationSeconds: 7200 },
      status: { conditions: [{ type: "Approved" }, { type: "Failed" }], certificate: "MQ==" },
    },
    { SignerName: "s", RequestedDuration: "120m", Condition: "Approved,Failed,Issued" },
  ),
  shows(
    "role and subjects",
    roleBinding,
    {
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "a" },
        { kind: "User", name: "b" },
        { kind: "ServiceAccount", namespace: "n", name: "s" },
      ],
    },
    { Role: "Role/r", Users: "a, b", Groups: "", ServiceAccounts: "n/s" },
  ),
  shows(
    "its parent",
    ipAddress,
    { spec: { parentRef: { resource: "services", namespace: "n", name: "s" } } },
    {
      ParentRef: "services/n/s",
    },
  ),
  shows(
    "its controller",
    controllerRevision,
    {
      metadata: {
        ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "u", controller: true }],
      },
      revision: 2,
    },
    { Controller: "daemonset.apps/d", Revision: 2 },
  ),
  shows(
    "why it is not available",
    apiService,
    {
      spec: { service: { namespace: "n", name: "s" } },
      status: { conditions: [{ type: "Available", status: "False", reason: "Gone" }] },
    },
    { Service: "n/s", Available: "False (Gone)" },
  ),
];

describe("table cells", () => {
  it.each(cases)("$name", ({ run }) => run());

  it("of a driver's tokens tell none from one for the server itself", () => {
    const requests = (...audiences: string[]) =>
      cellsOf(
        csiDriver,
        completed(csiDriver, { spec: { tokenRequests: audiences.map((audience) => ({ audience })) } }),
      )["TokenRequests"];
    expect([requests(), requests(""), requests("a", "b")]).toEqual(["<unset>", "", "a,b"]);
  });

  it("of roles follow the dialect", () => {
    const object = completed(node, { metadata: { labels: { "node-role.platform.io/worker": "" } } });
    expect(cellsOf(node, object)["Roles"]).toBe("<none>");
    expect(names.nodeRolePrefix).toBe("node-role.kubernetes.io/");
  });

  it.each([
    [-5000, "<invalid>"],
    [-500, "0s"],
    [119_000, "119s"],
    [120_000, "2m"],
    [150_000, "2m30s"],
    [3 * 3600_000 - 1, "179m"],
    [3 * 3600_000, "3h"],
    [7 * 3600_000 + 60_000, "7h1m"],
    [47 * 3600_000, "47h"],
    [50 * 3600_000, "2d2h"],
    [100 * 86400_000, "100d"],
    [800 * 86400_000, "2y70d"],
    [3000 * 86400_000, "8y"],
  ])("an age of %d ms is %s", (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });

  it("a selector reads as in a query, by key", () => {
    const selector = {
      matchLabels: { z: "1" },
      matchExpressions: [
        { key: "b", operator: "In", values: ["y", "x"] },
        { key: "a", operator: "DoesNotExist" },
      ],
    };
    expect(selectorText(selector)).toBe("!a,b in (x,y),z=1");
    expect(selectorText(undefined)).toBe("");
  });

  it("an age is unknown without a timestamp", () => {
    expect(cellsOf(deployment, completed(deployment, {}))["Age"]).toBe("<unknown>");
    expect(cellsOf(deployment, completed(deployment, { metadata: { creationTimestamp: NOW } }))["Age"]).toBe("0s");
  });
});
