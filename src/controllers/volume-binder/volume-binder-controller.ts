// Controller: brings claims and volumes together, and says of both how they stand. Volumes are made and deleted by others,
// whom claims and volumes name; those of a folder are emptied by a pod, or deleted with a folder below /tmp.

import { cloneJson, equalJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { StorageClass } from "../../kinds/storage/storage-class.ts";
import { againAfterMs, type ControllerDefinition, done, type Outcome } from "../framework/controller.ts";
import { enqueueItself, enqueueOthers } from "../framework/enqueue.ts";
import { claimNamesOf } from "../storage-protection/judge-protection.ts";
import { boundClaim, boundStatus, boundVolume } from "./bound.ts";
import { deleteFolder } from "./delete-folder.ts";
import { judgeClaim, type Said, type VolumesAround } from "./judge-claim.ts";
import { judgeVolume } from "./judge-volume.ts";
import { type Claim, classOf, isFree, type Volume } from "./match-volume.ts";
import { reclaimOf } from "./reclaim-volume.ts";
import { Recycler } from "./recycler.ts";
import { volumesOfRecycler } from "./recycler-pod.ts";

const BY_CLASS = "class";
const BY_CLAIM = "claim";
/** As often as upstream looks at everything: what could not be reclaimed is tried again, who still waits is named. */
const LOOK_MS = 15_000;

export const volumeBinderController: ControllerDefinition = {
  name: "persistentvolume-binder-controller",
  reportsAs: "persistentvolume-controller",
  aliases: ["persistentvolume-binder"],
  account: "persistent-volume-binder",
  build({ client, informers, events, names, options }) {
    const isUnbound = ({ metadata }: Claim) => metadata.annotations?.[names.bindCompletedAnnotation] === undefined;
    const claims = informers.of(kinds.core.v1.persistentVolumeClaims, {
      indexes: { [BY_CLASS]: (claim) => (isUnbound(claim) ? [classOf(claim, names)] : []) },
    });
    const volumes = informers.of(kinds.core.v1.persistentVolumes, {
      indexes: {
        [BY_CLASS]: (volume) => [classOf(volume, names)],
        [BY_CLAIM]: ({ spec: { claimRef } }) =>
          claimRef === undefined ? [] : [`${claimRef.namespace}/${claimRef.name}`],
      },
    });
    const classes = informers.of(kinds.storage.v1.storageClasses);
    const pods = informers.of(kinds.core.v1.pods, {
      indexes: { [BY_CLAIM]: (pod) => claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`) },
    });
    const liveVolumes = client.core.v1.persistentVolumes();
    const recycler = new Recycler(client, pods);
    const liveClaims = ({ metadata }: Claim) => client.core.v1.persistentVolumeClaims(metadata.namespace);

    const around: VolumesAround = {
      volume: (name) => volumes.cache.get(name),
      volumesOf: (className) => volumes.cache.byIndex(BY_CLASS, className),
      volumesFor: (claim) => volumes.cache.byIndex(BY_CLAIM, keyText(keyOf(claim))),
      storageClass: (name) => classes.cache.get(name),
      get defaultClass() {
        return newestDefault(classes.cache.list(), [
          names.defaultStorageClassAnnotation,
          names.betaDefaultStorageClassAnnotation,
        ]);
      },
      waitingPods: (claim) =>
        pods.cache
          .byIndex(BY_CLAIM, keyText(keyOf(claim)))
          .filter(({ spec }) => !spec.nodeName)
          .map(({ metadata }) => metadata.name)
          .sort(),
    };

    const say = (object: Claim | Volume, said: Said | undefined): void => {
      if (said === undefined) return;
      if (said.type === "Normal") events.normal(object, said.reason, said.message);
      else events.warning(object, said.reason, said.message);
    };

    const setPhase = async (volume: Volume, phase: NonNullable<Volume["status"]["phase"]>): Promise<Volume> => {
      if (volume.status.phase === phase) return volume;
      const { message: _message, ...status } = volume.status;
      return liveVolumes.status.update({ ...cloneJson(volume), status: { ...status, phase } });
    };

    /** Told once: a volume that fails again is what it was. */
    async function fail(volume: Volume, reason: string, message: string): Promise<void> {
      if (volume.status.phase === "Failed") return;
      const status = { ...volume.status, phase: "Failed" as const, message };
      await liveVolumes.status.update({ ...cloneJson(volume), status });
      events.warning(volume, reason, message);
    }

    async function release(volume: Volume): Promise<Outcome> {
      const released = volume.status.phase === "Failed" ? volume : await setPhase(volume, "Released");
      const reclaim = reclaimOf(released, names, options.enableHostpathProvisioner);
      switch (reclaim.type) {
        case "leave":
          return done;
        case "fail":
          await fail(released, reclaim.reason, reclaim.message);
          return done;
        case "delete folder":
          return deleteWithFolder(released, reclaim.path);
        case "empty":
          return empty(released, reclaim.pod);
        default:
          return reclaim satisfies never;
      }
    }

    async function deleteWithFolder(volume: Volume, path: string): Promise<Outcome> {
      const { name, uid } = volume.metadata;
      try {
        await deleteFolder(path);
      } catch (error) {
        await fail(volume, "VolumeFailedDelete", error instanceof Error ? error.message : String(error));
        return againAfterMs(LOOK_MS);
      }
      try {
        await liveVolumes.delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
      return done;
    }

    async function empty(volume: Volume, pod: Draft<Pod>): Promise<Outcome> {
      const { claimRef } = volume.spec;
      const key = `${claimRef?.namespace}/${claimRef?.name}`;
      // A claim that is there is another one of the same name, and its pods do not use this volume.
      const users = claims.cache.get(key) === undefined ? pods.cache.byIndex(BY_CLAIM, key).filter(isRunning) : [];
      if (users.length > 0) {
        const who = users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
        events.normal(volume, "VolumeFailedRecycle", `Volume is used by pods: ${who.join(",")}`);
        return againAfterMs(LOOK_MS);
      }
      const outcome = await recycler.proceed(volume, pod);
      if (outcome.type === "under way") return done;
      if (outcome.type === "failed") {
        await fail(volume, "VolumeFailedRecycle", `Recycle failed: ${outcome.why}`);
        return againAfterMs(LOOK_MS);
      }
      events.normal(volume, "VolumeRecycled", "Volume recycled");
      await free(volume, volume.metadata.annotations?.[names.boundByControllerAnnotation] !== undefined);
      return done;
    }

    const free = async (volume: Volume, wholly: boolean): Promise<Volume> =>
      setPhase(await liveVolumes.update(freed(volume, wholly, names.boundByControllerAnnotation)), "Available");

    const setStatus = async (claim: Claim, status: Claim["status"]): Promise<void> => {
      if (!equalJson(status, claim.status)) await liveClaims(claim).status.update({ ...cloneJson(claim), status });
    };

    /** In this order, so that after a crash at any point the volume leads to the claim. */
    async function bind(claim: Claim, volume: Volume): Promise<void> {
      const kept = boundVolume(volume, claim, names);
      const saved = kept === undefined ? volume : await liveVolumes.update(kept);
      await setPhase(saved, "Bound");
      const changed = boundClaim(claim, volume, names);
      const savedClaim = changed === undefined ? claim : await liveClaims(claim).update(changed);
      await setStatus(savedClaim, boundStatus(savedClaim, volume));
    }

    async function reconcileClaim(claim: Claim): Promise<Outcome> {
      const step = judgeClaim(claim, around, names);
      switch (step.type) {
        case "bind":
          await bind(claim, step.volume);
          break;
        case "wait":
          say(claim, step.said);
          await setStatus(claim, pending(claim));
          break;
        case "lost":
          if (claim.status.phase !== "Lost") say(claim, step.said);
          await setStatus(claim, { ...pending(claim), phase: "Lost" });
          break;
        case "take class":
          await liveClaims(claim).update({
            ...cloneJson(claim),
            spec: { ...claim.spec, storageClassName: step.className },
          });
          break;
        case "provision": {
          const { storageProvisionerAnnotation, betaStorageProvisionerAnnotation } = names;
          const changed = cloneJson(claim);
          changed.metadata.annotations = {
            ...changed.metadata.annotations,
            [betaStorageProvisionerAnnotation]: step.provisioner,
            [storageProvisionerAnnotation]: step.provisioner,
          };
          if (!equalJson(changed.metadata.annotations, claim.metadata.annotations))
            await liveClaims(claim).update(changed);
          say(claim, step.said);
          break;
        }
        default:
          step satisfies never;
      }
      return done;
    }

    async function reconcileVolume(volume: Volume): Promise<Outcome> {
      const { claimRef } = volume.spec;
      const key = `${claimRef?.namespace}/${claimRef?.name}`;
      const known = claimRef === undefined ? undefined : claims.cache.get(key);
      let step = judgeVolume(volume, known, names);
      // The cache may be behind, and a volume that was released is not given out again.
      if (step.type === "phase" && step.phase === "Released" && volume.status.phase !== "Released")
        step = judgeVolume(volume, await liveClaim(claimRef), names);
      switch (step.type) {
        case "phase":
          if (step.phase === "Released") return release(volume);
          // What others say of a volume that they cannot delete stays.
          if (volume.status.phase !== "Failed") await setPhase(volume, step.phase);
          break;
        case "ask claim":
          if (known !== undefined) return reconcileClaim(known);
          break;
        case "mismatch": {
          const what = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claimRef?.name}" due to`;
          events.warning(volume, "VolumeMismatch", `${what} incompatible volumeMode.`);
          break;
        }
        case "free":
          await free(volume, step.wholly);
          break;
        default:
          step satisfies never;
      }
      return done;
    }

    async function liveClaim(reference: Volume["spec"]["claimRef"]): Promise<Claim | undefined> {
      try {
        return await client.core.v1.persistentVolumeClaims(reference?.namespace ?? "").get(reference?.name ?? "");
      } catch (error) {
        if (isApiError(error, "NotFound")) return undefined;
        throw error;
      }
    }

    return {
      watch(queue) {
        const unboundOf = (className: string) =>
          claims.cache.byIndex(BY_CLASS, className).map((claim) => keyText(keyOf(claim)));
        claims.addHandlers(enqueueItself(queue));
        claims.addHandlers(enqueueOthers(queue, ({ spec }) => (spec.volumeName ? [spec.volumeName] : [])));
        volumes.addHandlers(enqueueItself(queue));
        volumes.addHandlers(
          enqueueOthers(queue, (volume) => {
            const { claimRef } = volume.spec;
            if (claimRef !== undefined) return [`${claimRef.namespace}/${claimRef.name}`];
            return isFree(volume) ? unboundOf(classOf(volume, names)) : [];
          }),
        );
        classes.addHandlers(enqueueOthers(queue, ({ metadata }) => [...unboundOf(metadata.name), ...unboundOf("")]));
        pods.addHandlers(enqueueOthers(queue, volumesOfRecycler));
        pods.addHandlers({
          added(pod) {
            for (const name of claimNamesOf(pod)) {
              const claim = claims.cache.get(`${pod.metadata.namespace}/${name}`);
              if (claim !== undefined && isUnbound(claim)) queue.addAfter(keyText(keyOf(claim)), LOOK_MS);
            }
          },
        });
      },
      async reconcile(key) {
        // Names of volumes have no slash, those of claims have one.
        if (!key.includes("/")) {
          const volume = volumes.cache.get(key);
          return volume === undefined ? done : reconcileVolume(volume);
        }
        const claim = claims.cache.get(key);
        return claim === undefined ? done : reconcileClaim(claim);
      },
    };
  },
};

const isRunning = ({ status }: Pod): boolean => status.phase !== "Succeeded" && status.phase !== "Failed";

function pending({ status: { accessModes: _modes, capacity: _capacity, ...rest } }: Claim): Claim["status"] {
  return { ...rest, phase: "Pending" };
}

function freed(volume: Volume, wholly: boolean, boundByController: string): Volume {
  const changed = cloneJson(volume);
  if (wholly) {
    delete changed.spec.claimRef;
    delete changed.metadata.annotations?.[boundByController];
  } else if (changed.spec.claimRef !== undefined) {
    delete changed.spec.claimRef.uid;
  }
  return changed;
}

/** Of several, the one that was made last. */
function newestDefault(
  classes: readonly (StorageClass & { readonly metadata: { readonly name: string } })[],
  marks: readonly string[],
): string | undefined {
  const createdMs = ({ metadata }: StorageClass) => Date.parse(metadata.creationTimestamp ?? "");
  const [first] = classes
    .filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === "true"))
    .sort((a, b) => createdMs(b) - createdMs(a) || (a.metadata.name < b.metadata.name ? -1 : 1));
  return first?.metadata.name;
}
