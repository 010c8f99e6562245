import { describe, expect, it } from "vitest";
import { type LooseNode, NO_DRIVERS, reasonsByNode, testCluster, testPod } from "../scheduler.testing.ts";
import type { VolumeLookup } from "../state/volumes.ts";
import { volumePlanFor } from "./volumes.ts";

type Loose = Readonly<Record<string, unknown>>;

const ZONES: LooseNode[] = [
  { name: "a", labels: { zone: "a" } },
  { name: "b", labels: { zone: "b" } },
];

function claim(spec: Loose = {}, metadata: Loose = {}, status: Loose = {}) {
  return {
    metadata: { name: "data", namespace: "default", uid: "claim", resourceVersion: "1", ...metadata },
    spec: {
      storageClassName: "local",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "5Gi" } },
      ...spec,
    },
    status,
  };
}

function volume(name: string, zone: string | undefined, storage = "10Gi", spec: Loose = {}, labels: Loose = {}) {
  const terms = [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }];
  const nodeAffinity = zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } };
  return {
    metadata: { name, uid: name, resourceVersion: "1", labels },
    spec: {
      storageClassName: "local",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage },
      ...nodeAffinity,
      ...spec,
    },
    status: { phase: "Available" },
  };
}

const BOUND = { annotations: { bound: "yes" } };
const LATE = { provisioner: "none", volumeBindingMode: "WaitForFirstConsumer" };

function lookup(parts: {
  claim?: object;
  volumes?: object[];
  storageClass?: object;
  promised?: Record<string, string>;
  capacities?: object[];
}) {
  const volumes = (parts.volumes ?? []) as { metadata: { name: string } }[];
  return {
    claim: (_namespace: string, name: string) => (name === "data" ? parts.claim : undefined),
    volume: (name: string) => volumes.find(({ metadata }) => metadata.name === name),
    volumesOf: () => volumes,
    storageClass: () => parts.storageClass,
    promisedTo: (name: string) => parts.promised?.[name],
    annotations: { bindCompleted: "bound", selectedNode: "selected", betaClass: "class" },
    noProvisioner: "none",
    drivers: {
      ...NO_DRIVERS,
      tellsCapacity: () => parts.capacities !== undefined,
      capacitiesNear: () => parts.capacities ?? [],
    },
  } as unknown as VolumeLookup;
}

const pod = () => testPod({ spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] } });
const FAR = "node(s) didn't match PersistentVolume's node affinity";
const NONE = "node(s) didn't find available persistent volumes to bind";
const FULL = "node(s) did not have enough free storage";
const MADE = { claim: claim(), storageClass: { ...LATE, provisioner: "maker" } };
const IN_A = { matchLabels: { zone: "a" } };

