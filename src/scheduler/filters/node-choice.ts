// Filters: the node that the pod names, the nodes that its selector and affinity allow, and host ports. Pure.

import type { NodeMatcher } from "../../kinds/core/node-matcher.ts";
import { type Filter, refusal } from "./filter.ts";

const OTHER_NODE = refusal("NodeName", "node(s) didn't match the requested node name");

export const nodeName: Filter = ({ pod }) => {
  const wanted = pod.spec.nodeName ?? "";
  return wanted === "" ? undefined : ({ name }) => (name === wanted ? undefined : OTHER_NODE);
};

const NOT_SELECTED = refusal("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");

export const nodeAffinity: Filter = ({ nodes }) =>
  nodes === undefined ? undefined : (node) => (nodes.matches(node) ? undefined : NOT_SELECTED);

const NOT_ENFORCED = refusal("NodeAffinity", "node(s) didn't match scheduler-enforced node affinity");

/** The same with what a profile wants of all its pods. */
export function addedNodeAffinity(added: NodeMatcher): Filter {
  return ({ nodes }) =>
    (node) => {
      if (!added.matches(node)) return NOT_ENFORCED;
      return nodes === undefined || nodes.matches(node) ? undefined : NOT_SELECTED;
    };
}

const PORT_TAKEN = refusal("NodePorts", "node(s) didn't have free ports for the requested pod ports", true);

export const nodePorts: Filter = ({ ports }) =>
  ports.length === 0 ? undefined : (node) => (node.hasPortConflict(ports) ? PORT_TAKEN : undefined);
