// What the kinds of storage must say: one row per rule.

import { describe, expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import type { Steps } from "../../base/steps.ts";
import type { FieldError } from "../../meta/field-error.ts";
import { context, created } from "../complete.testing.ts";
import type { Draft, Kind } from "../define-kind.ts";
import { createErrors, createWarnings, updateErrors } from "../validation.testing.ts";
import { csiDriver } from "./csi-driver.ts";
import { csiNode } from "./csi-node.ts";
import { csiStorageCapacity } from "./csi-storage-capacity.ts";
import { storageClass } from "./storage-class.ts";
import { volumeAttachment } from "./volume-attachment.ts";
import { volumeAttributesClass } from "./volume-attributes-class.ts";

const errorsOf = <T>(kind: Kind<T>, body: object): string[] =>
  createErrors(kind, { metadata: { name: "a" }, ...body } as unknown as Draft<T>);
const changesOf = <T>(kind: Kind<T>, body: object, old: object): string[] =>
  updateErrors(
    kind,
    { metadata: { name: "a" }, ...body } as unknown as Draft<T>,
    { metadata: { name: "a" }, ...old } as unknown as Draft<T>,
    undefined,
    { ...context, gateEnabled: () => false },
  );

describe("a storage class", () => {
  it.each([
    [{ provisioner: "a.test/x" }, []],
    [{ provisioner: "" }, ["provisioner: Required value"]],
    [
      { provisioner: "a.test", reclaimPolicy: "Recycle" },
      ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
    ],
    [
      { provisioner: "a.test", allowedTopologies: [{ matchLabelExpressions: [{ key: "a", values: ["x", "x"] }] }] },
      ['allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "x"'],
    ],
    [
      { provisioner: "a.test", allowedTopologies: [{ matchLabelExpressions: [{ key: "a", values: ["x"] }] }, {}] },
      Array(2).fill('allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'),
    ],
    [
      { provisioner: "a.test", allowedTopologies: [{}, {}] },
      [
        ...Array(2).fill('allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'),
        ...Array(3).fill('allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'),
      ],
    ],
    [{ provisioner: "a.test", parameters: { "": "x" } }, ['parameters: Invalid value: "": field can not be empty.']],
  ])("%j", (body, errors) => {
    expect(errorsOf(storageClass, body)).toEqual(errors);
  });

  it("says of very many equal terms hardly more than once that they are", () => {
    const allowedTopologies = Array.from({ length: 10_000 }, () => ({}));
    const { length } = errorsOf(storageClass, { provisioner: "a.test", allowedTopologies });
    expect(length).toBeGreaterThanOrEqual(10_000);
    expect(length).toBeLessThan(12_000);
  });

  it("keeps its provisioner and its binding mode", () => {
    const next = { provisioner: "b.test", volumeBindingMode: "WaitForFirstConsumer" };
    expect(changesOf(storageClass, next, { provisioner: "a.test" })).toEqual([
      "provisioner: Forbidden: updates to provisioner are forbidden.",
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ]);
  });
});

describe("a volume attachment", () => {
  const spec = { attacher: "a.test", nodeName: "n", source: { persistentVolumeName: "pv" } };
  const onlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  const inline = (fields: object) => ({
    spec: { ...spec, source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], ...fields } } },
  });

  it.each([
    [{ spec }, []],
    [{ spec: { ...spec, source: {} } }, [`spec.source: Required value: ${onlyOne}`]],
    [
      { spec: { ...spec, attacher: "" } },
      [
        "spec.attacher: Required value",
        "spec.attacher: Required value",
        expect.stringMatching(/^spec.attacher: Invalid/),
      ],
    ],
    [
      { spec: { ...spec, source: { inlineVolumeSpec: { csi: { driver: "d", volumeHandle: "h" } } } } },
      ["spec.source.inlineVolumeSpec.accessModes: Required value"],
    ],
    [
      {
        spec: {
          ...spec,
          source: {
            inlineVolumeSpec: {
              accessModes: ["ReadWriteOnce"],
              nodeAffinity: {},
              volumeAttributesClassName: "A_b",
              csi: { driver: "d", volumeHandle: "h" },
            },
          },
        },
      },
      ["spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes"],
    ],
    [
      inline({ csi: { driver: "d", volumeHandle: "h" }, local: { path: "/a" } }),
      [
        "spec.source.inlineVolumeSpec.csi: Forbidden: may not specify more than 1 volume type",
        "spec.source.inlineVolumeSpec.nodeAffinity: Required value: Local volume requires node affinity",
      ],
    ],
    [
      inline({
        csi: { driver: "d", volumeHandle: "h" },
        hostPath: { path: "/" },
        persistentVolumeReclaimPolicy: "Recycle",
      }),
      [
        "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes",
        "spec.source.inlineVolumeSpec.csi: Forbidden: may not specify more than 1 volume type",
        "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
      ],
    ],
  ])("%j", (body, errors) => {
    expect(errorsOf(volumeAttachment, body)).toEqual(errors);
  });

  it("stays where it is", () => {
    expect(changesOf(volumeAttachment, { spec: { ...spec, nodeName: "x" } }, { spec })).toEqual([
      'spec: Invalid value: {"Attacher":"a.test","Source":{"PersistentVolumeName":"pv","InlineVolumeSpec":null},"NodeName":"x"}: field is immutable',
    ]);
  });
});

