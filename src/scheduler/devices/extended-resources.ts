// Extended resources that drivers provide as devices: a class names the resource that its devices are. On nodes that do not
// have the resource otherwise, a pod that asks for it gets a claim of its own, one request for each container and resource.
// Pure.
//
//   class gpu: extendedResourceName example.com/gpu
//   pod p: container app, requests { cpu: 1, example.com/gpu: 2 }
//   -> request container-0-request-1: two devices of the class gpu

import type { DeviceRequest } from "../../kinds/resource/resource-claim-spec.ts";
import { parseQuantity, quantityToInteger } from "../../meta/quantity.ts";
import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";

/** As the status of the pod says which request of the claim is whose. */
export interface RequestMapping {
  readonly containerName: string;
  readonly resourceName: string;
  readonly requestName: string;
}

/** Classes by the name of the resource. */
type ClassesOfResources = ReadonlyMap<string, string>;

const NONE: ClassesOfResources = new Map();

/** Resources that the pod asks for and that a class stands for; none for nearly all pods. */
export function classesOfResources({ requests: { others } }: PodInfo, lookup: DeviceLookup): ClassesOfResources {
  if (others === undefined || !lookup.gates.DRAExtendedResource) return NONE;
  const classes = new Map<string, string>();
  for (const [resource, amount] of others) {
    const name = amount > 0 ? lookup.classOfResource(resource) : undefined;
    if (name !== undefined) classes.set(resource, name);
  }
  return classes;
}

/** Whether a resource comes from devices there: what the node says that it has, it has without them. */
export const comesFromDevices = (resource: string, classes: ClassesOfResources, { allocatable }: NodeInfo): boolean =>
  classes.has(resource) && allocatable.others?.has(resource) !== true;

interface ExtendedClaim {
  /** Nobody knows of it yet: its name and uid are no real ones. */
  readonly claim: DeviceClaim;
  readonly mappings: readonly RequestMapping[];
}

/** What the pod needs on the node; undefined when nothing. */
export function extendedClaimFor(pod: PodInfo, classes: ClassesOfResources, node: NodeInfo): ExtendedClaim | undefined {
  const requests: DeviceRequest[] = [];
  const mappings: RequestMapping[] = [];
  const { initContainers, containers } = pod.pod.spec;
  for (const [at, { name: containerName, resources }] of [...(initContainers ?? []), ...(containers ?? [])].entries()) {
    const asked: Readonly<Record<string, string>> = resources?.requests ?? {};
    for (const [index, resourceName] of Object.keys(asked).sort().entries()) {
      const count = amountOf(asked[resourceName]!);
      if (count === 0 || !comesFromDevices(resourceName, classes, node)) continue;
      const name = `container-${at}-request-${index}`;
      const deviceClassName = classes.get(resourceName)!;
      requests.push({ name, exactly: { deviceClassName, allocationMode: "ExactCount", count } });
      mappings.push({ containerName, resourceName, requestName: name });
    }
  }
  if (requests.length === 0) return undefined;
  const { namespace, uid } = pod;
  const claim: DeviceClaim = {
    metadata: { name: UNNAMED, namespace, uid: `${UNNAMED}${uid}`, resourceVersion: "", creationTimestamp: "" },
    spec: { devices: { requests } },
    status: {},
  };
  return { claim, mappings };
}

/** As upstream, no name that a claim could have. */
const UNNAMED = "<extended-resources>";

function amountOf(text: string): number {
  const quantity = parseQuantity(text);
  return quantity === undefined ? 0 : Number(quantityToInteger(quantity));
}
