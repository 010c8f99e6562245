// The whole status of a pod, from what it shall be and what the runtime has of it. Pure.

import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import {
  type ContainerFacts,
  type ContainerSort,
  containerStatuses,
  type WaitingReason,
} from "./container-statuses.ts";
import { OWN_CONDITIONS, podConditions } from "./pod-conditions.ts";
import { podPhase } from "./pod-phase.ts";
import type { RuntimePod } from "./runtime-pod.ts";

export type PodStatus = Pod["status"];

/** Ends a pod as failed: a deadline has passed, or the node cannot keep it. */
export interface PodFailure extends WaitingReason {
  /** It is the node's doing and not the pod's: whoever counts failures may leave it out. */
  readonly isDisruption?: boolean;
}

interface StatusFacts extends Omit<ContainerFacts, "told"> {
  /** What was told last; the pod's own status at first. */
  readonly told: PodStatus;
  readonly hostIPs: readonly string[];
  readonly nowMs: number;
  /** Whether nothing will be started any more. */
  readonly isEnding: boolean;
  readonly isStatic: boolean;
  readonly failure?: PodFailure | undefined;
  /** Why the pod does not get the resources that it asks for. */
  readonly resizePending?: WaitingReason | undefined;
  readonly resizing?: Partial<WaitingReason> | undefined;
}

export function podStatus(facts: StatusFacts): PodStatus {
  const { pod, runtime, told, hostIPs, nowMs, isEnding, isStatic } = facts;
  const statuses = (sort: ContainerSort, key: keyof PodStatus) =>
    containerStatuses(sort, { ...facts, told: told[key] as ContainerFacts["told"] });
  const init = statuses("initContainers", "initContainerStatuses");
  const regular = statuses("containers", "containerStatuses");
  const ephemeral = statuses("ephemeralContainers", "ephemeralContainerStatuses");

  const ended = told.phase === "Failed" || told.phase === "Succeeded" ? told.phase : undefined;
  const failure = facts.failure ?? (ended === undefined ? undefined : reasonOf(told));
  const phase =
    facts.failure === undefined ? (ended ?? podPhase({ pod, init, regular, isEnding, isStatic })) : "Failed";
  const podIPs = podAddresses(pod, runtime, told, hostIPs);
  const conditions = podConditions(
    {
      pod,
      phase,
      init,
      regular,
      hasSandbox: hasSandbox(pod, runtime),
      resizePending: facts.resizePending,
      resizing: facts.resizing,
      disruption: facts.failure?.isDisruption ? facts.failure.message : undefined,
    },
    told.conditions ?? [],
    nowMs,
  );
  const own = new Set([...OWN_CONDITIONS, ...conditions.map(({ type }) => type)]);
  const others = (told.conditions ?? []).filter(({ type }) => !own.has(type));
  const { generation } = pod.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    conditions: [...conditions, ...others],
    ...(failure?.message ? { message: failure.message } : {}),
    ...(failure?.reason ? { reason: failure.reason } : {}),
    ...(hostIPs.length === 0 ? {} : { hostIP: hostIPs[0]!, hostIPs: hostIPs.map((ip) => ({ ip })) }),
    ...(podIPs.length === 0 ? {} : { podIP: podIPs[0]!, podIPs: podIPs.map((ip) => ({ ip })) }),
    startTime: told.startTime ?? timeOfMs(nowMs),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: regular,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    qosClass: told.qosClass ?? qosClassOf(pod.spec),
    ...(told.resourceClaimStatuses === undefined ? {} : { resourceClaimStatuses: told.resourceClaimStatuses }),
    ...(told.nominatedNodeName === undefined ? {} : { nominatedNodeName: told.nominatedNodeName }),
  };
}

/** The status of a pod that the node does not take. */
export function rejectedStatus(pod: Pod, { reason, message }: WaitingReason, nowMs: number): PodStatus {
  return {
    ...pod.status,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase: "Failed",
    reason,
    message: `Pod was rejected: ${message}`,
    qosClass: pod.status.qosClass ?? qosClassOf(pod.spec),
    startTime: pod.status.startTime ?? timeOfMs(nowMs),
  };
}

/** The addresses of the running sandbox; of one that has ended, the ones that were told stay. */
function podAddresses(
  { spec }: Pod,
  { sandboxes }: RuntimePod,
  told: PodStatus,
  hostIPs: readonly string[],
): readonly string[] {
  if (spec.hostNetwork) return sandboxes.length === 0 && told.podIPs === undefined ? [] : hostIPs;
  const [newest] = sandboxes;
  if (newest?.ready && newest.ips.length > 0) return newest.ips;
  return (told.podIPs ?? []).map(({ ip }) => ip);
}

function hasSandbox({ spec }: Pod, { sandboxes }: RuntimePod): boolean {
  const [newest] = sandboxes;
  return newest !== undefined && newest.ready && (spec.hostNetwork === true || newest.ips.length > 0);
}

function reasonOf({ reason = "", message = "" }: PodStatus): WaitingReason | undefined {
  return reason === "" && message === "" ? undefined : { reason, message };
}
