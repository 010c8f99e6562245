// What nodes, volumes and claims must say: one row per rule.

import { describe, expect, it } from "vitest";
import type { Draft, Kind } from "../define-kind.ts";
import { createErrors, createWarnings, updateErrors } from "../validation.testing.ts";
import { node } from "./node.ts";
import { persistentVolume } from "./persistent-volume.ts";
import { persistentVolumeClaim } from "./persistent-volume-claim.ts";

const draft = <T>(body: object) => ({ metadata: { name: "a", namespace: "n" }, ...body }) as unknown as Draft<T>;
const errorsOf = <T>(kind: Kind<T>, body: object) => createErrors(kind, draft<T>(body));
const changesOf = <T>(kind: Kind<T>, body: object, old: object) => updateErrors(kind, draft<T>(body), draft<T>(old));

describe("a node", () => {
  it.each([
    [{ taints: [{ key: "a", effect: "NoSchedule" }] }, []],
    [{ taints: [{ key: "a" }] }, ["metadata.taints[0].effect: Required value"]],
    [
      {
        taints: [
          { key: "a", effect: "NoExecute" },
          { key: "a", effect: "NoExecute" },
        ],
      },
      [
        'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ],
    [
      { podCIDRs: ["1.0.0.0/8", "2.0.0.0/8"] },
      ['spec.podCIDRs: Invalid value: ["1.0.0.0/8","2.0.0.0/8"]: may specify no more than one CIDR for each IP family'],
    ],
    [
      { podCIDRs: ["1.0.0.0/8", "x"] },
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        "spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)",
        'spec.podCIDRs: Invalid value: ["1.0.0.0/8","x"]: may specify no more than one CIDR for each IP family',
      ],
    ],
  ])("%j", (spec, errors) => {
    expect(errorsOf(node, { spec })).toEqual(errors);
  });

  it("keeps its ranges and its provider", () => {
    const old = { spec: { podCIDR: "1.0.0.0/8", providerID: "p" } };
    expect(changesOf(node, { spec: { podCIDR: "2.0.0.0/8", providerID: "q" } }, old)).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]);
  });

  it("warns about ranges that can be read in two ways", () => {
    expect(createWarnings(node, draft({ spec: { podCIDRs: ["10.1.0.1/24"] } }))).toHaveLength(1);
  });
});

describe("a volume", () => {
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } };
  const { hostPath: _hostPath, ...nowhere } = spec;

  it.each([
    [spec, []],
    [
      { ...spec, capacity: { storage: "-1" } },
      [
        "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
        'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
      ],
    ],
    [{ ...spec, nfs: { server: "s", path: "/p" } }, ["spec.nfs: Forbidden: may not specify more than 1 volume type"]],
    [nowhere, ["spec: Required value: must specify a volume type"]],
    [{ ...nowhere, local: { path: "/x" } }, ["spec.nodeAffinity: Required value: Local volume requires node affinity"]],
    [
      { ...spec, persistentVolumeReclaimPolicy: "Recycle", hostPath: { path: "/" } },
      ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    ],
    [
      { ...nowhere, cinder: { volumeID: "v", secretRef: {} } },
      ["spec.cinder.secretRef.name: Required value", "spec.cinder.secretRef.namespace: Required value"],
    ],
    [{ ...nowhere, csi: { driver: "d", volumeHandle: "" } }, ["spec.csi.volumeHandle: Required value"]],
  ])("%j", (body, errors) => {
    expect(errorsOf(persistentVolume, { spec: body })).toEqual(errors);
  });

  it("stays in its place", () => {
    const errors = changesOf(persistentVolume, { spec: { ...spec, hostPath: { path: "/b" } } }, { spec });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^spec\.persistentvolumesource: Forbidden: .* is immutable after creation\n@@/);
  });

  it("takes the new names of labels", () => {
    const at = (key: string) => ({
      spec: {
        ...spec,
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: ["z"] }] }] },
        },
      },
    });
    const [beta, stable] = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"];
    expect(changesOf(persistentVolume, at(stable), at(beta))).toEqual([]);
    expect(changesOf(persistentVolume, at(beta), at(stable))).toHaveLength(1);
  });
});

describe("a claim", () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const larger = { ...spec, resources: { requests: { storage: "2Gi" } } };
  const bound = { status: { phase: "Bound", capacity: { storage: "1Gi" } } };

  it("asks for a way of access and an amount", () => {
    expect(errorsOf(persistentVolumeClaim, { spec: {} })).toEqual([
      "spec.accessModes: Required value: at least 1 access mode is required",
      "spec.resources[storage]: Required value",
    ]);
  });

  it("grows once it is bound, and never below what it has", () => {
    expect(changesOf(persistentVolumeClaim, { spec: larger }, { spec })[0]).toMatch(
      /^spec: Forbidden: spec is immutable/,
    );
    expect(changesOf(persistentVolumeClaim, { spec: larger, ...bound }, { spec, ...bound })).toEqual([]);
    expect(changesOf(persistentVolumeClaim, { spec, ...bound }, { spec: larger, ...bound })).toEqual([
      "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
    ]);
  });

  it("hears of the group of its source at first, and later only that it cannot change", () => {
    const from = (apiGroup: string) => {
      const source = { apiGroup, kind: "Snapshot", name: "s" };
      return { spec: { ...spec, dataSource: source, dataSourceRef: source } };
    };
    expect(errorsOf(persistentVolumeClaim, from("A_b"))[0]).toMatch(
      /^spec\.dataSource\.apiGroup: Invalid value: "A_b"/,
    );
    const changes = changesOf(persistentVolumeClaim, from("A_b"), from("a.b"));
    expect(changes).toEqual([expect.stringMatching(/^spec: Forbidden: spec is immutable/)]);
  });

  it("is bound to one volume", () => {
    const to = (volumeName: string) => ({ spec: { ...spec, volumeName } });
    expect(changesOf(persistentVolumeClaim, to("a"), { spec })).toEqual([]);
    expect(changesOf(persistentVolumeClaim, to("b"), to("a"))).toHaveLength(1);
  });
});
