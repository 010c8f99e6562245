// Node: a machine that runs pods.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { nodeAddressCell, nodeRolesCell, nodeStatusCell } from "../cells/nodes.ts";
import { rowFields } from "../cells/row-fields.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { type Node, nodeSchema } from "./node/schema.ts";
import { validateNode, validateNodeUpdate, warnNode } from "./node/validation.ts";
import { roundResourceList } from "./resource-list.ts";

export type { Node } from "./node/schema.ts";

export const node = defineKind({
  group: "",
  version: "v1",
  kind: "Node",
  resource: "nodes",
  scope: "Cluster",
  shortNames: ["no"],
  schema: nodeSchema,
  storagePrefix: "minions",
  unconditionalUpdate: true,
  rowFields: rowFields(
    "metadata.labels",
    "spec.unschedulable",
    "status.conditions.type",
    "status.conditions.status",
    "status.nodeInfo",
    "status.addresses",
  ),
  columns: [
    NAME_COLUMN,
    { name: "Status", type: "string", cell: nodeStatusCell },
    { name: "Roles", type: "string", cell: nodeRolesCell },
    AGE_COLUMN,
    { name: "Version", type: "string", cell: (node) => node.status.nodeInfo.kubeletVersion },
    { name: "Internal-IP", type: "string", priority: 1, cell: (node) => nodeAddressCell(node, "InternalIP") },
    { name: "External-IP", type: "string", priority: 1, cell: (node) => nodeAddressCell(node, "ExternalIP") },
    { name: "OS-Image", type: "string", priority: 1, cell: (node) => node.status.nodeInfo.osImage || "<unknown>" },
    {
      name: "Kernel-Version",
      type: "string",
      priority: 1,
      cell: (node) => node.status.nodeInfo.kernelVersion || "<unknown>",
    },
    {
      name: "Container-Runtime",
      type: "string",
      priority: 1,
      cell: (node) => node.status.nodeInfo.containerRuntimeVersion || "<unknown>",
    },
  ],
  selectableFields: { "spec.unschedulable": (node) => String(node.spec.unschedulable ?? false) },
  subresources: {
    status: { ...statusSubresource<Node>({}, keepNodeConfig), validateUpdate: validateNodeUpdate },
    proxy: {
      type: "special",
      verbs: ["create", "delete", "get", "patch", "update"],
      body: { group: "", version: "v1", kind: "NodeProxyOptions" },
    },
  },
  hooks: {
    default({ spec, status }) {
      mirrorPodCidr(spec);
      roundResourceList(status.capacity);
      roundResourceList(status.allocatable);
      if (status.allocatable === undefined && status.capacity !== undefined)
        status.allocatable = { ...status.capacity };
    },
    prepareForCreate(node) {
      delete node.spec.configSource;
      delete node.status.config;
    },
    prepareForUpdate(node, old) {
      keepStatus(node, old);
      if (old.spec.configSource === undefined) delete node.spec.configSource;
    },
    validate: validateNode,
    validateUpdate: (node, old, context) => [...validateNode(node, context), ...validateNodeUpdate(node, old, context)],
    warn: warnNode,
  },
});

// Upstream has removed the configuration by the control plane; what is stored of it may stay.
function keepNodeConfig(node: Node, old: Node): void {
  if (old.status.config === undefined) delete node.status.config;
}

// The first of several ranges also stands alone, for old clients.
function mirrorPodCidr(spec: Node["spec"]): void {
  const first = spec.podCIDRs?.[0];
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (!spec.podCIDR && first) spec.podCIDR = first;
}
