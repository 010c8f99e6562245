// Controller: Endpoints that people write themselves, for Services without selector, are mirrored into EndpointSlices.
// Requirements: document 3, "EndpointSlice".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyText, parseKeyText, type Stored } from "../../client/informer.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { OwnWrites } from "../framework/own-writes.ts";
import { ServiceSlices } from "../slices/service-slices.ts";
import { writeSlices } from "../slices/slice-writer.ts";
import { isMirrored, type MirrorPlan, planMirror } from "./mirrored-slices.ts";

/** The change that is waited for brings the key back at once; this is for one that was missed. */
const STALE_WAIT_MS = 1_000;

export const endpointSliceMirroringController: ControllerDefinition = {
  name: "endpointslice-mirroring-controller",
  reportsAs: "endpoint-slice-mirroring-controller",
  aliases: ["endpointslicemirroring"],
  account: "endpointslicemirroring-controller",
  workers: ({ mirroringConcurrentServiceEndpointSyncs }) => mirroringConcurrentServiceEndpointSyncs,
  build({ client, informers, events, names, clock, options, metrics }) {
    const services = informers.of(kinds.core.v1.services);
    const endpoints = informers.of(kinds.core.v1.endpoints);
    const slices = new ServiceSlices(informers, names, names.sliceMirroringController);
    const writes = new OwnWrites(clock, slices.informer);
    const max = options.mirroringMaxEndpointsPerSubset;
    /** What was last told about an object, by its key: it is told once. */
    const reports = new Map<string, string>();
    const report = (key: string, object: Stored<Endpoints>, { invalid, skipped }: MirrorPlan): void => {
      const told = JSON.stringify([object.metadata.uid, invalid, skipped]);
      if (invalid === 0 && skipped === 0) reports.delete(key);
      if ((invalid === 0 && skipped === 0) || reports.get(key) === told) return;
      reports.set(key, told);
      if (invalid > 0)
        events.warning(
          object,
          "InvalidIPAddress",
          `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
        );
      if (skipped > 0)
        events.warning(
          object,
          "TooManyAddressesToMirror",
          `A max of ${max} addresses can be mirrored to EndpointSlices per Endpoints subset. ${invalid + skipped} addresses were skipped`,
        );
    };
    return {
      watch(queue) {
        services.addHandlers(enqueueItself(queue));
        endpoints.addHandlers(enqueueItself(queue));
        slices.watch(queue, writes);
        // Those whose Endpoints went while nobody looked.
        const addOwner = ({
          metadata: { namespace = "", labels },
        }: {
          metadata: Stored<Endpoints>["metadata"];
        }): void => {
          const name = labels?.[names.serviceNameLabel] ?? "";
          const isOurs = labels?.[names.managedByLabel] === names.sliceMirroringController;
          if (!slices.informer.synced && isOurs && name !== "") queue.add(keyText({ namespace, name }));
        };
        slices.informer.addHandlers({ added: addOwner });
      },
      async reconcile(key, signal) {
        const startMs = clock.monotonicMs();
        try {
          const object = endpoints.cache.get(key);
          const existing = slices.of(key);
          if (!writes.areShown(key, existing)) return againAfterMs(STALE_WAIT_MS);
          const { namespace = "" } = parseKeyText(key);
          if (!isMirrored(object, services.cache.get(key), names)) {
            reports.delete(key);
            const plan = { create: [], update: [], remove: existing };
            await writeSlices({ client, writes, key, namespace, plan, mayCreate: false });
            return done;
          }
          const plan = planMirror(object, existing, max, names);
          report(key, object, plan);
          try {
            const mayCreate = object.metadata.deletionTimestamp === undefined;
            await writeSlices({ client, writes, key, namespace, plan, mayCreate });
          } catch (error) {
            if (!signal.aborted && !isApiError(error, "Conflict"))
              events.warning(
                object,
                "FailedToUpdateEndpointSlices",
                `Error updating Endpoint Slices for Endpoints ${key}: ${(error as Error).message}`,
              );
            throw error;
          }
          return done;
        } finally {
          metrics.endpointsMirrored((clock.monotonicMs() - startMs) / 1000);
        }
      },
    };
  },
};
