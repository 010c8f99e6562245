// Controller: one pod of every DaemonSet on each node that fits it.

import { equalJson } from "../../base/json.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { OwnedPods } from "../pods-of-owner/owned-pods.ts";
import { ownerSelector, refuseForeignTemplate } from "../pods-of-owner/owner-selector.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";
import { RevisionHistory } from "../revisions/revision-history.ts";
import { DaemonSetSync } from "./daemon-set-sync.ts";

export const daemonSetController: ControllerDefinition = {
  name: "daemonset-controller",
  aliases: ["daemonset"],
  account: "daemon-set-controller",
  workers: ({ concurrentDaemonsetSyncs }) => concurrentDaemonsetSyncs,
  build(context) {
    const { client, informers, events } = context;
    const sets = informers.of(kinds.apps.v1.daemonSets);
    const nodes = informers.of(kinds.core.v1.nodes);
    const parts = {
      ...context,
      owners: sets,
      selectorOf: ({ spec }: DaemonSet) => ownerSelector(spec.selector),
      findOwner: (namespace: string, name: string) => client.apps.v1.daemonSets(namespace).find(name),
    };
    const pods = new OwnedPods<DaemonSet>(parts);
    const history = new RevisionHistory<DaemonSet>({ ...parts, hashLabel: REVISION_LABEL });
    const sync = new DaemonSetSync({ context, pods, history, nodes });
    return {
      watch(queue) {
        sets.addHandlers(enqueueItself(queue));
        sets.addHandlers({ deleted: ({ metadata }) => sync.forget(metadata.uid) });
        pods.watch(queue);
        history.watch(queue);
        const addAll = () => {
          for (const set of sets.cache.values()) queue.add(keyText(keyOf(set)));
        };
        nodes.addHandlers({
          added: addAll,
          deleted({ metadata }) {
            sync.forgetNode(metadata.name);
            addAll();
          },
          updated(node, old) {
            // Nodes report without pause; what they say of themselves decides nothing here.
            const same =
              equalJson(node.metadata.labels, old.metadata.labels) && equalJson(node.spec?.taints, old.spec?.taints);
            if (!same) addAll();
          },
        });
      },
      subject: (key) => sets.cache.get(key),
      async reconcile(key) {
        const set = sets.cache.get(key);
        if (set === undefined) return done;
        const selector = parts.selectorOf(set);
        if (selector === undefined) {
          events.warning(
            set,
            "SelectingAll",
            "This daemon set is selecting all pods. A non-empty selector is required.",
          );
          return done;
        }
        refuseForeignTemplate(selector, set.spec.template);
        return sync.run(set, selector);
      },
    };
  },
};