describe("drivers and their nodes", () => {
  it.each([
    [
      { spec: { volumeLifecycleModes: ["X"] } },
      ['spec.volumeLifecycleModes: Unsupported value: "X": supported values: "Persistent", "Ephemeral"'],
    ],
    [
      {
        spec: {
          tokenRequests: [
            { audience: "", expirationSeconds: 5 },
            { audience: "", expirationSeconds: 5 },
          ],
        },
      },
      [
        "spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes",
        'spec.tokenRequests[1].audience: Duplicate value: ""',
      ],
    ],
  ])("a driver with %j", (body, errors) => {
    expect(errorsOf(csiDriver, body)).toEqual(errors);
  });

  it("a driver that has registered on a node does not change", () => {
    const node = (nodeID: string) => ({ spec: { drivers: [{ name: "a.test", nodeID }] } });
    expect(changesOf(csiNode, node("b"), node("a"))).toEqual([
      'spec.drivers: Invalid value: {"Name":"a.test","NodeID":"b","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ]);
    expect(errorsOf(csiNode, { spec: { drivers: [{ name: "a.test", nodeID: "" }] } })).toEqual([
      "spec.drivers[0].nodeID: Required value",
    ]);
  });

  it("a capacity is not negative and stays with its class", () => {
    expect(errorsOf(csiStorageCapacity, { storageClassName: "a", capacity: "-1" })).toEqual([
      'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ]);
    expect(changesOf(csiStorageCapacity, { storageClassName: "b" }, { storageClassName: "a" })).toEqual([
      'storageClassName: Invalid value: "b": field is immutable',
    ]);
  });
});

describe("a class of volume attributes", () => {
  it("has parameters, and keeps them", () => {
    expect(errorsOf(volumeAttributesClass, { driverName: "a.test" })).toEqual([
      "parameters: Required value: must contain at least one key/value pair",
    ]);
    const old = { driverName: "a.test", parameters: { a: "1" } };
    expect(changesOf(volumeAttributesClass, { ...old, parameters: { a: "2" } }, old)).toEqual([
      "parameters: Forbidden: updates to parameters are forbidden.",
    ]);
  });
});

it("labels of nodes that are going away are named", () => {
  const key = "beta.kubernetes.io/arch";
  const advice = 'deprecated since v1.14; use "kubernetes.io/arch" instead';
  const metadata = { name: "a" };
  const expressions = [{ key, values: ["x"] }];
  expect(
    createWarnings(storageClass, {
      metadata,
      provisioner: "a.test",
      allowedTopologies: [{ matchLabelExpressions: expressions }],
    }),
  ).toEqual([`allowedTopologies[0].matchLabelExpressions[0].key: ${advice}`]);
  const nodeTopology = { matchExpressions: [{ key, operator: "Exists" }], matchLabels: { [key]: "x" } };
  expect(createWarnings(csiStorageCapacity, { metadata, storageClassName: "c", nodeTopology })).toEqual([
    `nodeTopology.matchExpressions[0].key: ${key} is ${advice}`,
    `nodeTopology.matchLabels.${key}: ${advice}`,
  ]);
});

it.each([
  ["topologies", Array.from({ length: 1_000 }, (_, index) => ({ matchLabelExpressions: [term(index)] }))],
  ["expressions of one", [{ matchLabelExpressions: Array.from({ length: 1_000 }, (_, index) => term(index)) }]],
])("many %s of a class are judged in steps", (_, allowedTopologies) => {
  const draft = { metadata: { name: "a" }, provisioner: "a.test", allowedTopologies };
  const work = storageClass.hooks!.validate!(created(storageClass, draft), context) as Steps<FieldError[]>;
  const { result, steps } = counted(work);
  expect(result).toEqual([]);
  expect(steps).toBeGreaterThan(8);
});

function term(index: number) {
  return { key: `a${index}`, values: ["v"] };
}
