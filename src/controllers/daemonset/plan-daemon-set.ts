// Which pods a DaemonSet creates and deletes: one on every node that fits, and the old ones replaced step by step. Pure.

import type { Stored } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { isAvailable, isReady } from "../pods-of-owner/pod-state.ts";
import { scaledAmount } from "../pods-of-owner/scaled-amount.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";
import type { NodeFit } from "./node-fit.ts";

export interface NodeState extends NodeFit {
  readonly name: string;
  /** Those on the node or made for it, without those that have ended and go. */
  readonly pods: readonly Stored<Pod>[];
}

export interface DaemonState {
  readonly set: Stored<DaemonSet>;
  /** Every node that there is. */
  readonly nodes: readonly NodeState[];
  /** Pods that were made for nodes that are gone. */
  readonly strays: readonly Stored<Pod>[];
  /** The hash of the present template. */
  readonly hash: string;
  /** How long a pod that has failed on a node has to wait until it is replaced. */
  readonly failedWaitMs: (nodeName: string) => number;
  readonly nowMs: number;
}

export interface DaemonPlan {
  /** Names of nodes. */
  readonly create: readonly string[];
  readonly delete: readonly Stored<Pod>[];
  /** Among those that are deleted: ended, and have to be told of. */
  readonly ended: readonly { readonly node: string; readonly pod: Stored<Pod> }[];
  readonly waitMs?: number | undefined;
}

export function planDaemonSet(state: DaemonState): DaemonPlan {
  const kept = keepNodes(state);
  // First every node has what it needs; then what is old is replaced.
  if (kept.create.length > 0 || kept.delete.length > 0) return kept;
  return { ...kept, ...rollingUpdate(state) };
}

export function isUpdated({ metadata }: Stored<Pod>, hash: string): boolean {
  return metadata.labels?.[REVISION_LABEL] === hash;
}

