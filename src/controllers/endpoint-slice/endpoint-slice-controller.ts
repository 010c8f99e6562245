// Controller: the EndpointSlices of every Service with a selector hold the pods that it selects.
// Requirements: document 3, "Service", "EndpointSlice".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { IpFamily } from "../../kinds/networking/ip-fields.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { OwnWrites } from "../framework/own-writes.ts";
import { hasOwnEndpoints } from "../service-backends/backend-pod.ts";
import { ServicePods } from "../service-backends/service-pods.ts";
import { TriggerTimes } from "../service-backends/trigger-times.ts";
import { ServiceSlices } from "../slices/service-slices.ts";
import { writeSlices } from "../slices/slice-writer.ts";
import { type PlannedSlices, planSlices } from "./plan-slices.ts";
import { type ZoneShares, zoneSharesOf } from "./zone-shares.ts";

/** The change that is waited for brings the key back at once; this is for one that was missed. */
const STALE_WAIT_MS = 1_000;

export const endpointSliceController: ControllerDefinition = {
  name: "endpointslice-controller",
  aliases: ["endpointslice"],
  account: "endpointslice-controller",
  workers: ({ concurrentServiceEndpointSyncs }) => concurrentServiceEndpointSyncs,
  build({ client, informers, events, names, clock, options }) {
    const backends = new ServicePods(informers);
    const nodes = informers.of(kinds.core.v1.nodes);
    const triggers = new TriggerTimes();
    const slices = new ServiceSlices(informers, names, names.sliceController);
    const writes = new OwnWrites(clock, slices.informer);
    const reports = new Map<string, Reported>();
    let shares: { readonly value: ZoneShares } | undefined;
    const currentShares = (): ZoneShares => {
      shares ??= { value: zoneSharesOf(nodes.cache.values(), names) };
      return shares.value;
    };
    const fail = (service: Stored<Service>, key: string, why: string): void =>
      events.warning(
        service,
        "FailedToUpdateEndpointSlices",
        `Error updating Endpoint Slices for Service ${key}: ${why}`,
      );
    /** Tells once what has changed: why pods are left out, whether hints are given. */
    const report = (key: string, service: Stored<Service>, plan: PlannedSlices): void => {
      const before = reports.get(key);
      const problem = plan.problems[0];
      if (problem !== undefined && problem !== before?.problem) fail(service, key, problem);
      for (const [family, why] of plan.hints) {
        if (before?.hints.has(family) === true && before.hints.get(family) === why) continue;
        const text = `${why ?? "Topology Aware Hints has been enabled"}, addressType: ${family}`;
        if (why === undefined) events.normal(service, "TopologyAwareHintsEnabled", text);
        else events.warning(service, "TopologyAwareHintsDisabled", text);
      }
      for (const [family, why] of before?.hints ?? []) {
        if (plan.hints.has(family) || why !== undefined) continue;
        const text = `Topology Aware Hints has been disabled, addressType: ${family}`;
        events.warning(service, "TopologyAwareHintsDisabled", text);
      }
      if (problem === undefined && plan.hints.size === 0) reports.delete(key);
      else reports.set(key, { problem, hints: plan.hints });
    };
    return {
      watch(queue) {
        backends.watch(queue);
        slices.watch(queue, writes);
        const addNode = ({ metadata }: Stored<Node>): void => {
          if (!nodes.synced) return;
          shares = undefined;
          for (const key of backends.servicesOnNode(metadata.name)) queue.add(key);
          for (const [key, { hints }] of reports) if (hints.size > 0) queue.add(key);
        };
        nodes.addHandlers({
          added: addNode,
          deleted: addNode,
          updated(now, before) {
            if (zoneFactsOf(now, names.zoneLabel) !== zoneFactsOf(before, names.zoneLabel)) addNode(now);
          },
        });
      },
      async reconcile(key, signal) {
        const service = backends.services.cache.get(key);
        if (service === undefined || !hasOwnEndpoints(service)) {
          for (const memory of [triggers, writes]) memory.forget(key);
          reports.delete(key);
          return done;
        }
        const existing = slices.of(key);
        if (!writes.areShown(key, existing)) return againAfterMs(STALE_WAIT_MS);
        const pods = backends.podsOf(service);
        const plan = planSlices({
          service,
          pods,
          existing,
          nodeOf: (name) => nodes.cache.get(name),
          shares: currentShares,
          maxEndpoints: options.maxEndpointsPerSlice,
          triggerTime: triggers.next(key, service, pods),
          names,
        });
        report(key, service, plan);
        const { namespace = "", deletionTimestamp } = service.metadata;
        try {
          await writeSlices({ client, writes, key, namespace, plan, mayCreate: deletionTimestamp === undefined });
        } catch (error) {
          if (!signal.aborted && !isApiError(error, "Conflict")) fail(service, key, (error as Error).message);
          throw error;
        }
        return done;
      },
    };
  },
};

interface Reported {
  readonly problem: string | undefined;
  readonly hints: ReadonlyMap<IpFamily, string | undefined>;
}

/** What endpoints and their hints show of a node. */
function zoneFactsOf({ metadata, status }: Stored<Node>, zoneLabel: string): string {
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready")?.status;
  return JSON.stringify([metadata.labels?.[zoneLabel], ready === "True", status?.allocatable?.["cpu"]]);
}
