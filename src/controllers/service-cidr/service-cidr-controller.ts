// Controller: ranges of Service addresses become ready, and stay while Services have addresses that only they hold.
// Requirements: document 3, "Service": addresses come from the ranges of the cluster.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { ServiceCIDR } from "../../kinds/networking/service-cidr.ts";
import { cidrContainsIp, type IpAddress } from "../../meta/ip.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { isInUse, overlap, rangesOf, serviceAddress } from "./cidr-in-use.ts";

/** Servers that have not yet heard of the end may still give addresses: so long the range stays. */
const DELETION_GRACE_MS = 10_000;

export const serviceCidrController: ControllerDefinition = {
  name: "service-cidr-controller",
  account: "service-cidrs-controller",
  workers: () => 5,
  build({ client, informers, names, clock }) {
    const cidrs = informers.of(kinds.networking.v1.serviceCIDRs);
    const addresses = informers.of(kinds.networking.v1.ipAddresses);
    const live = client.networking.v1.serviceCIDRs();
    const { serviceCidrFinalizer: finalizer } = names;

    function* taken(): Iterable<IpAddress> {
      for (const object of addresses.cache.values()) {
        const ip = serviceAddress(object, names);
        if (ip !== undefined) yield ip;
      }
    }

    const setFinalizers = async (cidr: Stored<ServiceCIDR>, finalizers: string[]): Promise<void> => {
      const { name, resourceVersion } = cidr.metadata;
      await live.patch(name, { merge: { metadata: { resourceVersion, finalizers } } });
    };

    const setReady = async (cidr: Stored<ServiceCIDR>, ready: Readiness): Promise<void> => {
      const held = (cidr.status?.conditions ?? []).find(({ type }) => type === "Ready");
      const { status, reason, message } = ready;
      if (held?.status === status && held.reason === reason && held.message === message) return;
      const lastTransitionTime = held?.status === status ? held.lastTransitionTime : timeOfMs(clock.nowMs());
      const conditions = [{ type: "Ready", ...ready, lastTransitionTime }];
      await live.status.patch(cidr.metadata.name, { strategic: { status: { conditions } } });
    };

    const end = async (cidr: Stored<ServiceCIDR>) => {
      const finalizers = cidr.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) return done;
      const others = cidrs.cache
        .list()
        .filter(({ metadata }) => metadata.uid !== cidr.metadata.uid && metadata.deletionTimestamp === undefined);
      if (isInUse(rangesOf(cidr), others.flatMap(rangesOf), taken())) {
        await setReady(cidr, STILL_IN_USE);
        return done;
      }
      const leftMs = DELETION_GRACE_MS - (clock.nowMs() - Date.parse(cidr.metadata.deletionTimestamp ?? ""));
      if (leftMs > 0) return againAfterMs(leftMs);
      await setFinalizers(
        cidr,
        finalizers.filter((each) => each !== finalizer),
      );
      return done;
    };

    return {
      watch(queue) {
        const add = (cidr: Stored<ServiceCIDR>): void => {
          queue.add(cidr.metadata.name);
          // What one range takes over or gives up may be what another waits for.
          for (const other of cidrs.cache.values())
            if (other.metadata.deletionTimestamp !== undefined && overlap(other, cidr)) queue.add(other.metadata.name);
        };
        cidrs.addHandlers({ added: add, updated: add, deleted: add });
        const addHolders = (object: Parameters<typeof serviceAddress>[0]): void => {
          const ip = serviceAddress(object, names);
          if (ip === undefined || !addresses.synced) return;
          for (const cidr of cidrs.cache.values()) {
            const ends = cidr.metadata.deletionTimestamp !== undefined;
            if (ends && rangesOf(cidr).some((range) => cidrContainsIp(range, ip))) queue.add(cidr.metadata.name);
          }
        };
        addresses.addHandlers({ added: addHolders, updated: addHolders, deleted: addHolders });
      },
      async reconcile(name) {
        const cidr = cidrs.cache.get(name);
        if (cidr === undefined) return done;
        try {
          if (cidr.metadata.deletionTimestamp !== undefined) return await end(cidr);
          const finalizers = cidr.metadata.finalizers ?? [];
          if (!finalizers.includes(finalizer)) await setFinalizers(cidr, [...finalizers, finalizer]);
          await setReady(cidr, { status: "True", reason: "", message: `${names.productName} Service CIDR is ready` });
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        return done;
      },
    };
  },
};

interface Readiness {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

const STILL_IN_USE: Readiness = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};
