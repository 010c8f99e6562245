// Controller: starts Jobs by the schedules of CronJobs, says which are active, and clears old ones away.

import { kinds } from "../../client/built-in-kinds.ts";
import { byController } from "../../client/indexes.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { CronJob } from "../../kinds/batch/cron-job.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueOthers } from "../framework/enqueue.ts";
import { CronJobSync, msUntilNext } from "./cronjob-sync.ts";

export const cronJobController: ControllerDefinition = {
  name: "cronjob-controller",
  aliases: ["cronjob"],
  account: "cronjob-controller",
  workers: ({ concurrentCronJobSyncs }) => concurrentCronJobSyncs,
  build(context) {
    const cronJobs = context.informers.of(kinds.batch.v1.cronJobs);
    const jobs = context.informers.of(kinds.batch.v1.jobs, { indexes: { controller: byController } });
    const sync = new CronJobSync(context, (uid) => jobs.cache.byIndex("controller", uid));
    return {
      watch(queue) {
        const add = (cronJob: Stored<CronJob>) => queue.add(keyText(keyOf(cronJob)));
        cronJobs.addHandlers({
          added: add,
          deleted: add,
          updated(now, { spec }) {
            const sameSchedule = now.spec.schedule === spec.schedule && now.spec.timeZone === spec.timeZone;
            // A new schedule begins with its next moment: nobody asked for what it would have started before.
            queue.addAfter(keyText(keyOf(now)), sameSchedule ? 0 : msUntilNext(now, context.clock.nowMs()));
          },
        });
        jobs.addHandlers(
          enqueueOthers(queue, ({ metadata: { namespace = "", ownerReferences = [] } }) =>
            ownerReferences
              .filter(({ controller, kind }) => controller === true && kind === "CronJob")
              .map(({ name }) => keyText({ namespace, name })),
          ),
        );
      },
      subject: (key) => cronJobs.cache.get(key),
      async reconcile(key) {
        const cronJob = cronJobs.cache.get(key);
        if (cronJob !== undefined) return sync.run(key, cronJob);
        sync.forget(key);
        return done;
      },
    };
  },
};
