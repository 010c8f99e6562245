// Controller: rolls out Deployments, by way of ReplicaSets.

import { cloneJson } from "../../base/json.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { byController } from "../../client/indexes.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Deployment } from "../../kinds/apps/deployment.ts";
import type { ReplicaSet } from "../../kinds/apps/replica-set.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { controllerOf } from "../pods-of-owner/claim-objects.ts";
import { OwnedObjects } from "../pods-of-owner/owned-objects.ts";
import { ownerSelector, refuseForeignTemplate } from "../pods-of-owner/owner-selector.ts";
import { isPodFinished } from "../service-backends/backend-pod.ts";
import { Rollout } from "./rollout.ts";

const CONTROLLER = "controller";

export const deploymentController: ControllerDefinition = {
  name: "deployment-controller",
  aliases: ["deployment"],
  account: "deployment-controller",
  workers: ({ concurrentDeploymentSyncs }) => concurrentDeploymentSyncs,
  build(context) {
    const { client, informers, events } = context;
    const deployments = informers.of(kinds.apps.v1.deployments);
    const replicaSets = informers.of(kinds.apps.v1.replicaSets);
    const pods = informers.of(kinds.core.v1.pods, { indexes: { [CONTROLLER]: byController } });
    const selectorOf = ({ spec }: Deployment) => ownerSelector(spec.selector);
    const owned = new OwnedObjects<ReplicaSet, Deployment>({
      owned: replicaSets,
      owners: deployments,
      selectorOf,
      findOwner: (namespace, name) => client.apps.v1.deployments(namespace).find(name),
      patch: ({ metadata: { namespace, name } }, metadata) =>
        client.apps.v1.replicaSets(namespace).patch(name, { strategic: { metadata } }),
    });
    return {
      watch(queue) {
        deployments.addHandlers(enqueueItself(queue));
        owned.watch(queue);
        const lookForLast = (pod: Stored<Pod>): void => {
          const setName = controllerOf(pod)?.name ?? "";
          const set = replicaSets.cache.get({ namespace: pod.metadata.namespace ?? "", name: setName });
          const name = set === undefined ? undefined : controllerOf(set)?.name;
          const deployment = deployments.cache.get({ namespace: pod.metadata.namespace ?? "", name: name ?? "" });
          // Who recreates waits for the last old pod to go; others look at what ReplicaSets say.
          if (deployment?.spec.strategy.type === "Recreate") queue.add(keyText(keyOf(deployment)));
        };
        pods.addHandlers({
          deleted: lookForLast,
          updated(pod, old) {
            // What has ended runs no more, though something may hold it for long.
            if (isPodFinished(pod) && !isPodFinished(old)) lookForLast(pod);
          },
        });
      },
      subject: (key) => deployments.cache.get(key),
      async reconcile(key) {
        const deployment = deployments.cache.get(key);
        if (deployment === undefined) return done;
        const selector = selectorOf(deployment);
        if (selector === undefined) {
          events.warning(deployment, "SelectingAll", SELECTS_ALL);
          const { metadata, status } = deployment;
          if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
            const seen = {
              ...cloneJson(deployment),
              status: { ...status, observedGeneration: metadata.generation ?? 0 },
            };
            await client.apps.v1.deployments(metadata.namespace).status.update(seen);
          }
          return done;
        }
        refuseForeignTemplate(selector, deployment.spec.template);
        const sets = await owned.claim(deployment, selector);
        const podsOf = ({ metadata: { uid } }: Stored<ReplicaSet>) => pods.cache.byIndex(CONTROLLER, uid);
        return new Rollout({ context, deployment, sets, podsOf }).run();
      },
    };
  },
};

const SELECTS_ALL = "This deployment is selecting all pods. A non-empty selector is required.";
