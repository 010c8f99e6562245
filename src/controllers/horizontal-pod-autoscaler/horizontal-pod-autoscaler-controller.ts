// Controller: scales what HorizontalPodAutoscalers point at, by their metrics.

import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText } from "../../client/informer.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { ScaleTargets } from "../scale-target/scale-targets.ts";
import { Autoscale } from "./autoscale.ts";
import { MetricsApis } from "./metrics-apis.ts";
import { ScalingHistory } from "./scaling-history.ts";

/** What is remembered of an autoscaler between two looks. */
interface Memory {
  readonly uid: string;
  readonly history: ScalingHistory;
  /** Of its pods, as of the last look. */
  selector?: LabelSelector;
}

export const horizontalPodAutoscalerController: ControllerDefinition = {
  name: "horizontal-pod-autoscaler-controller",
  reportsAs: "horizontal-pod-autoscaler",
  aliases: ["horizontalpodautoscaling"],
  account: "horizontal-pod-autoscaler",
  workers: ({ concurrentHorizontalPodAutoscalerSyncs }) => concurrentHorizontalPodAutoscalerSyncs,
  build(context) {
    const { client, informers, options, log } = context;
    const autoscalers = informers.of(kinds.autoscaling.v2.horizontalPodAutoscalers);
    const pods = informers.of(kinds.core.v1.pods);
    const targets = new ScaleTargets(context);
    const apis = new MetricsApis(client);
    const memories = new Map<string, Memory>();

    const memoryOf = (key: string, uid: string): Memory => {
      const known = memories.get(key);
      if (known?.uid === uid) return known;
      const made = { uid, history: new ScalingHistory() };
      memories.set(key, made);
      return made;
    };

    return {
      watch(queue) {
        autoscalers.addHandlers({
          // Not at once: of what was created together with it nothing can be measured yet. Later changes are seen with the
          // next look, which is always under way.
          added: (autoscaler) =>
            queue.addAfter(keyText(keyOf(autoscaler)), options.horizontalPodAutoscalerSyncPeriodMs),
          deleted: (autoscaler) => void memories.delete(keyText(keyOf(autoscaler))),
        });
      },
      subject: (key) => autoscalers.cache.get(key),
      async reconcile(key) {
        const autoscaler = autoscalers.cache.get(key);
        if (autoscaler === undefined) return done;
        const memory = memoryOf(key, autoscaler.metadata.uid);
        const prefix = `${autoscaler.metadata.namespace}/`;
        const autoscale = new Autoscale({
          context,
          autoscaler,
          targets,
          apis,
          history: memory.history,
          podsIn: (namespace) => pods.cache.list(namespace),
          othersOf(selected, selector) {
            memory.selector = selector;
            const others = [...memories].filter(
              ([other, { selector: held }]) =>
                other !== key &&
                other.startsWith(prefix) &&
                selected.some(({ metadata }) => held?.matches(metadata.labels) === true),
            );
            return others.map(([other]) => other);
          },
        });
        // A failure comes back with the next look: metrics are not there the sooner for being asked for more often.
        await autoscale.run().catch((error: unknown) => {
          log.debug({ err: error, controller: "horizontal-pod-autoscaler-controller", key }, "could not autoscale");
        });
        return againAfterMs(options.horizontalPodAutoscalerSyncPeriodMs);
      },
    };
  },
};