/** Those on a node first, then the oldest. */
export function oldestFirst(pods: readonly Stored<Pod>[]): Stored<Pod>[] {
  const rank = ({ spec }: Stored<Pod>) => (spec.nodeName ? 0 : 1);
  const createdMs = ({ metadata }: Stored<Pod>) => Date.parse(metadata.creationTimestamp);
  return [...pods].sort(
    (a, b) => rank(a) - rank(b) || createdMs(a) - createdMs(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

function keepNodes(state: DaemonState): DaemonPlan {
  const create: string[] = [];
  const gone: Stored<Pod>[] = [...state.strays];
  const ended: { node: string; pod: Stored<Pod> }[] = [];
  let waitMs: number | undefined;
  for (const { name, pods, shouldRun, mayStay } of state.nodes) {
    if (shouldRun && pods.length === 0) {
      create.push(name);
      continue;
    }
    const lasting = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (!mayStay) {
      for (const pod of lasting) gone.push(pod);
      continue;
    }
    const running: Stored<Pod>[] = [];
    for (const pod of lasting) {
      const { phase } = pod.status;
      if (phase !== "Failed" && phase !== "Succeeded") {
        running.push(pod);
        continue;
      }
      // A node agent may refuse every pod that it is given: it is not asked without pause.
      const leftMs = phase === "Failed" ? state.failedWaitMs(name) : 0;
      if (leftMs > 0) waitMs = Math.min(waitMs ?? leftMs, leftMs);
      else {
        gone.push(pod);
        ended.push({ node: name, pod });
      }
    }
    if (allowsSurge(state.set) && running.length === 0 && shouldRun && lasting.length === 0) create.push(name);
    for (const pod of excessOn(state, running)) gone.push(pod);
  }
  return { create, delete: gone, ended, waitMs };
}

/** One pod on each node; with a surge also a new one beside an old one, until it is available. */
function excessOn({ set, hash, nowMs }: DaemonState, running: readonly Stored<Pod>[]): readonly Stored<Pod>[] {
  if (running.length <= 1) return [];
  const ordered = oldestFirst(running);
  if (!allowsSurge(set)) return ordered.slice(1);
  const fresh = ordered.find((pod) => isUpdated(pod, hash));
  const old = ordered.find((pod) => !isUpdated(pod, hash));
  const excess = ordered.filter((pod) => pod !== fresh && pod !== old);
  const replaced =
    fresh !== undefined &&
    old !== undefined &&
    (!isReady(old) || isAvailable(fresh, set.spec.minReadySeconds ?? 0, nowMs));
  return replaced ? [...excess, old] : excess;
}

function rollingUpdate(state: DaemonState): Pick<DaemonPlan, "create" | "delete"> {
  const { set, nodes } = state;
  if (set.spec.updateStrategy.type === "OnDelete") return { create: [], delete: [] };
  const { rollingUpdate: pace } = set.spec.updateStrategy;
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length;
  const maxSurge = scaledAmount(pace?.maxSurge, desired, "up");
  if (maxSurge > 0) return surge(state, maxSurge, desired);
  // Neither allowed: one may be missing, or nothing would ever happen.
  return replace(state, scaledAmount(pace?.maxUnavailable, desired, "up") || 1);
}

interface OldAndNew {
  readonly fresh: Stored<Pod> | undefined;
  readonly old: Stored<Pod> | undefined;
}

/** Undefined when there are more than one of either: that is put in order first. */
function oldAndNew({ pods }: NodeState, hash: string): OldAndNew | undefined {
  const lasting = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const fresh = lasting.filter((pod) => isUpdated(pod, hash));
  const old = lasting.filter((pod) => !isUpdated(pod, hash));
  return fresh.length > 1 || old.length > 1 ? undefined : { fresh: fresh[0], old: old[0] };
}

function isUp({ set, nowMs }: DaemonState, pod: Stored<Pod>): boolean {
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
}

/** Old pods go, as many as may be missing; those that are of no use anyway go in any case. */
function replace(state: DaemonState, maxUnavailable: number): Pick<DaemonPlan, "create" | "delete"> {
  const useless: Stored<Pod>[] = [];
  const candidates: Stored<Pod>[] = [];
  let unavailable = 0;
  for (const node of state.nodes) {
    if (!node.shouldRun && node.pods.length === 0) continue;
    const found = oldAndNew(node, state.hash);
    if (found?.old === undefined || found.fresh !== undefined) {
      if (found?.fresh === undefined || found.old !== undefined || !isUp(state, found.fresh)) unavailable += 1;
    } else if (isUp(state, found.old)) {
      candidates.push(found.old);
    } else {
      useless.push(found.old);
      unavailable += 1;
    }
  }
  return { create: [], delete: [...useless, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

/** New pods come beside old ones, as many as may be too many; an old one goes when its new one is available. */
function surge(state: DaemonState, maxSurge: number, desired: number): Pick<DaemonPlan, "create" | "delete"> {
  const gone: Stored<Pod>[] = [];
  const needed: string[] = [];
  const candidates: string[] = [];
  const misplaced: Stored<Pod>[] = [];
  let surging = 0;
  let available = 0;
  for (const node of state.nodes) {
    const found = oldAndNew(node, state.hash);
    if (found === undefined) {
      surging += 1;
      continue;
    }
    const { old, fresh } = found;
    const counted = old ?? fresh;
    if (counted !== undefined && isUp(state, counted)) available += 1;
    if (old === undefined) continue;
    if (fresh === undefined) {
      const up = isUp(state, old);
      if (node.shouldRun) (up ? candidates : needed).push(node.name);
      else (up ? misplaced : gone).push(old);
    } else if (isUp(state, fresh)) {
      gone.push(old);
    } else {
      surging += 1;
    }
  }
  // What runs where it shall not stays until enough run elsewhere.
  const dispensable = misplaced.slice(0, Math.max(0, available - desired));
  const free = Math.max(0, maxSurge - surging);
  return { create: [...needed, ...candidates.slice(0, free)], delete: [...gone, ...dispensable] };
}

function allowsSurge({ spec: { updateStrategy } }: DaemonSet): boolean {
  return updateStrategy.type !== "OnDelete" && scaledAmount(updateStrategy.rollingUpdate?.maxSurge, 1, "up") > 0;
}
