// Controller: pods leave when a device that they use gets a NoExecute taint that their claim does not tolerate, or no longer.

import { equalJson } from "../../base/json.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { claimOf } from "../../kinds/resource/claim-of-pod.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import type { ResourceSlice } from "../../kinds/resource/resource-slice.ts";
import {
  againAfterMs,
  type Controller,
  type ControllerContext,
  type ControllerDefinition,
  done,
} from "../framework/controller.ts";
import { evictPod } from "../framework/evict-pod.ts";
import { whereServed } from "../framework/where-served.ts";
import { evictionTimeMs } from "./eviction-time.ts";
import { poolId, TaintedDevices } from "./tainted-devices.ts";

/** Upstream's word in events. */
const REASON = "DeviceTaintManagerEviction";
const CLAIM_INDEX = "pool";

export const deviceTaintEvictionController: ControllerDefinition = {
  name: "device-taint-eviction-controller",
  account: "device-taint-eviction-controller",
  gate: "DRADeviceTaints",
  workers: () => 8,
  build: (context) => whereServed(context, kinds.devices.v1.resourceClaims, () => build(context)),
};

function build({ client, informers, events, names, clock, metrics }: ControllerContext): Controller {
  const pods = informers.of(kinds.core.v1.pods);
  const claims = informers.of(kinds.devices.v1.resourceClaims, { indexes: { [CLAIM_INDEX]: poolsOf } });
  const devices = new TaintedDevices({
    informers,
    dialect: names.dialect,
    onProblem: (rule, problem) => events.warning(rule, "CELRuntimeError", problem),
  });
  /** Pods that are to go, by key, with their uid. */
  const condemned = new Map<string, string>();

  /** In milliseconds since 1970; undefined: it may stay. */
  const timeToGo = (pod: Stored<Pod>): number | undefined => {
    if (!pod.spec.nodeName) return undefined;
    const inUse = claimsInUseBy(pod).flatMap(({ status }) => status.allocation?.devices?.results ?? []);
    return evictionTimeMs(inUse, (device) => devices.taintsOf(device), clock.nowMs());
  };

  const claimsInUseBy = (pod: Stored<Pod>): readonly Stored<ResourceClaim>[] => {
    const { namespace = "", uid } = pod.metadata;
    return (pod.spec.resourceClaims ?? []).flatMap((each) => {
      const { name } = claimOf(pod, each);
      const claim = name === undefined ? undefined : claims.cache.get({ namespace, name });
      return claim?.status.reservedFor?.some((user) => user.uid === uid) === true ? [claim] : [];
    });
  };

  const evict = (pod: Stored<Pod>): Promise<void> =>
    evictPod({ client, clock }, pod, {
      reason: "DeletionByDeviceTaintManager",
      message: "Device Taint manager: deleting due to NoExecute taint",
      marked: () => events.normal(pod, REASON, "Marking for deletion"),
    });

  return {
    watch(queue) {
      const addPod = (pod: Stored<Pod>): void => {
        if ((pod.spec.resourceClaims ?? []).length > 0) queue.add(keyText(keyOf(pod)));
      };
      const addUsers = ({ metadata: { namespace = "" }, status }: Stored<ResourceClaim>): void => {
        for (const { resource, name } of status.reservedFor ?? [])
          if (resource === "pods") queue.add(keyText({ namespace, name }));
      };
      const addAll = (): void => {
        for (const claim of claims.cache.values()) addUsers(claim);
      };
      const slice = (now: Stored<ResourceSlice>, before?: Stored<ResourceSlice>): void => {
        const pool = poolId(now.spec.driver, now.spec.pool.name);
        if (!devices.hasEvictingTaints(pool, before)) return;
        for (const claim of claims.cache.byIndex(CLAIM_INDEX, pool)) addUsers(claim);
      };
      pods.addHandlers({
        added: addPod,
        deleted: addPod,
        updated(now, before) {
          const same = now.spec.nodeName === before.spec.nodeName;
          if (!same || !equalJson(now.status.resourceClaimStatuses, before.status.resourceClaimStatuses)) addPod(now);
        },
      });
      claims.addHandlers({
        added: addUsers,
        updated(now, before) {
          if (equalJson(now.status, before.status)) return;
          addUsers(before);
          addUsers(now);
        },
        deleted: addUsers,
      });
      devices.slices.addHandlers({ added: slice, updated: slice, deleted: (gone) => slice(gone, gone) });
      devices.rules.addHandlers({
        added: addAll,
        updated(now, before) {
          if (!equalJson(now.spec, before.spec)) addAll();
        },
        deleted: addAll,
      });
      // Rules may name classes.
      const ofClass = (): void => {
        if ([...devices.rules.cache.values()].some(({ spec }) => spec.deviceSelector?.deviceClassName)) addAll();
      };
      devices.classes.addHandlers({ added: ofClass, updated: ofClass, deleted: ofClass });
    },
    async reconcile(key) {
      const pod = pods.cache.get(key);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) {
        condemned.delete(key);
        return done;
      }
      const whenMs = timeToGo(pod);
      if (whenMs === undefined) {
        const was = condemned.get(key);
        condemned.delete(key);
        if (was === pod.metadata.uid) events.normal(pod, REASON, "Cancelling deletion");
        return done;
      }
      condemned.set(key, pod.metadata.uid);
      const leftMs = whenMs - clock.nowMs();
      if (leftMs > 0) return againAfterMs(leftMs);
      await evict(pod);
      condemned.delete(key);
      metrics.deviceEvicted(-leftMs / 1000);
      return done;
    },
  };
}

function poolsOf({ status }: Stored<ResourceClaim>): string[] {
  const results = status.allocation?.devices?.results ?? [];
  return [...new Set(results.map(({ driver, pool }) => poolId(driver, pool)))];
}
