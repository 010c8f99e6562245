// Controller: the EndpointSlices of every Service with a selector hold the pods that it selects.
// Requirements: document 3, "Service", "EndpointSlice".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { OwnWrites } from "../framework/own-writes.ts";
import { followsSelector } from "../service-backends/backend-pod.ts";
import { ServicePods } from "../service-backends/service-pods.ts";
import { TriggerTimes } from "../service-backends/trigger-times.ts";
import { ServiceSlices } from "../slices/service-slices.ts";
import { writeSlices } from "../slices/slice-writer.ts";
import { planSlices } from "./plan-slices.ts";
import { countsAfter, endpointsChanged, SliceTotals } from "./slice-counts.ts";
import { SliceReports } from "./slice-reports.ts";
import { type ZoneShares, zoneSharesOf } from "./zone-shares.ts";

/** The change that is waited for brings the key back at once; this is for one that was missed. */
const STALE_WAIT_MS = 1_000;

export const endpointSliceController: ControllerDefinition = {
  name: "endpointslice-controller",
  reportsAs: "endpoint-slice-controller",
  aliases: ["endpointslice"],
  account: "endpointslice-controller",
  workers: ({ concurrentServiceEndpointSyncs }) => concurrentServiceEndpointSyncs,
  build({ client, informers, events, names, clock, options, metrics }) {
    const backends = new ServicePods(informers);
    const nodes = informers.of(kinds.core.v1.nodes);
    const triggers = new TriggerTimes();
    const slices = new ServiceSlices(informers, names, names.sliceController);
    const writes = new OwnWrites(clock, slices.informer);
    const reports = new SliceReports(events);
    const totals = new SliceTotals();
    let shares: { readonly value: ZoneShares } | undefined;
    const currentShares = (): ZoneShares => {
      shares ??= { value: zoneSharesOf(nodes.cache.values(), names) };
      return shares.value;
    };
    return {
      watch(queue) {
        backends.watch(queue);
        slices.watch(queue, writes);
        const addNode = ({ metadata }: Stored<Node>): void => {
          if (!nodes.synced) return;
          shares = undefined;
          for (const key of backends.servicesOnNode(metadata.name)) queue.add(key);
          for (const key of reports.topologyAware()) queue.add(key);
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
        if (service === undefined || !followsSelector(service)) {
          for (const memory of [triggers, writes, reports, totals]) memory.forget(key);
          metrics.setSliceSums(totals.sums);
          return done;
        }
        const existing = slices.of(key);
        if (!writes.areShown(key, existing)) {
          metrics.slicesSynced("stale");
          return againAfterMs(STALE_WAIT_MS);
        }
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
        reports.tell(key, service, plan);
        const { namespace = "", deletionTimestamp } = service.metadata;
        try {
          await writeSlices({ client, writes, key, namespace, plan, mayCreate: deletionTimestamp === undefined });
        } catch (error) {
          metrics.slicesSynced("error");
          if (!signal.aborted && !isApiError(error, "Conflict")) reports.failed(key, service, (error as Error).message);
          throw error;
        }
        metrics.slicesSynced("success");
        const trafficDistribution = service.spec.trafficDistribution ?? "";
        metrics.slicesChanged({
          ...endpointsChanged(existing, plan),
          created: plan.create.length,
          updated: plan.update.length,
          deleted: plan.remove.length,
          topologyAware: plan.hints.size > 0,
          trafficDistribution,
        });
        const { maxEndpointsPerSlice: maxEndpoints } = options;
        totals.set(key, countsAfter(existing, plan, { maxEndpoints, trafficDistribution }));
        metrics.setSliceSums(totals.sums);
        return done;
      },
    };
  },
};

/** What endpoints and their hints show of a node. */
function zoneFactsOf({ metadata, status }: Stored<Node>, zoneLabel: string): string {
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready")?.status;
  return JSON.stringify([metadata.labels?.[zoneLabel], ready === "True", status?.allocatable?.["cpu"]]);
}