describe("the volumes of a pod", () => {
  it.each<[string, Parameters<typeof lookup>[0], Record<string, string>]>([
    ["that do not exist", {}, both('persistentvolumeclaim "data" not found')],
    [
      "whose claim goes",
      { claim: claim({}, { deletionTimestamp: "2030-01-01T00:00:00Z" }) },
      both('persistentvolumeclaim "data" is being deleted'),
    ],
    [
      "whose claim is bound at once, and is not yet",
      { claim: claim(), storageClass: { volumeBindingMode: "Immediate" } },
      both("pod has unbound immediate PersistentVolumeClaims"),
    ],
    [
      "that are bound, in a zone",
      { claim: claim({ volumeName: "pv" }, BOUND), volumes: [volume("pv", "a")] },
      { a: "", b: FAR },
    ],
    [
      "that are bound, with the labels of old",
      { claim: claim({ volumeName: "pv" }, BOUND), volumes: [volume("pv", undefined, "10Gi", {}, { zone: "b__c" })] },
      { a: "node(s) had no available volume zone", b: "" },
    ],
    [
      "that are bound, with the name that the label had before",
      {
        claim: claim({ volumeName: "pv" }, BOUND),
        volumes: [volume("pv", undefined, "10Gi", {}, { "old-zone": "b" })],
      },
      { a: "node(s) had no available volume zone", b: "" },
    ],
    [
      "that are bound to nothing",
      { claim: claim({ volumeName: "pv" }, BOUND) },
      both("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
    ],
    [
      "that wait, where one is free",
      { claim: claim(), storageClass: LATE, volumes: [volume("pv", "b")] },
      { a: NONE, b: "" },
    ],
    [
      "that wait, where all are too small",
      { claim: claim(), storageClass: LATE, volumes: [volume("pv", "b", "1Gi")] },
      both(NONE),
    ],
    [
      "that wait, where one is promised to another",
      { claim: claim(), storageClass: LATE, volumes: [volume("pv", "b")], promised: { pv: "default/other" } },
      both(NONE),
    ],
    [
      "that wait, where one belongs to another",
      {
        claim: claim(),
        storageClass: LATE,
        volumes: [volume("pv", "b", "10Gi", { claimRef: { namespace: "x", name: "y" } })],
      },
      both(NONE),
    ],
    [
      "that wait, where one is kept for them and another is smaller",
      {
        claim: claim(),
        storageClass: LATE,
        volumes: [
          volume("small", "a", "5Gi"),
          volume("kept", "b", "10Gi", { claimRef: { namespace: "default", name: "data" } }),
        ],
      },
      { a: NONE, b: "" },
    ],
    [
      "that wait, where one is of another class of attributes",
      {
        claim: claim({ volumeAttributesClassName: "gold" }),
        storageClass: LATE,
        volumes: [volume("plain", "a"), volume("gold", "b", "10Gi", { volumeAttributesClassName: "gold" })],
      },
      { a: NONE, b: "" },
    ],
    [
      "that wait, and select another than the one that is kept for them",
      {
        claim: claim({ selector: { matchLabels: { disk: "fast" } } }),
        storageClass: LATE,
        volumes: [volume("kept", "b", "10Gi", { claimRef: { namespace: "default", name: "data" } })],
      },
      { a: NONE, b: "" },
    ],
    ["that are made on demand", { claim: claim(), storageClass: { ...LATE, provisioner: "maker" } }, both("")],
    ["that are made where nothing is left", { ...MADE, capacities: [] }, both(FULL)],
    [
      "that are made where there is just enough",
      { ...MADE, capacities: [{ nodeTopology: IN_A, capacity: "5Gi" }] },
      { a: "", b: FULL },
    ],
    [
      "that are made where there is enough, but not in one piece",
      { ...MADE, capacities: [{ nodeTopology: {}, capacity: "50Gi", maximumVolumeSize: "4Gi" }] },
      both(FULL),
    ],
    [
      "that are made where nobody knows how much is left, or who can reach it",
      { ...MADE, capacities: [{ nodeTopology: {} }, { capacity: "50Gi" }] },
      both(FULL),
    ],
    [
      "that are made whatever is left, since they say no size",
      { ...MADE, claim: claim({ resources: {} }), capacities: [] },
      both(""),
    ],
    [
      "that are made in one zone only",
      {
        claim: claim(),
        storageClass: {
          ...LATE,
          provisioner: "maker",
          allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a"] }] }],
        },
      },
      { a: "", b: NONE },
    ],
    [
      "that are being made for a node",
      { claim: claim({}, { annotations: { selected: "b" } }), storageClass: { ...LATE, provisioner: "maker" } },
      { a: NONE, b: "" },
    ],
  ])("%s", (_what, parts, reasons) => {
    expect(reasonsByNode(pod(), testCluster(ZONES, {}, lookup(parts)))).toEqual(reasons);
  });

  it("are the smallest that will do", () => {
    const volumes = [volume("large", "a", "20Gi"), volume("small", "a", "6Gi"), volume("tiny", "a", "1Gi")];
    const cluster = testCluster(ZONES, {}, lookup({ claim: claim(), storageClass: LATE, volumes }));
    const plan = volumePlanFor(pod(), cluster.state.node("a")!, cluster.volumes);
    expect(plan?.bind.map(({ volume: { metadata } }) => metadata.name)).toEqual(["small"]);
  });

  it("may be one pod's alone", () => {
    const parts = {
      claim: claim({ accessModes: ["ReadWriteOncePod"], volumeName: "pv" }, BOUND),
      volumes: [volume("pv", undefined)],
    };
    const cluster = testCluster(ZONES, {}, lookup(parts));
    expect(reasonsByNode(pod(), cluster)).toEqual(both(""));
    cluster.state.place({ ...pod(), uid: "another" }, "a");
    expect(reasonsByNode(pod(), cluster)).toEqual(
      both(
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
      ),
    );
  });
});

function both(reason: string) {
  return { a: reason, b: reason };
}
