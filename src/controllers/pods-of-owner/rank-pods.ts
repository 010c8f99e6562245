// Which pods go first when there are too many: those whose loss costs least.

import type { Pod } from "../../kinds/core/pod.ts";
import { isActive, isReady, readySinceMs } from "./pod-state.ts";

interface RankOptions {
  readonly nowMs: number;
  /** The annotation with which users say what the loss of a pod costs, where that counts. */
  readonly deletionCostAnnotation?: string | undefined;
  /** Pods of the same service: of two on nodes, the one that has more of these beside it goes first. */
  readonly related?: Iterable<Pod>;
}

/** The pods in the order in which they shall be deleted. */
export function rankForDeletion<P extends RankedPod>(pods: readonly P[], options: RankOptions): P[] {
  const onNode = new Map<string, number>();
  for (const { spec, ...pod } of options.related ?? []) {
    const { nodeName = "" } = spec;
    if (nodeName !== "" && isActive({ spec, ...pod })) onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => rankOf(pod, onNode, options));
  return ranked.sort((a, b) => compare(a, b, options.nowMs)).map(({ pod }) => pod);
}

type RankedPod = Pod & { readonly metadata: { readonly uid: string; readonly creationTimestamp: string } };

interface Rank<P> {
  readonly pod: P;
  readonly assigned: boolean;
  readonly phase: number;
  readonly ready: boolean;
  readonly cost: number;
  readonly crowd: number;
  readonly readyMs: number | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly createdMs: number;
}

const PHASE_ORDER: ReadonlyMap<string | undefined, number> = new Map([
  ["Pending", 0],
  ["Unknown", 1],
  ["Running", 2],
]);

function rankOf<P extends RankedPod>(pod: P, onNode: ReadonlyMap<string, number>, options: RankOptions): Rank<P> {
  const { deletionCostAnnotation: annotation } = options;
  const { metadata, spec, status } = pod;
  const { nodeName = "" } = spec;
  return {
    pod,
    assigned: nodeName !== "",
    phase: PHASE_ORDER.get(status.phase) ?? 0,
    ready: isReady(pod),
    cost: annotation === undefined ? 0 : deletionCost(metadata.annotations?.[annotation]),
    crowd: onNode.get(nodeName) ?? 0,
    readyMs: readySinceMs(pod),
    ...restartsOf(pod),
    createdMs: Date.parse(metadata.creationTimestamp),
  };
}

/** The first difference decides. */
function compare<P extends RankedPod>(a: Rank<P>, b: Rank<P>, nowMs: number): number {
  return (
    Number(a.assigned) - Number(b.assigned) ||
    a.phase - b.phase ||
    Number(a.ready) - Number(b.ready) ||
    a.cost - b.cost ||
    b.crowd - a.crowd ||
    (a.ready && b.ready ? compareAges(a.readyMs, b.readyMs, a, b, nowMs) : 0) ||
    b.restarts - a.restarts ||
    b.sidecarRestarts - a.sidecarRestarts ||
    compareAges(a.createdMs, b.createdMs, a, b, nowMs)
  );
}

/**
 * The younger first; but ages in the same power of two count as equal, and chance (the uid) decides between them. Else
 * scaling down would always take the newest, which stand where the scheduler has just found room.
 */
function compareAges<P extends RankedPod>(
  aMs: number | undefined,
  bMs: number | undefined,
  a: Rank<P>,
  b: Rank<P>,
  nowMs: number,
): number {
  if (aMs === bMs) return 0;
  if (aMs === undefined) return -1;
  if (bMs === undefined) return 1;
  return ageBucket(nowMs - aMs) - ageBucket(nowMs - bMs) || (a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1);
}

/** Upstream counts in nanoseconds; the borders of its buckets are ours. */
const ageBucket = (ageMs: number): number => (ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1);

/** A whole number of 32 bits as text; anything else costs 0. */
function deletionCost(text: string | undefined): number {
  if (text === undefined || !/^(?:0|-?[1-9][0-9]{0,9}|-0)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

function restartsOf({ spec, status }: Pod): { restarts: number; sidecarRestarts: number } {
  const sidecars = new Set<string>();
  for (const { name, restartPolicy } of spec.initContainers ?? []) if (restartPolicy === "Always") sidecars.add(name);
  let restarts = 0;
  let sidecarRestarts = 0;
  for (const { restartCount } of status.containerStatuses ?? []) restarts = Math.max(restarts, restartCount);
  for (const { name, restartCount } of status.initContainerStatuses ?? [])
    if (sidecars.has(name)) sidecarRestarts = Math.max(sidecarRestarts, restartCount);
  return { restarts, sidecarRestarts };
}
