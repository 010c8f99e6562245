// Controller: makes the claims of ephemeral volumes of pods.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself, enqueueOthers } from "../framework/enqueue.ts";
import { errorWords } from "../pods-of-owner/error-words.ts";
import { ephemeralClaims, whyForeign } from "./ephemeral-claims.ts";

export const ephemeralVolumeController: ControllerDefinition = {
  name: "ephemeral-volume-controller",
  reportsAs: "ephemeral_volume",
  aliases: ["ephemeral-volume"],
  account: "ephemeral-volume-controller",
  workers: ({ concurrentEphemeralvolumeSyncs }) => concurrentEphemeralvolumeSyncs,
  build({ client, informers, events, metrics }) {
    const pods = informers.of(kinds.core.v1.pods);
    const claims = informers.of(kinds.core.v1.persistentVolumeClaims);
    return {
      watch(queue) {
        pods.addHandlers(enqueueItself(queue, ({ spec }) => spec.volumes?.some((one) => one.ephemeral) === true));
        // A claim that somebody deletes is made again.
        claims.addHandlers(
          enqueueOthers(queue, ({ metadata: { namespace, ownerReferences = [] } }) =>
            ownerReferences.flatMap(({ kind, name, controller }) =>
              kind === "Pod" && controller === true ? [`${namespace}/${name}`] : [],
            ),
          ),
        );
      },
      async reconcile(key) {
        const pod = pods.cache.get(key);
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return done;
        const { namespace = "" } = pod.metadata;
        for (const { volume, claim } of ephemeralClaims(pod)) {
          const { name } = claim.metadata;
          try {
            const known = claims.cache.get({ namespace, name });
            const foreign = known === undefined ? undefined : whyForeign(known, pod);
            if (foreign !== undefined) throw new Error(foreign);
            if (known !== undefined) continue;
            const made = client.core.v1.persistentVolumeClaims(namespace).create(claim);
            await made.then(
              () => metrics.ephemeralClaimMade(true),
              (error: unknown) => {
                metrics.ephemeralClaimMade(false);
                throw error;
              },
            );
          } catch (error) {
            // Made before, and not to be seen in the cache yet; or another's, as the cache will say.
            const why = isApiError(error) ? `create PVC ${name}: ${errorWords(error)}` : errorWords(error);
            if (!isApiError(error, "AlreadyExists"))
              events.warning(pod, "FailedBinding", `ephemeral volume ${volume}: ${why}`);
            throw error;
          }
        }
        return done;
      },
    };
  },
};
