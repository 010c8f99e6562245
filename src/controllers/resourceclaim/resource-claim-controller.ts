// Controller: makes claims of devices from the templates that pods name, and clears up after pods that are done.

import { kinds } from "../../client/built-in-kinds.ts";
import { byController } from "../../client/indexes.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type Controller, type ControllerContext, type ControllerDefinition, done } from "../framework/controller.ts";
import { whereServed } from "../framework/where-served.ts";
import { claimNames, hasClaims, isPodDone } from "./pod-claims.ts";
import { ResourceClaimSync } from "./resource-claim-sync.ts";

const WORKERS = 10;

/** Keys say which of the two they name. */
const POD = "pod:";
const CLAIM = "claim:";

export const resourceClaimController: ControllerDefinition = {
  name: "resourceclaim-controller",
  reportsAs: "resource_claim",
  aliases: ["resource-claim-controller"],
  account: "resource-claim-controller",
  workers: () => WORKERS,
  build: (context) => whereServed(context, kinds.devices.v1.resourceClaims, () => build(context)),
};

function build(context: ControllerContext): Controller {
  const { informers } = context;
  const pods = informers.of(kinds.core.v1.pods, {
    indexes: {
      resourceClaim: (pod) => claimNames(pod).map((name) => keyText({ namespace: pod.metadata.namespace ?? "", name })),
    },
  });
  const claims = informers.of(kinds.devices.v1.resourceClaims, { indexes: { controller: byController } });
  const templates = informers.of(kinds.devices.v1.resourceClaimTemplates);
  const sync = new ResourceClaimSync({ context, pods, claims, templates });
  return {
    watch(queue) {
      const addClaimsOf = (pod: Stored<Pod>) => {
        const { namespace = "", uid } = pod.metadata;
        for (const name of claimNames(pod)) queue.add(`${CLAIM}${keyText({ namespace, name })}`);
        for (const claim of claims.cache.byIndex("controller", uid)) queue.add(`${CLAIM}${keyText(keyOf(claim))}`);
      };
      const addPod = (pod: Stored<Pod>) => {
        if (!hasClaims(pod)) return;
        if (isPodDone(pod)) addClaimsOf(pod);
        else queue.add(`${POD}${keyText(keyOf(pod))}`);
      };
      pods.addHandlers({
        added: addPod,
        updated: addPod,
        deleted(pod) {
          sync.forgetPod(pod.metadata.uid);
          if (hasClaims(pod)) addClaimsOf(pod);
        },
      });
      claims.addHandlers({
        added: (claim) => queue.add(`${CLAIM}${keyText(keyOf(claim))}`),
        updated(claim) {
          const key = keyText(keyOf(claim));
          queue.add(`${CLAIM}${key}`);
          for (const pod of pods.cache.byIndex("resourceClaim", key)) addPod(pod);
        },
        deleted: (claim) => {
          for (const pod of pods.cache.byIndex("resourceClaim", keyText(keyOf(claim)))) addPod(pod);
        },
      });
      // Pods may have waited for it.
      templates.addHandlers({
        added({ metadata: { namespace = "", name } }) {
          for (const pod of pods.cache.list(namespace))
            if (pod.spec.resourceClaims?.some((each) => each.resourceClaimTemplateName === name)) addPod(pod);
        },
      });
    },
    async reconcile(key) {
      if (key.startsWith(POD)) {
        const pod = pods.cache.get(key.slice(POD.length));
        if (pod !== undefined) await sync.syncPod(pod);
      } else {
        const claim = claims.cache.get(key.slice(CLAIM.length));
        if (claim !== undefined) await sync.syncClaim(claim);
      }
      return done;
    },
  };
}
