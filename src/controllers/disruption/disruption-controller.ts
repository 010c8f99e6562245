// Controller: says of every PodDisruptionBudget how many pods may be evicted now, and takes back the word that a pod is
// about to go when it does not.

import { cloneJson, equalJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { PodDisruptionBudget } from "../../kinds/policy/pod-disruption-budget.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerDefinition, done, type KeyQueue, type Outcome } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { errorWords } from "../pods-of-owner/error-words.ts";
import { gatheringMs } from "../pods-of-owner/gathering.ts";
import { compiledSelector } from "../pods-of-owner/owner-selector.ts";
import { failedStatus, healthyCounts, judgeBudget, needsScale } from "./budget.ts";
import { severalWords, unmanagedWords } from "./event-words.ts";
import { ControllerScales } from "./expected-scale.ts";
import { msUntilStale } from "./stale-disruption.ts";

/** Keys of budgets are their names; those of pods begin with this, which no name of a namespace does. */
const POD = "pod:";

export const disruptionController: ControllerDefinition = {
  name: "disruption-controller",
  reportsAs: "controllermanager",
  aliases: ["disruption"],
  account: "disruption-controller",
  build(context) {
    const { client, informers, events, clock } = context;
    const budgets = informers.of(kinds.policy.v1.podDisruptionBudgets);
    const pods = informers.of(kinds.core.v1.pods);
    const scales = new ControllerScales(context);
    /** How many pods budgets had when they were last counted. */
    const sizes = new Map<string, number>();

    const write = (budget: Stored<PodDisruptionBudget>, status: PodDisruptionBudget["status"]) =>
      client.policy.v1.podDisruptionBudgets(budget.metadata.namespace).status.update({ ...cloneJson(budget), status });

    async function countBudget(budget: Stored<PodDisruptionBudget>): Promise<Outcome> {
      const { spec, metadata } = budget;
      // No selector selects nothing, an empty one everything.
      const selector = compiledSelector(spec.selector);
      const isSelected = (pod: Pod) => selector?.matches(pod.metadata.labels) === true;
      const selected = pods.cache.list(metadata.namespace ?? "").filter(isSelected);
      sizes.set(keyText(keyOf(budget)), selected.length);
      if (selected.length === 0) events.normal(budget, "NoPods", "No matching pods found");
      let scale = 0;
      if (needsScale(spec)) {
        const expected = await scales.of(selected).catch((error: unknown) => {
          const message = `Failed to calculate the number of expected pods: ${errorWords(error)}`;
          events.warning(budget, "CalculateExpectedPodCountFailed", message);
          throw error;
        });
        scale = expected.scale;
        if (expected.unmanaged.length > 0) events.warning(budget, "UnmanagedPods", unmanagedWords(spec.selector));
      }
      const nowMs = clock.nowMs();
      const verdict = judgeBudget(budget, selected, healthyCounts(spec, selected.length, scale), nowMs);
      for (const pod of verdict.notDeleted) {
        const message = `Pod was expected by PDB ${metadata.namespace}/${metadata.name} to be deleted but it wasn't`;
        events.warning(pod, "NotDeleted", message);
      }
      // With its version: an eviction may be granted meanwhile, and is counted first then.
      if (!equalJson(verdict.status, budget.status)) await write(budget, verdict.status);
      return verdict.recheckAfterMs === undefined ? done : againAfterMs(verdict.recheckAfterMs);
    }

    async function takeBack(pod: Stored<Pod>): Promise<Outcome> {
      const waitMs = msUntilStale(pod, clock.nowMs());
      if (waitMs === undefined) return done;
      if (waitMs > 0) return againAfterMs(waitMs);
      const changed = cloneJson(pod);
      for (const condition of changed.status.conditions ?? []) {
        if (condition.type !== "DisruptionTarget") continue;
        condition.status = "False";
        if (pod.metadata.generation !== undefined) condition.observedGeneration = pod.metadata.generation;
        condition.lastTransitionTime = timeOfMs(clock.nowMs());
        delete condition.reason;
        delete condition.message;
      }
      await client.core.v1.pods(pod.metadata.namespace).status.update(changed);
      return done;
    }

    return {
      watch(queue) {
        budgets.addHandlers(enqueueItself(queue));
        budgets.addHandlers({ deleted: (budget) => void sizes.delete(keyText(keyOf(budget))) });
        const enqueueBudgets = ({ metadata: { namespace = "", labels } }: Stored<Pod>): string[] => {
          const found: string[] = [];
          for (const budget of budgets.cache.list(namespace)) {
            if (compiledSelector(budget.spec.selector)?.matches(labels) !== true) continue;
            const key = keyText(keyOf(budget));
            queue.addAfter(key, gatheringMs(sizes.get(key) ?? 0));
            found.push(budget.metadata.name);
          }
          return found;
        };
        const enqueueAndWarn = (pod: Stored<Pod>): void => {
          const found = enqueueBudgets(pod);
          if (found.length > 1) events.warning(pod, "MultiplePodDisruptionBudgets", severalWords(pod, found));
        };
        pods.addHandlers({
          added: enqueueAndWarn,
          deleted: (pod) => void enqueueBudgets(pod),
          updated(pod, old) {
            if (!equalJson(pod.metadata.labels, old.metadata.labels)) enqueueBudgets(old);
            enqueueAndWarn(pod);
          },
        });
        pods.addHandlers(enqueueStale(queue, () => clock.nowMs()));
      },
      subject: (key) => budgets.cache.get(key),
      async reconcile(key) {
        if (key.startsWith(POD)) {
          const pod = pods.cache.get(key.slice(POD.length));
          return pod === undefined ? done : takeBack(pod);
        }
        const budget = budgets.cache.get(key);
        if (budget === undefined) return done;
        try {
          return await countBudget(budget);
        } catch (error) {
          // A conflict says that another has just written: what it wrote holds until the next look.
          if (!isApiError(error, "Conflict", "NotFound")) {
            const status = failedStatus(budget, errorWords(error), clock.nowMs());
            if (!equalJson(status, budget.status)) await write(budget, status).catch(() => undefined);
          }
          throw error;
        }
      },
    };
  },
};

function enqueueStale(queue: KeyQueue, nowMs: () => number) {
  const add = (pod: Stored<Pod>): void => {
    const waitMs = msUntilStale(pod, nowMs());
    if (waitMs !== undefined) queue.addAfter(`${POD}${keyText(keyOf(pod))}`, waitMs);
  };
  return { added: add, updated: add };
}
