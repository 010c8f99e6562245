// Controller: pods leave nodes whose NoExecute taints they do not tolerate, or no longer.
// Requirements: document 3, "States and transitions".

import { equalJson } from "../../base/json.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { againAfterMs, type ControllerDefinition, done, type KeyQueue } from "../framework/controller.ts";
import { evictPod } from "../framework/evict-pod.ts";
import { PodsByNode } from "../framework/pods-by-node.ts";
import { Evictions } from "./evictions.ts";
import { executeTaints, type Taint } from "./tolerated-time.ts";

export const taintEvictionController: ControllerDefinition = {
  name: "taint-eviction-controller",
  account: "node-controller",
  workers: () => 8,
  build({ client, informers, events, clock, metrics }) {
    const nodes = informers.of(kinds.core.v1.nodes);
    const pods = new PodsByNode(informers);
    const evictions = new Evictions();
    let queue: KeyQueue | undefined;
    /** Pods that were there before us, until they are looked at. */
    const found = new Set<string>();

    /** When a taint began: now that it is seen to come; as it says itself when it and the pod were there before us. */
    const beginOf = (pod: Stored<Pod>, { timeAdded }: Taint, wasThere: boolean): number => {
      const nowMs = clock.monotonicMs();
      const sinceMs = Math.max(
        Date.parse(timeAdded ?? ""),
        Date.parse(pod.status?.startTime ?? pod.metadata.creationTimestamp),
      );
      return !wasThere || Number.isNaN(sinceMs) ? nowMs : nowMs - Math.max(0, clock.nowMs() - sinceMs);
    };

    const evict = (pod: Stored<Pod>): Promise<void> => {
      const { namespace = "", name } = pod.metadata;
      return evictPod({ client, clock }, pod, {
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
        marked: () => events.normal(pod, "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${name}`),
      });
    };

    return {
      watch(given) {
        queue = given;
        const addPod = (pod: Stored<Pod>): void => {
          if (pods.informer.synced) given.add(keyText(keyOf(pod)));
        };
        pods.informer.addHandlers({
          added: addPod,
          deleted: addPod,
          updated(now, before) {
            const same = now.spec.nodeName === before.spec.nodeName;
            if (!same || !equalJson(now.spec.tolerations, before.spec.tolerations)) addPod(now);
          },
        });
        const addNode = ({ metadata }: Stored<Node>): void => {
          for (const pod of pods.on(metadata.name)) given.add(keyText(keyOf(pod)));
        };
        nodes.addHandlers({
          // Its pods may have been there before it.
          added(node) {
            if (nodes.synced && executeTaints(node).length > 0) addNode(node);
          },
          updated(now, before) {
            if (!equalJson(executeTaints(now), executeTaints(before))) addNode(now);
          },
          deleted: addNode,
        });
      },
      start() {
        for (const node of nodes.cache.values()) {
          if (executeTaints(node).length === 0) continue;
          for (const pod of pods.on(node.metadata.name)) {
            const key = keyText(keyOf(pod));
            found.add(key);
            queue?.add(key);
          }
        }
      },
      async reconcile(key) {
        const wasThere = found.delete(key);
        const pod = pods.informer.cache.get(key);
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) {
          evictions.forget(key);
          return done;
        }
        const taints = executeTaints(nodes.cache.get(pod.spec.nodeName ?? ""));
        const { uid } = pod.metadata;
        const verdict = evictions.judge({ key, uid, tolerations: pod.spec.tolerations, taints }, (taint) =>
          beginOf(pod, taint, wasThere),
        );
        if (verdict.type === "stay") {
          if (verdict.cancelled) events.normal(pod, "TaintManagerEviction", `Cancelling deletion of Pod ${key}`);
          return done;
        }
        const leftMs = verdict.atMs - clock.monotonicMs();
        if (leftMs > 0) return againAfterMs(leftMs);
        await evict(pod);
        metrics.evicted(-leftMs / 1000);
        return done;
      },
    };
  },
};
