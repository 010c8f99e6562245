// Controller: ends pods that stay behind: finished ones above a threshold, those of nodes that are gone or out of service, and
// those that were told to end before they came to a node.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { inParallel } from "../framework/in-parallel.ts";
import { PodsByNode } from "../framework/pods-by-node.ts";
import { isOutOfService, isTerminated, mustEndNow, terminatedAbove } from "./pod-garbage.ts";

/** How long finished pods gather before they are counted. */
const COUNT_AFTER_MS = 20_000;
/** A node that was just made may be seen after its first pod. */
const QUARANTINE_MS = 40_000;

/** Pods that are ended side by side. */
const PODS_AT_ONCE = 8;

const TERMINATED = "terminated";
const FIELD_MANAGER = "PodGC";

/** Keys are pods, or one of these; names of pods have no colon. */
const COUNT_KEY = ":terminated";
const NODE_KEY = ":node:";

export const podGarbageCollector: ControllerDefinition = {
  name: "pod-garbage-collector-controller",
  aliases: ["podgc"],
  account: "pod-garbage-collector",
  build({ client, informers, names, clock, options }) {
    const threshold = options.terminatedPodGcThreshold;
    const nodes = informers.of(kinds.core.v1.nodes);
    const byNode = new PodsByNode(informers);
    const pods = byNode.informer;
    pods.addIndexes({ [TERMINATED]: (pod) => (isTerminated(pod) ? [TERMINATED] : []) });
    const nodeOf = ({ spec: { nodeName } }: Pod) => (nodeName ? nodes.cache.get(nodeName) : undefined);

    /** Whoever waits for such a pod must see that it has ended, and why. */
    const end = async (pod: Stored<Pod>, why?: string): Promise<void> => {
      const { namespace = "", name, uid, generation } = pod.metadata;
      const live = client.core.v1.pods(namespace);
      try {
        if (!isTerminated(pod)) {
          const condition = {
            type: "DisruptionTarget",
            status: "True" as const,
            reason: "DeletionByPodGC",
            message: why ?? "",
            lastTransitionTime: timeOfMs(clock.nowMs()),
            ...(generation === undefined ? {} : { observedGeneration: generation }),
          };
          const status = { phase: "Failed" as const, ...(why === undefined ? {} : { conditions: [condition] }) };
          // The uid makes sure that no new pod of the same name is meant.
          const applied = { metadata: { name, namespace, uid }, status };
          await live.status.apply(applied, { fieldManager: FIELD_MANAGER, force: true });
        }
        await live.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    };

    const endTerminated = async (): Promise<void> => {
      await inParallel(PODS_AT_ONCE, terminatedAbove(pods.cache.byIndex(TERMINATED, TERMINATED), threshold), end);
    };
    const endOrphans = async (nodeName: string): Promise<void> => {
      const orphans = byNode.on(nodeName);
      if (orphans.length === 0 || nodes.cache.get(nodeName) !== undefined) return;
      // The cache may be behind: no pod ends for a node that is there.
      if ((await client.core.v1.nodes().find(nodeName)) !== undefined) return;
      await inParallel(PODS_AT_ONCE, orphans, (pod) => end(pod, "PodGC: node no longer exists"));
    };

    return {
      watch(queue) {
        const look = (pod: Stored<Pod>): void => {
          const { nodeName } = pod.spec;
          const node = nodeOf(pod);
          if (threshold > 0 && isTerminated(pod)) queue.addAfter(COUNT_KEY, COUNT_AFTER_MS);
          if (nodeName && node === undefined) queue.addAfter(NODE_KEY + nodeName, QUARANTINE_MS);
          if (mustEndNow(pod, node, names)) queue.add(keyText(keyOf(pod)));
        };
        pods.addHandlers({ added: look, updated: look });
        const lookAtPods = (node: Stored<Node>): void => {
          if (!isOutOfService(node, names)) return;
          for (const pod of byNode.on(node.metadata.name)) look(pod);
        };
        nodes.addHandlers({
          added: lookAtPods,
          updated: lookAtPods,
          deleted: ({ metadata: { name } }) => queue.addAfter(NODE_KEY + name, QUARANTINE_MS),
        });
      },
      async reconcile(key) {
        if (key === COUNT_KEY) {
          await endTerminated();
          return done;
        }
        if (key.startsWith(NODE_KEY)) {
          const nodeName = key.slice(NODE_KEY.length);
          await endOrphans(nodeName);
          // Pods that finalizers hold stay; they are looked at again as long as their node is missing.
          const left = nodes.cache.get(nodeName) === undefined && byNode.on(nodeName).length > 0;
          return left ? againAfterMs(QUARANTINE_MS) : done;
        }
        const pod = pods.cache.get(key);
        if (pod !== undefined && mustEndNow(pod, nodeOf(pod), names)) await end(pod);
        return done;
      },
    };
  },
};
