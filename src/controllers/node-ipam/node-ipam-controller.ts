// Controller: every node gets a part of the network of pods, and gives it back when it goes.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { networkPools } from "./node-networks.ts";

export const nodeIpamController: ControllerDefinition = {
  name: "node-ipam-controller",
  reportsAs: "cidrAllocator",
  aliases: ["nodeipam"],
  account: "node-controller",
  missing(options) {
    if (!options.allocateNodeCidrs) return "--allocate-node-cidrs";
    const pools = networkPools(options);
    return typeof pools === "string" ? pools : undefined;
  },
  workers: () => 5,
  build({ client, informers, events, options }) {
    const nodes = informers.of(kinds.core.v1.nodes);
    const made = networkPools(options);
    const pools = typeof made === "string" ? [] : made;
    /** The parts of each node, also those that are being written. */
    const held = new Map<string, readonly string[]>();
    /** Nodes for which there was nothing left. */
    const waiting = new Set<string>();

    const forget = (name: string): void => {
      for (const cidr of held.get(name) ?? []) for (const pool of pools) pool.release(cidr);
      held.delete(name);
    };
    const remember = ({ metadata: { name }, spec }: Stored<Node>): void => {
      const cidrs = cidrsOf(spec);
      const known = held.get(name);
      if (cidrs.length === 0 || known?.join() === cidrs.join()) return;
      forget(name);
      for (const cidr of cidrs) for (const pool of pools) pool.hold(cidr);
      held.set(name, cidrs);
    };
    /** One part of every network, or nothing at all. */
    const take = (): readonly string[] | undefined => {
      const taken: string[] = [];
      for (const pool of pools) {
        const cidr = pool.take();
        if (cidr === undefined) {
          for (const each of taken) for (const other of pools) other.release(each);
          return undefined;
        }
        taken.push(cidr);
      }
      return taken;
    };

    return {
      watch(queue) {
        nodes.addHandlers({
          added(node) {
            remember(node);
            queue.add(node.metadata.name);
          },
          updated(node) {
            remember(node);
            if (cidrsOf(node.spec).length === 0) queue.add(node.metadata.name);
          },
          deleted({ metadata }) {
            forget(metadata.name);
            waiting.delete(metadata.name);
            for (const name of waiting) queue.add(name);
          },
        });
      },
      async reconcile(name) {
        const node = nodes.cache.get(name);
        if (node === undefined || cidrsOf(node.spec).length > 0) {
          waiting.delete(name);
          return done;
        }
        const podCIDRs = held.get(name) ?? take();
        if (podCIDRs === undefined) {
          if (!waiting.has(name))
            events.normal(node, "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
          waiting.add(name);
          return done;
        }
        waiting.delete(name);
        held.set(name, podCIDRs);
        const { uid } = node.metadata;
        try {
          const spec = { podCIDR: podCIDRs[0]!, podCIDRs: [...podCIDRs] };
          await client.core.v1.nodes().patch(name, { strategic: { metadata: { uid }, spec } });
        } catch (error) {
          if (isApiError(error, "NotFound")) {
            // Its deletion may have come before this answer.
            if (nodes.cache.get(name) === undefined) forget(name);
            return done;
          }
          events.normal(node, "CIDRAssignmentFailed", `Node ${name} status is now: CIDRAssignmentFailed`);
          throw error;
        }
        return done;
      },
    };
  },
};

function cidrsOf(spec: Node["spec"] | undefined): readonly string[] {
  if ((spec?.podCIDRs ?? []).length > 0) return spec!.podCIDRs!;
  return (spec?.podCIDR ?? "") === "" ? [] : [spec!.podCIDR!];
}
