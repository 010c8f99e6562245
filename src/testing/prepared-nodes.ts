// Simulated nodes as they stand in a store when they have registered and controllers have seen to them. A build prepares them
// beside what control planes begin with; a control plane with nodes then writes nothing of its own.

import { type ApiServer, makesPreparedState } from "../apiserver/server.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { KEY_ROOT } from "../registry/catalog.ts";
import { type PreparedObject, type PreparedObjects, writePrepared } from "../registry/prepared-objects.ts";
import { simulatedNodeName } from "../simulated-nodes/simulated-node.ts";
import type { StorageEngine } from "../storage/engine.ts";

/** Further ones register as they start. */
export const PREPARED_NODES = 8;

/** Of a store in which nodes have registered, by their numbers: each itself, then what is there of it. */
export async function prepareNodes(engine: StorageEngine): Promise<Buffer> {
  const { entries } = await engine.list("");
  const nodes = Array.from({ length: PREPARED_NODES }, (_, index) => {
    const own = entries.filter(({ key }) => key.endsWith(`/${simulatedNodeName(index + 1)}`));
    const itself = own.filter(({ key }) => key.startsWith(NODES));
    return [...itself, ...own.filter((entry) => !itself.includes(entry))];
  });
  return writePrepared(nodes.flat().map(({ key, value }) => [key, value]));
}

/** Whether nodes would register, and controllers see to them, as they did when they were prepared. No gate changes that. */
export function registerAsPrepared(options: ApiServerOptions, gateEnabled: (gate: string) => boolean): boolean {
  const { enableAdmissionPlugins, disableAdmissionPlugins, authorizationMode, authorizationConfig } = options;
  return (
    makesPreparedState(options, gateEnabled) &&
    enableAdmissionPlugins.length + disableAdmissionPlugins.length + authorizationMode.length === 0 &&
    authorizationConfig === undefined
  );
}

interface NodeStore {
  readonly engine: StorageEngine;
  readonly server: Pick<ApiServer, "layMore">;
}

/**
 * Puts as many into the store as are wanted, prepared and not there yet, each as one of its own. A lease that a node of this
 * name has left is renewed by the node.
 */
export async function layNodes({ engine, server }: NodeStore, prepared: PreparedObjects, count: number): Promise<void> {
  for (const node of nodesOf(prepared).slice(0, count)) {
    if ((await engine.get(node[0]!.key)) === undefined) await server.layMore(node);
  }
}

function nodesOf(prepared: PreparedObjects): readonly (readonly PreparedObject[])[] {
  const nodes: PreparedObject[][] = [];
  for (const object of prepared.values()) {
    if (object.key.startsWith(NODES)) nodes.push([]);
    nodes.at(-1)!.push(object);
  }
  return nodes;
}

const NODES = `${KEY_ROOT}minions/`;
