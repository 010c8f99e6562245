import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { podField, resourceField } from "./pod-facts.ts";

const POD = {
  metadata: {
    name: "p",
    namespace: "n",
    uid: "u",
    labels: { b: "2", a: 'say "x"' },
    annotations: { "example.com/k": "v" },
  },
  spec: {
    nodeName: "node",
    serviceAccountName: "account",
    containers: [{ name: "c", resources: { limits: { cpu: "1500m", memory: "1Gi" }, requests: { cpu: "250m" } } }],
    initContainers: [{ name: "i", resources: {} }],
  },
  status: {},
} as unknown as Pod;
const ADDRESSES = { hostIPs: ["192.0.2.1", "2001:db8::1"], podIPs: ["10.0.0.1", "fd00::1"] };
const ALLOCATABLE = { cpu: "4", memory: "8Gi" };

describe("fields of the pod", () => {
  it.each([
    ["metadata.name", "p"],
    ["metadata.namespace", "n"],
    ["metadata.uid", "u"],
    ["metadata.labels", 'a="say \\"x\\""\nb="2"'],
    ["metadata.annotations", 'example.com/k="v"'],
    ["metadata.labels['b']", "2"],
    ["metadata.labels['absent']", ""],
    ["metadata.labels['__proto__']", ""],
    ["metadata.annotations['example.com/k']", "v"],
    ["spec.nodeName", "node"],
    ["spec.serviceAccountName", "account"],
    ["status.hostIP", "192.0.2.1"],
    ["status.hostIPs", "192.0.2.1,2001:db8::1"],
    ["status.podIP", "10.0.0.1"],
    ["status.podIPs", "10.0.0.1,fd00::1"],
  ])("%s is %j", (path, value) => {
    expect(podField(POD, path, ADDRESSES)).toBe(value);
  });

  it("that do not exist are an error", () => {
    expect(() => podField(POD, "spec.volumes", ADDRESSES)).toThrow("unsupported fieldPath: spec.volumes");
  });
});

describe("requests and limits", () => {
  const own = POD.spec.containers![0]!;

  it.each([
    ["limits.cpu", "0", "2"],
    ["limits.cpu", "1m", "1500"],
    ["requests.cpu", "0", "1"],
    ["requests.cpu", "1m", "250"],
    ["limits.memory", "1Mi", "1024"],
    ["limits.memory", "1Gi", "1"],
    // A request that is not set is the limit.
    ["requests.memory", "1", "1073741824"],
    ["requests.ephemeral-storage", "0", "0"],
  ])("%s in units of %s is %s", (resource, divisor, value) => {
    expect(resourceField(POD, own, { resource, divisor }, ALLOCATABLE)).toBe(value);
  });

  it("are what the node has where a container has no limit", () => {
    const selector = { containerName: "i", resource: "limits.memory", divisor: "1Gi" };
    expect(resourceField(POD, undefined, selector, ALLOCATABLE)).toBe("8");
  });

  it("of unknown containers and resources are an error", () => {
    expect(() => resourceField(POD, own, { containerName: "x", resource: "limits.cpu", divisor: "0" }, {})).toThrow(
      "container x not found",
    );
    expect(() => resourceField(POD, own, { resource: "limits.pods", divisor: "0" }, {})).toThrow("limits.pods");
  });
});
