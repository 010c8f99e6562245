import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { DeviceClass } from "../../kinds/resource/device-class.ts";
import { type LoosePod, reasonsByNode, testCluster, testPod } from "../scheduler.testing.ts";
import { schedulerGates } from "../scheduler-gates.ts";
import { classesOfResources, extendedClaimFor } from "./extended-resources.ts";

const GPU = "example.com/gpu";
const NIC = "example.com/nic";

const CLASSES = new Map([
  [GPU, "gpu"],
  [NIC, "nic"],
]);

const lookup = {
  classOfResource: (resource: string) => CLASSES.get(resource),
  deviceClass: (name: string) => ({ metadata: { name }, spec: {} }) as unknown as Stored<DeviceClass>,
};

/** Requests of the claim, and whose they are, on a node that has these resources. */
function claimed(spec: LoosePod["spec"], allocatable: Readonly<Record<string, string>> = {}) {
  const { state, devices } = testCluster([{ name: "n", allocatable }], {}, {}, lookup);
  const pod = testPod({ ...(spec === undefined ? {} : { spec }) });
  const found = extendedClaimFor(pod, classesOfResources(pod, devices), state.node("n")!);
  return found?.mappings.map(({ containerName, resourceName, requestName }) => {
    const request = found.claim.spec.devices?.requests?.find(({ name }) => name === requestName)?.exactly;
    return `${containerName} ${resourceName}: ${requestName} = ${request?.count} ${request?.deviceClassName}`;
  });
}

const container = (name: string, requests: Readonly<Record<string, string>>) => ({
  name,
  image: "i",
  resources: { requests },
});

describe("of extended resources that are devices of a class, a pod gets a claim", () => {
  it.each<[string, LoosePod["spec"], Readonly<Record<string, string>>, string[] | undefined]>([
    [
      "for what it asks for",
      { containers: [container("a", { cpu: "1", [GPU]: "2" })] },
      {},
      [`a ${GPU}: container-0-request-1 = 2 gpu`],
    ],
    [
      "for each container and resource, init containers first",
      {
        initContainers: [container("i", { [NIC]: "1" })],
        containers: [container("a", { [NIC]: "1", [GPU]: "1" }), container("b", { [GPU]: "3" })],
      },
      {},
      [
        `i ${NIC}: container-0-request-0 = 1 nic`,
        `a ${GPU}: container-1-request-0 = 1 gpu`,
        `a ${NIC}: container-1-request-1 = 1 nic`,
        `b ${GPU}: container-2-request-0 = 3 gpu`,
      ],
    ],
    [
      "but not for what the node has itself",
      { containers: [container("a", { [NIC]: "1", [GPU]: "1" })] },
      { [GPU]: "4" },
      [`a ${NIC}: container-0-request-1 = 1 nic`],
    ],
    ["none where the node has all", { containers: [container("a", { [GPU]: "1" })] }, { [GPU]: "4" }, undefined],
    ["none for resources of no class", { containers: [container("a", { "example.com/other": "1" })] }, {}, undefined],
    ["none for nothing", { containers: [container("a", { [GPU]: "0" })] }, {}, undefined],
  ])("%s", (_what, spec, allocatable, expected) => {
    expect(claimed(spec, allocatable)).toEqual(expected);
  });
});

it("without the gate such a resource is one that no node has", () => {
  const pod = testPod({ requests: { [GPU]: "1" } });
  const gates = schedulerGates((gate) => gate !== "DRAExtendedResource");
  expect(reasonsByNode(pod, testCluster([{ name: "n" }], {}, {}, { ...lookup, gates }))).toEqual({
    n: `Insufficient ${GPU}`,
  });
  expect(reasonsByNode(pod, testCluster([{ name: "n" }], {}, {}, lookup))).toEqual({
    n: "cannot allocate all claims",
  });
});
