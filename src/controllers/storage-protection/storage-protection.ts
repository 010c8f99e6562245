// Controllers: claims stay while pods use them, volumes while they are bound, attribute classes while claims or volumes
// have them.

import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { ControllerDefinition } from "../framework/controller.ts";
import { enqueueItself, enqueueOthers } from "../framework/enqueue.ts";
import { claimNamesOf, classesOfClaim, classesOfVolume, isVolumeUsed, podUsesClaim } from "./judge-protection.ts";
import { reconcileProtection } from "./protect.ts";

const BY_CLAIM = "claim";
const BY_ATTRIBUTES = "attributes-class";

export const claimProtection: ControllerDefinition = {
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  account: "pvc-protection-controller",
  build({ client, informers, names }) {
    const claims = informers.of(kinds.core.v1.persistentVolumeClaims);
    const pods = informers.of(kinds.core.v1.pods, {
      indexes: { [BY_CLAIM]: (pod) => claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`) },
    });
    const isUsed = async (claim: Stored<PersistentVolumeClaim>): Promise<boolean> => {
      const { namespace = "", name } = claim.metadata;
      const known = pods.cache.byIndex(BY_CLAIM, `${namespace}/${name}`);
      if (known.some((pod) => podUsesClaim(pod, claim))) return true;
      // The cache may be behind: data must not go under a pod that has just begun to use it.
      for await (const { items } of client.core.v1.pods(namespace).pages({ onExpired: "continue" }))
        if (items.some((pod) => podUsesClaim(pod, claim))) return true;
      return false;
    };
    return {
      watch(queue) {
        claims.addHandlers(enqueueItself(queue));
        pods.addHandlers(
          enqueueOthers(queue, (pod) => {
            const keys = claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`);
            return keys.filter((key) => claims.cache.get(key)?.metadata.deletionTimestamp !== undefined);
          }),
        );
      },
      reconcile: reconcileProtection({
        objects: claims,
        live: client.core.v1.persistentVolumeClaims(),
        finalizer: names.pvcProtectionFinalizer,
        isUsed,
      }),
    };
  },
};

export const volumeProtection: ControllerDefinition = {
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  account: "pv-protection-controller",
  build({ client, informers, names }) {
    const volumes = informers.of(kinds.core.v1.persistentVolumes);
    return {
      watch: (queue) => void volumes.addHandlers(enqueueItself(queue)),
      reconcile: reconcileProtection({
        objects: volumes,
        live: client.core.v1.persistentVolumes(),
        finalizer: names.pvProtectionFinalizer,
        isUsed: isVolumeUsed,
      }),
    };
  },
};

export const attributesClassProtection: ControllerDefinition = {
  name: "volumeattributesclass-protection-controller",
  account: "volumeattributesclass-protection-controller",
  build({ client, informers, names }) {
    const classes = informers.of(kinds.storage.v1.volumeAttributesClasses);
    const claims = informers.of(kinds.core.v1.persistentVolumeClaims, { indexes: { [BY_ATTRIBUTES]: classesOfClaim } });
    const volumes = informers.of(kinds.core.v1.persistentVolumes, { indexes: { [BY_ATTRIBUTES]: classesOfVolume } });
    return {
      watch(queue) {
        classes.addHandlers(enqueueItself(queue));
        claims.addHandlers(enqueueOthers(queue, classesOfClaim));
        volumes.addHandlers(enqueueOthers(queue, classesOfVolume));
      },
      reconcile: reconcileProtection({
        objects: classes,
        live: client.storage.v1.volumeAttributesClasses(),
        finalizer: names.vacProtectionFinalizer,
        isUsed: ({ metadata: { name } }) =>
          claims.cache.byIndex(BY_ATTRIBUTES, name).length + volumes.cache.byIndex(BY_ATTRIBUTES, name).length > 0,
      }),
    };
  },
};
