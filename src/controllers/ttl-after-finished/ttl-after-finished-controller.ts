// Controller: deletes Jobs, with what belongs to them, some time after they have finished.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { parseKeyText } from "../../client/informer.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { msUntilExpiry } from "./job-expiry.ts";

export const ttlAfterFinishedController: ControllerDefinition = {
  name: "ttl-after-finished-controller",
  aliases: ["ttl-after-finished"],
  account: "ttl-after-finished-controller",
  workers: ({ concurrentTtlAfterFinishedSyncs }) => concurrentTtlAfterFinishedSyncs,
  build({ client, informers, clock, metrics }) {
    const jobs = informers.of(kinds.batch.v1.jobs);
    return {
      watch(queue) {
        jobs.addHandlers(enqueueItself(queue, (job) => msUntilExpiry(job, clock.nowMs()) !== undefined));
      },
      async reconcile(key) {
        const job = jobs.cache.get(key);
        if (job === undefined) return done;
        const leftMs = msUntilExpiry(job, clock.nowMs());
        if (leftMs === undefined) return done;
        if (leftMs > 0) return againAfterMs(leftMs);
        const overMs = -leftMs;
        // The limit may have been raised meanwhile: what is deleted is what was judged.
        const { uid, resourceVersion } = job.metadata;
        try {
          await client.batch.v1.jobs().delete(parseKeyText(key), {
            propagationPolicy: "Foreground",
            preconditions: { uid, resourceVersion },
          });
          metrics.finishedJobDeleted(overMs / 1000);
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        return done;
      },
    };
  },
};
