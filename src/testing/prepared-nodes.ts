// Simulated nodes as they stand in a store when they have registered and controllers have seen to them. A build prepares them
// beside what control planes begin with; a control plane with nodes then writes nothing of its own.

import type { Clock } from "../base/clock.ts";
import { timeOfMs } from "../meta/time.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { KEY_ROOT } from "../registry/catalog.ts";
import { inOwnTime } from "../registry/first-state.ts";
import { newUid } from "../registry/write.ts";
import { simulatedNodeName } from "../simulated-nodes/simulated-node.ts";
import type { StorageEngine } from "../storage/engine.ts";
import { isStorageError } from "../storage/storage-error.ts";

/** Further ones register as they start. */
export const PREPARED_NODES = 8;

/** Key and value. */
type Prepared = readonly [key: string, text: string];

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

/** Whether nodes would register, and controllers see to them, as they did when they were prepared. */
export function registerAsPrepared(options: ApiServerOptions): boolean {
  const { featureGates, runtimeConfig, enableAdmissionPlugins, disableAdmissionPlugins } = options;
  return (
    featureGates.size + runtimeConfig.size === 0 &&
    enableAdmissionPlugins.length + disableAdmissionPlugins.length + options.authorizationMode.length === 0 &&
    options.admissionControlConfigFile === undefined &&
    options.authorizationConfig === undefined
  );
}

/** Puts as many into the store as are wanted, prepared and not there yet, each as one of its own. */
export async function layNodes(engine: StorageEngine, clock: Clock, prepared: string, count: number): Promise<void> {
  const time = timeOfMs(clock.nowMs());
  for (const node of (JSON.parse(prepared) as PreparedNode[]).slice(0, count)) {
    const [itself] = node;
    if (itself === undefined || (await engine.get(itself[0])) !== undefined) continue;
    const own = ownUids();
    for (const [key, text] of node) await layOnce(engine, key, inOwnTime(text.replaceAll(UIDS, own), time));
  }
}

/** A lease that a node of this name has left is renewed by the node. */
async function layOnce(engine: StorageEngine, key: string, text: string): Promise<void> {
  try {
    // Decoded as well, as every write has it: whoever watches would check what a server has made already.
    await engine.create(key, Buffer.from(text), { attachment: JSON.parse(text) });
  } catch (error) {
    if (!isStorageError(error, "KeyExists")) throw error;
  }
}

/** The same new one wherever the same old one stands. */
function ownUids(): (uid: string) => string {
  const uids = new Map<string, string>();
  return (uid) => {
    const own = uids.get(uid) ?? newUid();
    uids.set(uid, own);
    return own;
  };
}

const NODES = `${KEY_ROOT}minions/`;
const UIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
