// What a StatefulSet does next with its pods: create, delete, mend, or wait. Pure.
//
// In order (the default) it does one thing at a time: numbers rise when pods are created and fall when they are deleted,
// and every pod waits until the ones before it are available. Parallel sets create and delete all at once; updates go one
// at a time in both, unless maxUnavailable allows more.

import type { Stored } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import { isAvailable } from "../pods-of-owner/pod-state.ts";
import { scaledAmount } from "../pods-of-owner/scaled-amount.ts";
import { ordinalOf, type PodOrder, revisionOf } from "./stateful-pod.ts";

interface SetRevision {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

export interface SetState {
  readonly set: Stored<StatefulSet>;
  /** Those that belong to the set. */
  readonly pods: readonly Stored<Pod>[];
  readonly current: SetRevision;
  readonly update: SetRevision;
  /** Whether the claims of this number are about to go: a pod must wait for that. */
  readonly hasStaleClaim: (ordinal: number) => boolean;
  readonly names: Names;
  readonly nowMs: number;
}

export interface SetPlan {
  readonly create: readonly PodOrder[];
  readonly delete: readonly Stored<Pod>[];
  /** Pods that lack labels that say who they are. */
  readonly relabel: readonly Stored<Pod>[];
  /** Pods whose claims have to be there: they wait for them, or may. */
  readonly needClaims: readonly Stored<Pod>[];
}

/** In one turn, so that no set, however large, keeps others waiting. */
const MAX_CREATIONS = 500;

export function planStatefulSet(state: SetState): SetPlan {
  const { set } = state;
  const plan: MutablePlan = { create: [], delete: [], relabel: [], needClaims: [] };
  const inTurn = set.spec.podManagementPolicy !== "Parallel";
  const { replicas, condemned } = sortPods(state);
  if (!keepReplicas(state, replicas, inTurn, plan) && inTurn) return plan;
  if (!removeCondemned(state, condemned, inTurn, plan) && inTurn) return plan;
  updatePods(state, replicas, plan);
  return plan;
}

interface SortedPods {
  /** By their numbers, which rise: those that the set wants. */
  readonly replicas: ReadonlyMap<number, Stored<Pod>>;
  /** Those of other numbers, from the highest down. */
  readonly condemned: readonly Stored<Pod>[];
}

export function sortPods({ set, pods }: Pick<SetState, "set" | "pods">): SortedPods {
  const { first, last } = rangeOf(set);
  const numbered = pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === undefined ? [] : [{ ordinal, pod }];
  });
  const isWanted = ({ ordinal }: { readonly ordinal: number }) => ordinal >= first && ordinal <= last;
  const rising = numbered.sort((a, b) => a.ordinal - b.ordinal);
  return {
    replicas: new Map(rising.filter(isWanted).map(({ ordinal, pod }) => [ordinal, pod])),
    condemned: rising
      .filter((each) => !isWanted(each))
      .map(({ pod }) => pod)
      .reverse(),
  };
}

function rangeOf({ spec }: StatefulSet): { readonly first: number; readonly last: number } {
  const first = spec.ordinals?.start ?? 0;
  return { first, last: first + (spec.replicas ?? 1) - 1 };
}

type MutablePlan = { -readonly [K in keyof SetPlan]: SetPlan[K][number][] };

const isTerminating = ({ metadata }: Stored<Pod>): boolean => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: Stored<Pod>): boolean => status.phase === "Failed" || status.phase === "Succeeded";

function isUnavailable({ set, nowMs }: SetState, pod: Stored<Pod> | undefined): boolean {
  return pod === undefined || isTerminating(pod) || !isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
}

/** False when something has to happen before anything else may. */
function keepReplicas(state: SetState, replicas: SortedPods["replicas"], inTurn: boolean, plan: MutablePlan): boolean {
  const { set, names } = state;
  const { first, last } = rangeOf(set);
  let complete = true;
  for (let ordinal = first; ordinal <= last && plan.create.length < MAX_CREATIONS; ordinal += 1) {
    const pod = replicas.get(ordinal);
    if (pod === undefined) {
      complete = false;
      if (!state.hasStaleClaim(ordinal)) plan.create.push(orderFor(state, ordinal));
    } else if (hasEnded(pod)) {
      complete = false;
      // Its name has to be free before the next one can be created.
      if (!isTerminating(pod)) plan.delete.push(pod);
    } else {
      if (pod.status.phase === "Pending") plan.needClaims.push(pod);
      if (inTurn && (pod.status.phase !== "Running" || isUnavailable(state, pod))) complete = false;
      else if (pod.metadata.labels?.[names.statefulPodNameLabel] !== pod.metadata.name) plan.relabel.push(pod);
    }
    if (!complete && inTurn) break;
  }
  return complete;
}

function orderFor({ set, current, update }: SetState, ordinal: number): PodOrder {
  const { updateStrategy, ordinals } = set.spec;
  const start = ordinals?.start ?? 0;
  const partition = updateStrategy.rollingUpdate?.partition;
  const keepsOld =
    updateStrategy.type !== "OnDelete" &&
    ordinal < start + (updateStrategy.rollingUpdate ? (partition ?? 0) : (set.status.currentReplicas ?? 0));
  const { name, template } = keepsOld ? current : update;
  return { ordinal, template, revision: name };
}

/** False when one goes, or is waited for. */
function removeCondemned(
  state: SetState,
  condemned: readonly Stored<Pod>[],
  inTurn: boolean,
  plan: MutablePlan,
): boolean {
  if (!inTurn) {
    for (const pod of condemned) if (!isTerminating(pod)) plan.delete.push(pod);
    return true;
  }
  const [first] = condemned;
  if (first === undefined) return true;
  if (isTerminating(first)) return false;
  // Of several that are in trouble the lowest number is waited for: the others may need it.
  const troubled = condemned.findLast((pod) => isUnavailable(state, pod));
  if (!isUnavailable(state, first) || first === troubled) plan.delete.push(first);
  return false;
}

function updatePods(state: SetState, replicas: SortedPods["replicas"], plan: MutablePlan): void {
  const { updateStrategy, replicas: count = 1 } = state.set.spec;
  if (updateStrategy.type === "OnDelete") return;
  const { partition = 0, maxUnavailable } = updateStrategy.rollingUpdate ?? {};
  const { first, last } = rangeOf(state.set);
  const isOld = (pod: Stored<Pod>) => revisionOf(pod) !== state.update.name && !isTerminating(pod);
  const goes = new Set(plan.delete);
  if (maxUnavailable === undefined) {
    for (let ordinal = last; ordinal >= first + partition; ordinal -= 1) {
      const pod = replicas.get(ordinal);
      if (pod === undefined || !isOld(pod)) {
        if (isUnavailable(state, pod)) return;
        continue;
      }
      if (!goes.has(pod)) plan.delete.push(pod);
      return;
    }
    return;
  }
  const available = [...replicas.values()].filter((pod) => !isUnavailable(state, pod)).length;
  let left = Math.max(1, scaledAmount(maxUnavailable, count, "down")) - (count - available);
  for (const [ordinal, pod] of [...replicas].reverse()) {
    if (left <= 0 || ordinal < first + partition) return;
    if (goes.has(pod) || !isOld(pod)) continue;
    plan.delete.push(pod);
    left -= 1;
  }
}
