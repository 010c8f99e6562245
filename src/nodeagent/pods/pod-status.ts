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
import { endedContainers } from "./ended-containers.ts";
import { OWN_CONDITIONS, podConditions } from "./pod-conditions.ts";
import { hasStarted, type PhaseFacts, type PodPhase, podPhase } from "./pod-phase.ts";
import type { RuntimePod } from "./runtime-pod.ts";

export type PodStatus = Pod["status"];

/** Ends a pod as failed: a deadline has passed, or the node cannot keep it. */
export interface PodFailure extends WaitingReason {
  /** It is the node's doing and not the pod's: whoever counts failures may leave it out. */
  readonly isDisruption?: boolean;
  /** It holds also where every container ends well after all. */
  readonly isFinal?: boolean;
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
  const seen = {
    init: statuses("initContainers", "initContainerStatuses"),
    regular: statuses("containers", "containerStatuses"),
  };
  const { init, regular } = isEnding && !isStatic ? endedContainers(pod, told, seen) : seen;
  const ephemeral = statuses("ephemeralContainers", "ephemeralContainerStatuses");

  // Nobody shall take its place while something of it may still run; one of the node's own has no place to take.
  const ending = isEnding || isStatic ? facts.failure : undefined;
  const phase = phaseOf(facts, ending, seen);
  const failure = ending === undefined || phase === "Succeeded" ? keptReason(told, phase) : ending;
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
      disruption: ending?.isDisruption ? ending.message : undefined,
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

/**
 * The same as long as something of the pod runs, its sidecars for instance: who waits for its last phase takes its place, and
 * its devices.
 */
export function withoutLastPhase(status: PodStatus): PodStatus {
  if (!isLastPhase(status.phase)) return status;
  const { reason: _, message: __, ...rest } = status;
  return { ...rest, phase: hasStarted(status.containerStatuses ?? []) ? "Running" : "Pending" };
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
  return newest?.ready === true && (spec.hostNetwork === true || newest.ips.length > 0);
}

function phaseOf(
  { pod, told, isEnding, isStatic }: StatusFacts,
  failure: PodFailure | undefined,
  containers: Pick<PhaseFacts, "init" | "regular">,
): PodPhase {
  if (failure?.isFinal || (failure !== undefined && isStatic)) return "Failed";
  if (isLastPhase(told.phase)) return told.phase;
  const phase = podPhase({ pod, ...containers, isEnding, isStatic });
  return isEnding && !isStatic && phase !== "Succeeded" ? "Failed" : phase;
}

/** It belongs to the phase that it was told with. */
function keptReason({ phase, reason = "", message = "" }: PodStatus, now: PodPhase): WaitingReason | undefined {
  return !isLastPhase(phase) || phase !== now || (reason === "" && message === "") ? undefined : { reason, message };
}

const isLastPhase = (phase: string | undefined): phase is "Failed" | "Succeeded" =>
  phase === "Failed" || phase === "Succeeded";
