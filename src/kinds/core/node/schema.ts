// The schema of Node.

import { configMapKeyProblems, dns1123LabelProblems, dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { reportMembers } from "../../meta/condition.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { taint } from "../pod/toleration.ts";

export type Node = ObjectOf<typeof nodeSchema>;

export const nodeSchema = objectSchema("core.v1.Node", "A machine that runs pods.", () => ({
  spec: opt.of(nodeSpec, 2, "What the node shall be."),
  status: opt.of(nodeStatus, 3, "What the node reports about itself."),
}));

const nodeSpec = s.struct("core.v1.NodeSpec", "What a node shall be.", () => ({
  podCIDR: opt.string(1, "Range from which pods of the node get addresses. The first of `podCIDRs`."),
  podCIDRs: opt.set(
    "string",
    7,
    "Ranges from which pods of the node get addresses, at most one per family of addresses.",
    { patchStrategy: ["merge"] },
  ),
  providerID: opt.string(3, "Identity of the machine with the cloud provider, as `<provider>://<provider's own id>`."),
  unschedulable: opt.boolean(4, "Whether new pods keep away from the node. Pods that run stay. Not set means no."),
  taints: opt.atomic(taint, 5, "Marks that keep pods away unless they tolerate them."),
  configSource: ptr.of(
    nodeConfigSource,
    6,
    "Where the node agent once read its configuration. No longer has any effect.",
  ),
  externalID: opt.string(2, "Replaced by `providerID`; kept for old clients."),
}));

export type NodeConfigSource = ObjectOf<typeof nodeConfigSource>;

export const nodeConfigSource = s.struct(
  "core.v1.NodeConfigSource",
  "Where a node agent once read its configuration; without effect.",
  () => ({
    configMap: ptr.of(configMapNodeConfigSource, 2, "A ConfigMap with the configuration."),
  }),
);

export const configMapNodeConfigSource = s.struct(
  "core.v1.ConfigMapNodeConfigSource",
  "A key of a ConfigMap with the configuration of a node agent; without effect.",
  () => ({
    namespace: s.string(1, "Namespace of the ConfigMap.", { must: { filled: true, form: dns1123LabelProblems } }),
    name: s.string(2, "Name of the ConfigMap.", { must: { filled: true, form: dns1123SubdomainProblems } }),
    uid: opt.named("types.UID", 3, "UID of the ConfigMap; only in the status, where it must be set."),
    resourceVersion: opt.string(4, "Version of the ConfigMap that was read; only in the status."),
    kubeletConfigKey: s.string(5, "Key whose value is the configuration.", {
      must: { filled: true, form: configMapKeyProblems },
    }),
  }),
);

const nodeStatus = s.struct("core.v1.NodeStatus", "What a node reports about itself.", () => ({
  capacity: opt.map("quantity", 1, "All that the machine has, by resource.", { alias: "ResourceList" }),
  allocatable: opt.map(
    "quantity",
    2,
    "What of it pods may use, by resource; the rest is kept for the system. Not set, equal to `capacity`.",
    { alias: "ResourceList" },
  ),
  phase: opt.enumOf("NodePhase", ["Pending", "Running", "Terminated"], 3, "No longer filled in; see `conditions`."),
  conditions: opt.listBy("type", nodeCondition, 4, "What is known of the node, such as `Ready` or `MemoryPressure`."),
  addresses: opt.listBy("type", nodeAddress, 5, "Names and addresses under which the node can be reached."),
  daemonEndpoints: opt.of(nodeDaemonEndpoints, 6, "Ports of the services that run on the node itself."),
  nodeInfo: opt.of(nodeSystemInfo, 7, "Versions and identities of the machine and its system."),
  images: opt.atomic(containerImage, 8, "Images that are on the node, the largest first and not always all of them."),
  volumesInUse: opt.atomic(
    "string",
    9,
    "Attachable volumes that pods of the node mount; they are not detached meanwhile.",
    { alias: "UniqueVolumeName" },
  ),
  volumesAttached: opt.atomic(attachedVolume, 10, "Volumes that are attached to the node."),
  config: ptr.of(
    nodeConfigStatus,
    11,
    "State of the configuration that the node agent was once given; no longer filled in.",
  ),
  runtimeHandlers: opt.atomic(nodeRuntimeHandler, 12, "Runtimes that the node offers, and what they can do.", {
    gate: "RecursiveReadOnlyMounts",
  }),
  features: ptr.of(nodeFeatures, 13, "What the node's container runtime can do apart from single handlers.", {
    gate: "SupplementalGroupsPolicy",
  }),
}));

const nodeCondition = s.struct("core.v1.NodeCondition", "One aspect of the state of a node.", () =>
  reportMembers(
    "NodeConditionType",
    "What is told: `Ready`, `MemoryPressure`, `DiskPressure`, `PIDPressure`, `NetworkUnavailable` or another.",
    4,
    { lastHeartbeatTime: shown.time(3, "When the node last reported this condition.") },
  ),
);

export const nodeAddress = s.struct("core.v1.NodeAddress", "A name or address of a node.", () => ({
  type: s.named("NodeAddressType", 1, "`Hostname`, `InternalIP`, `ExternalIP`, `InternalDNS` or `ExternalDNS`."),
  address: s.string(2, "The name or address."),
}));

const nodeDaemonEndpoints = s.struct(
  "core.v1.NodeDaemonEndpoints",
  "Ports of the services that run on a node itself.",
  () => ({
    kubeletEndpoint: opt.of(daemonEndpoint, 1, "Port of the node agent; logs and commands go there."),
  }),
);

const daemonEndpoint = s.struct("core.v1.DaemonEndpoint", "The port of one service on a node.", () => ({
  Port: s.int32(1, "The port."),
}));

const nodeSystemInfo = s.struct(
  "core.v1.NodeSystemInfo",
  "Versions and identities of a machine and its system.",
  () => ({
    machineID: s.string(1, "Identity of the machine as its system knows it, from `/etc/machine-id`."),
    systemUUID: s.string(2, "Identity of the machine as its firmware knows it."),
    bootID: s.string(3, "Changes each time the machine starts."),
    kernelVersion: s.string(4, "Version of the kernel, as `uname -r` says it."),
    osImage: s.string(5, "Name and version of the operating system, for people."),
    containerRuntimeVersion: s.string(6, "Name and version of the container runtime, such as `containerd://2.1.0`."),
    kubeletVersion: s.string(7, "Version of the node agent."),
    kubeProxyVersion: s.string(8, "Was the version of the service proxy. Not to be relied on."),
    operatingSystem: s.string(9, "`linux` or `windows`."),
    architecture: s.string(10, "Processor architecture, such as `amd64` or `arm64`."),
    swap: ptr.of(nodeSwapStatus, 11, "Swap space of the machine."),
  }),
);

const nodeSwapStatus = s.struct("core.v1.NodeSwapStatus", "Swap space of a machine.", () => ({
  capacity: ptr.int64(1, "Total in bytes."),
}));

const containerImage = s.struct("core.v1.ContainerImage", "An image that is on a node.", () => ({
  names: shown.atomic("string", 1, "Names under which the image is known, with tag or digest."),
  sizeBytes: opt.int64(2, "Size in bytes."),
}));

const attachedVolume = s.struct("core.v1.AttachedVolume", "A volume that is attached to a node.", () => ({
  name: s.named("UniqueVolumeName", 1, "Name of the volume."),
  devicePath: s.string(2, "Where on the node its device is."),
}));

const nodeConfigStatus = s.struct(
  "core.v1.NodeConfigStatus",
  "State of the configuration that a node agent was once given; no longer filled in.",
  () => ({
    assigned: ptr.of(nodeConfigSource, 1, "Configuration that the node agent will try to use."),
    active: ptr.of(nodeConfigSource, 2, "Configuration that the node agent uses."),
    lastKnownGood: ptr.of(
      nodeConfigSource,
      3,
      "Configuration to which the node agent returns when the assigned one does not work.",
    ),
    error: opt.string(4, "Why the assigned configuration is not in use."),
  }),
);

const nodeRuntimeHandler = s.struct("core.v1.NodeRuntimeHandler", "A runtime that a node offers.", () => ({
  name: shown.string(1, "Name of the handler; empty for the default one."),
  features: ptr.of(nodeRuntimeHandlerFeatures, 2, "What this handler can do."),
}));

const nodeRuntimeHandlerFeatures = s.struct(
  "core.v1.NodeRuntimeHandlerFeatures",
  "What a runtime handler can do.",
  () => ({
    recursiveReadOnlyMounts: ptr.boolean(1, "Whether it can make mounts inside a volume read-only.", {
      gate: "RecursiveReadOnlyMounts",
    }),
    userNamespaces: ptr.boolean(2, "Whether it can give pods users of their own.", { gate: "UserNamespacesSupport" }),
  }),
);

const nodeFeatures = s.struct("core.v1.NodeFeatures", "What the container runtime of a node can do.", () => ({
  supplementalGroupsPolicy: ptr.boolean(1, "Whether pods may choose how supplementary groups are found."),
}));
