// The Pod Resources API: monitors of devices ask here which pod has which. Requirements: document 3, "Node-agent local
// files and sockets" (Pod Resources API socket).

import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { PreparedClaim } from "../dra/claim-checkpoint.ts";
import { GrpcError } from "../grpc/grpc-error.ts";
import { type AnsweredProcedure, answers } from "../grpc/grpc-server.ts";
import type { Allocation } from "./device-allocations.ts";
import type { Device } from "./device-messages.ts";
import {
  type ContainerClaim,
  type ContainerDevices,
  type ContainerMemory,
  type PodResources,
  podResourcesProcedures,
} from "./pod-resources-messages.ts";

/** Memory that a container has for itself, and the NUMA nodes that it is of. */
export interface MemoryPart {
  readonly type: string;
  readonly size: number;
  readonly numaAffinity: readonly number[];
}

interface PodResourcesSources {
  readonly pods: () => readonly Pod[];
  readonly allocationsOf: (podUid: string, container: string) => readonly Allocation[];
  /** Where a device is, as long as its plug-in tells of it. */
  readonly topologyOf: (resource: string, deviceId: string) => Device["topology"];
  /** By resource, those that containers may have. */
  readonly healthy: () => Iterable<readonly [resource: string, devices: readonly Device[]]>;
  /** The processors that a container has for itself. */
  readonly cpusOf: (podUid: string, container: string) => readonly number[];
  readonly allocatableCpus: () => readonly number[];
  /** The memory that a container has for itself. */
  readonly memoryOf: (podUid: string, container: string) => readonly MemoryPart[];
  readonly allocatableMemory: () => readonly MemoryPart[];
  /** What drivers have prepared for the claims of a container; nothing where that is not told. */
  readonly claimsOf: (pod: Pod, container: Container) => readonly PreparedClaim[];
  /** Whether pods that have ended are left out of the list. */
  readonly listsActiveOnly: boolean;
  readonly offersGet: boolean;
}

export function podResourcesAnswers(sources: PodResourcesSources): AnsweredProcedure[] {
  const { pods, healthy, allocatableCpus, allocatableMemory, listsActiveOnly, offersGet } = sources;
  const list = answers(podResourcesProcedures.list, () => {
    const listed = listsActiveOnly ? pods().filter((pod) => !hasEnded(pod)) : pods();
    return { podResources: listed.map((pod) => resourcesOf(pod, sources)) };
  });
  const allocatable = answers(podResourcesProcedures.allocatable, () => ({
    devices: [...healthy()].flatMap(([resourceName, devices]) => devices.map((each) => oneDevice(resourceName, each))),
    cpuIds: [...allocatableCpus()],
    memory: allocatableMemory().map(oneBlock),
  }));
  const get = answers(podResourcesProcedures.get, ({ podName, podNamespace }) => {
    const found = pods().find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace);
    if (found === undefined) throw new GrpcError("NotFound", "there is no such pod on this node");
    return { podResources: resourcesOf(found, sources) };
  });
  return offersGet ? [list, allocatable, get] : [list, allocatable];
}

/** Containers that run as long as the pod: those of its start have ended. */
function resourcesOf(pod: Pod, sources: PodResourcesSources): PodResources {
  const { allocationsOf, topologyOf, cpusOf, memoryOf, claimsOf } = sources;
  const { metadata, spec } = pod;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const { uid = "", name = "", namespace = "" } = metadata;
  return {
    name,
    namespace,
    containers: [...sidecars, ...(spec.containers ?? [])].map((container) => ({
      name: container.name,
      devices: allocationsOf(uid, container.name).flatMap(({ resource, deviceIds }) =>
        deviceIds.map((id) => oneDevice(resource, { id, topology: topologyOf(resource, id) })),
      ),
      cpuIds: [...cpusOf(uid, container.name)],
      memory: memoryOf(uid, container.name).map(oneBlock),
      dynamicResources: claimsOf(pod, container).map(oneClaim),
    })),
  };
}

/** One by one, since each has a place of its own in the machine. */
function oneDevice(resourceName: string, { id, topology }: Pick<Device, "id" | "topology">): ContainerDevices {
  return { resourceName, deviceIds: [id], ...(topology === undefined ? {} : { topology }) };
}

function oneBlock({ type, size, numaAffinity }: MemoryPart): ContainerMemory {
  return { memoryType: type, size, topology: { nodes: numaAffinity.map((id) => ({ id })) } };
}

function oneClaim({ name, namespace, drivers }: PreparedClaim): ContainerClaim {
  const claimResources = [...drivers].flatMap(([driverName, devices]) =>
    devices.map(({ poolName, deviceName, cdiDeviceIds }) => ({
      ...{ driverName, poolName, deviceName },
      cdiDevices: cdiDeviceIds.map((id) => ({ name: id })),
    })),
  );
  return { claimName: name, claimNamespace: namespace, claimResources };
}

function hasEnded({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}
