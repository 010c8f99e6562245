// Controller: runs the pods of Jobs until enough of them have succeeded, or too many have failed.

import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { OwnedPods } from "../pods-of-owner/owned-pods.ts";
import { ownerSelector, refuseForeignTemplate } from "../pods-of-owner/owner-selector.ts";
import { isPodFinished } from "../service-backends/backend-pod.ts";
import { hasFinalizer } from "./assess-job.ts";
import { finishedAs } from "./finished-job.ts";
import { JobSync } from "./job-sync.ts";

/** Changes of many pods at once are one turn for their job. */
const POD_BATCH_MS = 100;

/** Keys that name a pod, not a job: one that nobody counts any more and that waits to be let go. */
const LEFT_BEHIND = "pod:";

export const jobController: ControllerDefinition = {
  name: "job-controller",
  aliases: ["job"],
  account: "job-controller",
  workers: ({ concurrentJobSyncs }) => concurrentJobSyncs,
  build(context) {
    const { client, informers, names, metrics } = context;
    const jobs = informers.of(kinds.batch.v1.jobs);
    const selectorOf = ({ spec }: Job) => ownerSelector(spec.selector);
    const pods = informers.of(kinds.core.v1.pods);
    const owned = new OwnedPods<Job>({
      ...context,
      owners: jobs,
      selectorOf,
      findOwner: (namespace, name) => client.batch.v1.jobs(namespace).find(name),
      finalizers: [names.jobTrackingFinalizer],
    });
    const sync = new JobSync(context, owned);
    const isOurs = ({ spec }: Stored<Job>) => spec.managedBy === undefined || spec.managedBy === names.jobController;
    /** Whether the pod waits for a job that will still count it. */
    const isAwaited = (pod: Stored<Pod>, jobOf: (name: string) => Stored<Job> | undefined): boolean => {
      const controller = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
      if (controller === undefined) return false;
      if (controller.kind !== "Job" || !controller.apiVersion.startsWith("batch/")) return true;
      const job = jobOf(controller.name);
      if (job?.metadata.uid !== controller.uid) return false;
      return !isOurs(job) || finishedAs(job) === undefined;
    };

    return {
      watch(queue) {
        const letGo = (pod: Stored<Pod>) => {
          const { namespace = "" } = pod.metadata;
          if (!hasFinalizer(pod, names)) sync.releaseSeen(pod);
          else if (!isAwaited(pod, (name) => jobs.cache.get({ namespace, name })))
            queue.add(`${LEFT_BEHIND}${keyText(keyOf(pod))}`);
        };
        const letAllGo = (job: Stored<Job>) => {
          for (const pod of owned.controlledBy(job)) letGo(pod);
        };
        jobs.addHandlers(enqueueItself(queue, isOurs));
        jobs.addHandlers({
          added: (job) => {
            if (!isOurs(job)) metrics.jobOfOthers(job.spec.managedBy ?? "");
          },
          updated: (job, old) => {
            if (finishedAs(job) !== undefined && finishedAs(old) === undefined) letAllGo(job);
          },
          deleted: (job) => {
            sync.forgetJob(job);
            letAllGo(job);
          },
        });
        owned.watch({
          add: (key) => queue.addAfter(key, POD_BATCH_MS),
          addAfter: (key, afterMs) => queue.addAfter(key, afterMs),
        });
        pods.addHandlers({ added: letGo, updated: letGo, deleted: (pod) => sync.releaseSeen(pod) });
        const isKept = (pod: Stored<Pod>) => isPodFinished(pod) && hasFinalizer(pod, names);
        pods.addHandlers({
          added(pod) {
            if (isKept(pod)) metrics.jobFinalizerSeen("add");
          },
          updated(pod, old) {
            if (isKept(pod) !== isKept(old)) metrics.jobFinalizerSeen(isKept(pod) ? "add" : "delete");
          },
          deleted(pod) {
            if (isKept(pod)) metrics.jobFinalizerSeen("delete");
          },
        });
      },

      subject: (key) => jobs.cache.get(key),
      async reconcile(key) {
        if (key.startsWith(LEFT_BEHIND)) {
          const pod = pods.cache.get(key.slice(LEFT_BEHIND.length));
          if (pod === undefined) return done;
          const { namespace, ownerReferences } = pod.metadata;
          const controller = ownerReferences?.find(({ controller }) => controller === true);
          // The server is asked: a cache may not have the job yet.
          const job = controller && (await client.batch.v1.jobs(namespace).find(controller.name));
          if (!isAwaited(pod, () => job)) await sync.release(pod);
          return done;
        }
        const job = jobs.cache.get(key);
        const selector = job === undefined ? undefined : selectorOf(job);
        if (job === undefined || selector === undefined || !isOurs(job)) return done;
        refuseForeignTemplate(selector, job.spec.template);
        return sync.run(job, selector);
      },
    };
  },
};
