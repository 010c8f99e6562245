// The kinds that keep a number of equal pods: ReplicaSet, and ReplicationController before it. One rule serves both.

import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { ObjectMeta } from "../../meta/object.ts";

/** What the rule needs of either. */
export interface Replicated {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec | null;
  };
  readonly status: ReplicaStatus;
}

export interface ReplicaStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicaCondition[];
}

interface ReplicaCondition {
  type: string;
  status: string;
  lastTransitionTime: string | null;
  reason?: string;
  message?: string;
}

export const wantedReplicas = ({ spec }: Replicated): number => Math.max(0, spec.replicas ?? 1);
