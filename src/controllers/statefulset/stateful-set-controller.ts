// Controller: keeps the pods of StatefulSets, each with its own name and volumes, one after the other.

import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { OwnedPods } from "../pods-of-owner/owned-pods.ts";
import { ownerSelector, refuseForeignTemplate } from "../pods-of-owner/owner-selector.ts";
import { asksForSamePods } from "../revisions/revision.ts";
import { RevisionHistory } from "../revisions/revision-history.ts";
import { mayHaveClaim } from "./stateful-pod.ts";
import { StatefulSetSync } from "./stateful-set-sync.ts";

export const statefulSetController: ControllerDefinition = {
  name: "statefulset-controller",
  aliases: ["statefulset"],
  account: "statefulset-controller",
  workers: ({ concurrentStatefulsetSyncs }) => concurrentStatefulsetSyncs,
  build(context) {
    const { client, informers, names, gateEnabled } = context;
    const sets = informers.of(kinds.apps.v1.statefulSets);
    const claims = informers.of(kinds.core.v1.persistentVolumeClaims);
    const parts = {
      ...context,
      owners: sets,
      selectorOf: ({ spec }: StatefulSet) => ownerSelector(spec.selector),
      findOwner: (namespace: string, name: string) => client.apps.v1.statefulSets(namespace).find(name),
    };
    const pods = new OwnedPods<StatefulSet>(parts);
    const history = new RevisionHistory<StatefulSet>({
      ...parts,
      hashLabel: names.revisionHashLabel,
      isAsGood: (newest, template) =>
        gateEnabled("StatefulSetSemanticRevisionComparison") && asksForSamePods(newest, template, names),
    });
    const sync = new StatefulSetSync({ context, pods, history, claims });
    return {
      watch(queue) {
        sets.addHandlers(enqueueItself(queue));
        pods.watch(queue);
        history.watch(queue);
        // A pod may wait for a claim of its name to go, or have lost one that it waits with.
        claims.addHandlers({
          deleted({ metadata: { namespace = "", name } }) {
            for (const set of sets.cache.list(namespace)) if (mayHaveClaim(set, name)) queue.add(keyText(keyOf(set)));
          },
        });
      },
      subject: (key) => sets.cache.get(key),
      async reconcile(key) {
        const set = sets.cache.get(key);
        const selector = set === undefined ? undefined : parts.selectorOf(set);
        if (set === undefined || selector === undefined) return done;
        refuseForeignTemplate(selector, set.spec.template);
        return sync.run(set, selector);
      },
    };
  },
};
