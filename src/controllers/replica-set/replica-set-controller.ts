// Controllers: keep as many pods as a ReplicaSet or a ReplicationController asks for.

import { kinds } from "../../client/built-in-kinds.ts";
import { byController } from "../../client/indexes.ts";
import type { ReplicaSet } from "../../kinds/apps/replica-set.ts";
import type { ReplicationController } from "../../kinds/core/replication-controller.ts";
import type { ControllerDefinition } from "../framework/controller.ts";
import { ownerSelector } from "../pods-of-owner/owner-selector.ts";
import { ReplicaController } from "./replica-controller.ts";

export const replicaSetController: ControllerDefinition = {
  name: "replicaset-controller",
  aliases: ["replicaset"],
  account: "replicaset-controller",
  workers: ({ concurrentReplicasetSyncs }) => concurrentReplicasetSyncs,
  build: (context) =>
    new ReplicaController<ReplicaSet>(context, {
      owners: context.informers.of(kinds.apps.v1.replicaSets, { indexes: { controller: byController } }),
      resource: (client, namespace) => client.apps.v1.replicaSets(namespace),
      selectorOf: ({ spec }) => ownerSelector(spec.selector),
      countsTerminating: context.gateEnabled("DeploymentReplicaSetTerminatingReplicas"),
    }),
};

export const replicationController: ControllerDefinition = {
  name: "replicationcontroller-controller",
  reportsAs: "replication-controller",
  aliases: ["replicationcontroller"],
  account: "replication-controller",
  workers: ({ concurrentRcSyncs }) => concurrentRcSyncs,
  build: (context) =>
    new ReplicaController<ReplicationController>(context, {
      owners: context.informers.of(kinds.core.v1.replicationControllers, { indexes: { controller: byController } }),
      resource: (client, namespace) => client.core.v1.replicationControllers(namespace),
      selectorOf: ({ spec }) => ownerSelector(spec.selector && { matchLabels: spec.selector }),
      countsTerminating: false,
    }),
};
