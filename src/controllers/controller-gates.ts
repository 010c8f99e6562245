// The feature gates that controllers look at, and what they are when nobody sets them.

/** By name; the value of release 1.34. */
export const CONTROLLER_GATES = {
  DRADeviceTaints: false,
  DeploymentReplicaSetTerminatingReplicas: false,
  PodDeletionCost: true,
  StatefulSetSemanticRevisionComparison: true,
} as const;

export type ControllerGate = keyof typeof CONTROLLER_GATES;

export type GateEnabled = (gate: ControllerGate) => boolean;
