// The ReplicaSet that is created for a new template of a Deployment.

import { cloneJson } from "../../base/json.ts";
import { ownerReferenceTo } from "../../client/controller.ts";
import type { Stored } from "../../client/informer.ts";
import type { Deployment } from "../../kinds/apps/deployment.ts";
import type { ReplicaSet } from "../../kinds/apps/replica-set.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Names } from "../../meta/names.ts";
import { type OwnedSet, replicasOf, sumOf } from "./replica-sets.ts";
import { currentSetAnnotations, sizeAnnotations } from "./revision.ts";
import { currentSize } from "./rolling-update.ts";
import type { RolloutLimits } from "./rollout-limits.ts";
import { TEMPLATE_HASH_LABEL, templateHash } from "./template-hash.ts";

interface NewSetParts {
  readonly deployment: Stored<Deployment>;
  readonly limits: RolloutLimits;
  readonly old: readonly OwnedSet[];
  readonly revision: bigint;
}

export function newReplicaSet(names: Names, parts: NewSetParts): Draft<ReplicaSet> & { metadata: { name: string } } {
  const { deployment, limits, old, revision } = parts;
  const { spec, status, metadata } = deployment;
  const hash = templateHash(spec.template, status.collisionCount);
  const template = cloneJson(spec.template);
  template.metadata.labels = { ...template.metadata.labels, [TEMPLATE_HASH_LABEL]: hash };
  const selector = cloneJson(spec.selector) ?? {};
  return {
    metadata: {
      name: setName(metadata.name, hash),
      labels: { ...template.metadata.labels },
      annotations: {
        ...currentSetAnnotations(names, deployment, undefined, revision),
        ...sizeAnnotations(names, limits),
      },
      ownerReferences: [ownerReferenceTo(deployment)],
    },
    spec: {
      replicas: spec.strategy.type === "Recreate" ? limits.replicas : currentSize(limits, 0, sumOf(old, replicasOf)),
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH_LABEL]: hash } },
      template,
    },
  };
}

const MAX_NAME_LENGTH = 253;

/** The name of the deployment gives way where both do not fit. */
function setName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}-${hash}`;
}
