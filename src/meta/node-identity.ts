// Which node a user is. Requirements: document 2, "Node authorizer".

import type { UserInfo } from "./user.ts";

export const NODES_GROUP = "system:nodes";
const NODE_USER_PREFIX = "system:node:";

/** The user name of the agent of a node. */
export const nodeUser = (node: string): string => NODE_USER_PREFIX + node;

/** The name of the node, empty when the user does not say it; undefined for everyone who is no node. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(NODE_USER_PREFIX) || !groups.includes(NODES_GROUP)) return undefined;
  return name.slice(NODE_USER_PREFIX.length);
}
