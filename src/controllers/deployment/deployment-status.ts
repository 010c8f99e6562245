// What a Deployment says of its pods, counted by what its ReplicaSets say.

import { equalJson } from "../../base/json.ts";
import type { Deployment } from "../../kinds/apps/deployment.ts";
import type { ReplicaSet } from "../../kinds/apps/replica-set.ts";
import {
  AVAILABLE,
  type DeploymentCondition,
  newCondition,
  REPLICA_FAILURE,
  withDeploymentCondition,
  withoutCondition,
} from "./conditions.ts";
import { allSets, availableOf, replicasOf, type SetsOfDeployment, sumOf } from "./replica-sets.ts";
import type { RolloutLimits } from "./rollout-limits.ts";

type Conditions = readonly DeploymentCondition[];

/** `withTerminating`: also how many pods end, once every set says so. */
export function countReplicas(
  deployment: Deployment,
  sets: SetsOfDeployment,
  withTerminating: boolean,
): Omit<Deployment["status"], "conditions"> {
  const all = allSets(sets);
  const availableReplicas = sumOf(all, availableOf);
  const { collisionCount } = deployment.status;
  const terminatingReplicas = withTerminating ? terminatingOf(all) : deployment.status.terminatingReplicas;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sumOf(all, ({ status }) => status.replicas),
    updatedReplicas: sets.current?.status.replicas ?? 0,
    readyReplicas: sumOf(all, ({ status }) => status.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, sumOf(all, replicasOf) - availableReplicas),
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/** Undefined while one of them does not say: a part of the sum would be taken for all of it. */
function terminatingOf(sets: readonly ReplicaSet[]): number | undefined {
  const said = sets.flatMap(({ status }) => status.terminatingReplicas ?? []);
  return said.length < sets.length ? undefined : said.reduce((sum, count) => sum + count, 0);
}

const COUNTS = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "collisionCount",
] as const;

/** A count that is not there is 0. */
export function sameStatus(a: Deployment["status"], b: Deployment["status"]): boolean {
  if (a.terminatingReplicas !== b.terminatingReplicas) return false;
  return COUNTS.every((name) => (a[name] ?? 0) === (b[name] ?? 0)) && equalJson(a.conditions ?? [], b.conditions ?? []);
}

export function availableConditions(
  conditions: Conditions,
  { replicas, maxUnavailable }: RolloutLimits,
  available: number,
  nowMs: number,
): Conditions {
  const said =
    available >= replicas - maxUnavailable
      ? newCondition(AVAILABLE, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", nowMs)
      : newCondition(
          AVAILABLE,
          "False",
          "MinimumReplicasUnavailable",
          "Deployment does not have minimum availability.",
          nowMs,
        );
  return withDeploymentCondition(conditions, said);
}

/** Why pods cannot be created: the current set's word counts more than that of others. */
export function failureConditions(conditions: Conditions, { current, old }: SetsOfDeployment): Conditions {
  const said = [current, ...old].map(failureOf).find((condition) => condition !== undefined);
  return said === undefined ? withoutCondition(conditions, REPLICA_FAILURE) : withDeploymentCondition(conditions, said);
}

function failureOf(set: ReplicaSet | undefined): DeploymentCondition | undefined {
  const condition = set?.status.conditions?.find(({ type }) => type === REPLICA_FAILURE);
  return condition && { ...condition, lastUpdateTime: condition.lastTransitionTime };
}
