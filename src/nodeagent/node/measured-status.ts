// The status of the Node from what was measured of machine and runtime. Pure.
// Requirements: document 3, "Node status fields".

import type { Node } from "../../kinds/core/node.ts";
import type { Names } from "../../meta/names.ts";
import { addQuantities, formatQuantity, parseQuantity } from "../../meta/quantity.ts";
import { VERSION_INFO } from "../../meta/version.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import type { NodeContribution } from "../context.ts";
import type { Image } from "../cri/image-messages.ts";
import type { RuntimeHandler, RuntimeStatus } from "../cri/runtime-messages.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { RECURSIVE_READ_ONLY_KERNEL } from "../kernel/requirements.ts";
import { internalIps, nodeAddresses } from "./addresses.ts";
import { nodeConditions, type Pressure } from "./conditions.ts";
import type { MachineFacts } from "./machine.ts";
import type { MeasuredStatus } from "./node-status.ts";
import { nodeResources, type ResourceList } from "./resources.ts";

interface StatusFacts {
  readonly machine: MachineFacts;
  readonly names: Pick<Names, "hostnameAddress">;
  readonly hostname: string;
  readonly nodeIps: readonly string[];
  readonly port: number;
  readonly config: NodeAgentConfiguration;
  /** Whether the version of the service proxy is told. */
  readonly tellsProxyVersion: boolean;
  readonly runtime: {
    readonly name: string;
    readonly version: string;
    readonly handlers: readonly RuntimeHandler[];
    readonly features: RuntimeStatus["features"];
    readonly networkProblem: string | undefined;
  };
  /** Undefined when the runtime does not tell. */
  readonly images: readonly Image[] | undefined;
  readonly pressures: ReadonlySet<Pressure>;
  readonly problems: readonly string[];
  readonly contributions: readonly NodeContribution[];
}

/** Longer lists of names than this are cut: an image may have hundreds. */
const MAX_NAMES_PER_IMAGE = 5;

export function measuredStatus(facts: StatusFacts): MeasuredStatus {
  const { machine, config, runtime, contributions, images } = facts;
  const own = nodeResources(machine, config);
  const inUse = contributions.map((each) => each.volumesInUse ?? []);
  return {
    addresses: nodeAddresses(facts.names, facts.hostname, internalIps(facts.hostname, facts.nodeIps, machine)),
    capacity: together([own.capacity, ...contributions.map((each) => each.capacity ?? {})]),
    allocatable: together([own.allocatable, ...contributions.map((each) => each.allocatable ?? {})]),
    conditions: nodeConditions({ ...facts, networkProblem: runtime.networkProblem }),
    daemonEndpoints: { kubeletEndpoint: { Port: facts.port } },
    nodeInfo: nodeInfo(facts),
    ...(inUse.includes("unknown") ? {} : { volumesInUse: inUse.flat().sort() }),
    ...(images === undefined ? {} : { images: nodeImages(images, config.nodeStatusMaxImages) }),
    ...(runtime.handlers.length === 0
      ? {}
      : { runtimeHandlers: runtime.handlers.map((each) => runtimeHandler(each, machine)) }),
    ...(runtime.features === undefined
      ? {}
      : { features: { supplementalGroupsPolicy: runtime.features.supplementalGroupsPolicy } }),
  };
}

function nodeInfo({ machine, runtime, tellsProxyVersion }: StatusFacts): Node["status"]["nodeInfo"] {
  return {
    machineID: machine.machineId,
    systemUUID: machine.systemUuid,
    bootID: machine.bootId,
    kernelVersion: machine.kernelVersion,
    osImage: machine.osImage,
    containerRuntimeVersion: runtime.name === "" ? "" : `${runtime.name}://${runtime.version}`,
    kubeletVersion: VERSION_INFO.gitVersion,
    kubeProxyVersion: tellsProxyVersion ? VERSION_INFO.gitVersion : "",
    operatingSystem: "linux",
    architecture: machine.architecture,
    ...(machine.swapBytes > 0 ? { swap: { capacity: machine.swapBytes } } : {}),
  };
}

function nodeImages(images: readonly Image[], most: number): NonNullable<Node["status"]["images"]> {
  const bySize = images.toSorted((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1));
  return (most < 0 ? bySize : bySize.slice(0, most)).map(({ repoDigests, repoTags, size }) => ({
    names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES_PER_IMAGE),
    sizeBytes: size,
  }));
}

/** What a handler can do is also a matter of the kernel. */
function runtimeHandler({ name, features }: RuntimeHandler, { kernelVersion }: MachineFacts) {
  const { recursiveReadOnlyMounts = false, userNamespaces = false } = features ?? {};
  const canMount = kernelAtLeast(kernelVersion, RECURSIVE_READ_ONLY_KERNEL);
  return { name, features: { recursiveReadOnlyMounts: recursiveReadOnlyMounts && canMount, userNamespaces } };
}

function together(lists: readonly ResourceList[]): Record<string, string> {
  const sums = new Map<string, string>();
  for (const list of lists) {
    for (const [name, text] of Object.entries(list)) {
      const [before, more] = [parseQuantity(sums.get(name) ?? "0"), parseQuantity(text)];
      if (before !== undefined && more !== undefined)
        sums.set(name, formatQuantity(sums.has(name) ? addQuantities(before, more) : more));
    }
  }
  return Object.fromEntries(sums);
}
