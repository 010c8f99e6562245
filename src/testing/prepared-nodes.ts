// Simulated nodes as they stand in a store when they have registered and controllers have seen to them. A build prepares them
// beside what control planes begin with; a control plane with nodes then writes nothing of its own.

import { type ApiServer, makesPreparedState } from "../apiserver/server.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { KEY_ROOT } from "../registry/catalog.ts";
import type { Prepared } from "../registry/first-state.ts";
import { simulatedNodeName } from "../simulated-nodes/simulated-node.ts";
import type { StorageEngine } from "../storage/engine.ts";

/** Further ones register as they start. */
export const PREPARED_NODES = 8;

/** What is in the store of a node, itself first. */
type PreparedNode = readonly Prepared[];

/** Of a store in which nodes have registered; by their numbers. */
export async function prepareNodes(engine: StorageEngine): Promise<string> {
  const { entries } = await engine.list("");
  const nodes = Array.from({ length: PREPARED_NODES }, (_, index): PreparedNode => {
    const own = entries.filter(({ key }) => key.endsWith(`/${simulatedNodeName(index + 1)}`));
    const itself = own.filter(({ key }) => key.startsWith(NODES));
    return [...itself, ...own.filter((entry) => !itself.includes(entry))].map(({ key, value }) => [
      key,
      Buffer.from(value).toString("utf8"),
    ]);
  });
  return JSON.stringify(nodes);
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
export async function layNodes({ engine, server }: NodeStore, prepared: string, count: number): Promise<void> {
  for (const node of (JSON.parse(prepared) as PreparedNode[]).slice(0, count)) {
    const [itself] = node;
    if (itself !== undefined && (await engine.get(itself[0])) === undefined) await server.layMore(node);
  }
}

const NODES = `${KEY_ROOT}minions/`;
