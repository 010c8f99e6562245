// Controller: nodes that nothing is heard of become unknown, nodes in a bad condition are tainted, and old labels follow
// the new ones. Requirements: document 3, "Node status fields", "States and transitions".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerDefinition, done, type KeyQueue } from "../framework/controller.ts";
import { labelsToCopy } from "./node-labels.ts";
import { NodeMonitor } from "./node-monitor.ts";
import { applyRule, scheduleRule } from "./node-taints.ts";
import { markPodNotReady } from "./pods-not-ready.ts";

/** Keys beside the names of nodes and the keys of pods: a look at all nodes, and the taints whose turn it is. */
const LOOK = "*";
const TAINT = "!";

export const nodeLifecycleController: ControllerDefinition = {
  name: "node-lifecycle-controller",
  reportsAs: "node-controller",
  aliases: ["nodelifecycle"],
  account: "node-controller",
  workers: () => 8,
  build(context) {
    const { client, informers, names, clock, options } = context;
    const nodes = informers.of(kinds.core.v1.nodes);
    const pods = informers.of(kinds.core.v1.pods);
    const monitor = new NodeMonitor(context);
    let queue: KeyQueue | undefined;

    const reconcileNode = async (name: string): Promise<void> => {
      const node = nodes.cache.get(name);
      if (node === undefined) return;
      const { metadata, spec } = node;
      const taints = applyRule(spec?.taints, scheduleRule(node, names), timeOfMs(clock.nowMs()));
      const copies = labelsToCopy(node, names);
      if (taints === undefined && Object.keys(copies).length === 0) return;
      const labels = { ...metadata.labels, ...copies };
      const changed = { ...node, metadata: { ...metadata, labels }, ...(taints && { spec: { ...spec, taints } }) };
      try {
        await client.core.v1.nodes().update(changed, { answer: "unread" });
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
    };

    return {
      watch(given) {
        queue = given;
        const addNode = ({ metadata }: { metadata: { name: string } }): void => given.add(metadata.name);
        nodes.addHandlers({ added: addNode, updated: addNode });
        const addPod = (pod: Stored<Pod>): void => {
          if (pods.synced && monitor.isSilent(pod.spec.nodeName ?? "")) given.add(keyText(keyOf(pod)));
        };
        pods.addHandlers({
          added: addPod,
          updated(now, before) {
            if (now.spec.nodeName !== before.spec.nodeName) addPod(now);
          },
        });
      },
      start() {
        queue?.add(LOOK);
      },
      async reconcile(key, signal) {
        if (key === LOOK) {
          const nextMs = await monitor.pass(signal);
          if (nextMs !== undefined) queue?.addAfter(TAINT, nextMs);
          return againAfterMs(options.nodeMonitorPeriodMs);
        }
        if (key === TAINT) {
          const nextMs = await monitor.taintDue();
          return nextMs === undefined ? done : againAfterMs(nextMs);
        }
        const pod = key.includes("/") ? pods.cache.get(key) : undefined;
        if (pod !== undefined && monitor.isSilent(pod.spec.nodeName ?? "")) await markPodNotReady(context, pod);
        if (!key.includes("/")) await reconcileNode(key);
        return done;
      },
    };
  },
};
