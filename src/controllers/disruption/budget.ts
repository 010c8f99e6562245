// The rules of disruption budgets: how many pods must stay healthy, how many are, and how many may go.

import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { PodDisruptionBudget } from "../../kinds/policy/pod-disruption-budget.ts";
import { timeOfMs } from "../../meta/time.ts";
import { isReady } from "../pods-of-owner/pod-state.ts";
import { scaledAmount } from "../pods-of-owner/scaled-amount.ts";

type Spec = PodDisruptionBudget["spec"];
type Status = PodDisruptionBudget["status"];

/** A pod whose eviction was granted and that does not end within this time is thought to stay. */
const DELETION_TIMEOUT_MS = 120_000;

const DISRUPTION_ALLOWED = "DisruptionAllowed";

/** Whether the budget is a part of what the controllers of its pods want to have, rather than a number of its own. */
export function needsScale({ minAvailable, maxUnavailable }: Spec): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === "string";
}

/** `scale` is the sum over the controllers of the pods; only asked for where needsScale() says so. */
export function healthyCounts(
  { minAvailable, maxUnavailable }: Spec,
  podCount: number,
  scale: number,
): Pick<Status, "expectedPods" | "desiredHealthy"> {
  if (maxUnavailable !== undefined) {
    const desiredHealthy = Math.max(0, scale - scaledAmount(maxUnavailable, scale, "up"));
    return { expectedPods: scale, desiredHealthy };
  }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  if (typeof minAvailable === "number") return { expectedPods: podCount, desiredHealthy: minAvailable };
  return { expectedPods: scale, desiredHealthy: scaledAmount(minAvailable, scale, "up") };
}

interface BudgetVerdict {
  readonly status: Status;
  /** Pods that were to go and did not. */
  readonly notDeleted: readonly Stored<Pod>[];
  /** When the next of them is late. */
  readonly recheckAfterMs: number | undefined;
}

export function judgeBudget(
  budget: PodDisruptionBudget,
  pods: readonly Stored<Pod>[],
  counts: Pick<Status, "expectedPods" | "desiredHealthy">,
  nowMs: number,
): BudgetVerdict {
  const { disruptedPods, notDeleted, recheckAfterMs } = awaitedPods(budget.status.disruptedPods ?? {}, pods, nowMs);
  const isHealthy = (pod: Stored<Pod>) =>
    pod.metadata.deletionTimestamp === undefined && !Object.hasOwn(disruptedPods, pod.metadata.name) && isReady(pod);
  const currentHealthy = pods.reduce((count, pod) => count + (isHealthy(pod) ? 1 : 0), 0);
  const spare = currentHealthy - counts.desiredHealthy;
  // A budget without pods allows nothing: its first pods may be there before it is looked at again.
  const disruptionsAllowed = counts.expectedPods <= 0 ? 0 : Math.max(0, spare);
  const observedGeneration = budget.metadata.generation ?? 0;
  const condition =
    disruptionsAllowed > 0
      ? { status: "True", reason: "SufficientPods", message: "", observedGeneration }
      : { status: "False", reason: "InsufficientPods", message: "", observedGeneration };
  const status = {
    observedGeneration,
    disruptionsAllowed,
    currentHealthy,
    ...counts,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    conditions: withDisruptionAllowed(budget.status.conditions, condition, nowMs),
  };
  return { status, notDeleted, recheckAfterMs };
}

/** When nobody can say how many may go, none may. */
export function failedStatus({ status }: PodDisruptionBudget, message: string, nowMs: number): Status {
  const { observedGeneration = 0 } = status;
  const condition = { status: "False", reason: "SyncFailed", message, observedGeneration };
  return { ...status, disruptionsAllowed: 0, conditions: withDisruptionAllowed(status.conditions, condition, nowMs) };
}

type Condition = NonNullable<Status["conditions"]>[number];

/** The time of the transition stays while the status does. */
function withDisruptionAllowed(
  conditions: readonly Condition[] = [],
  said: Omit<Condition, "type" | "lastTransitionTime">,
  nowMs: number,
): Condition[] {
  const known = conditions.find(({ type }) => type === DISRUPTION_ALLOWED);
  const lastTransitionTime = known?.status === said.status ? known.lastTransitionTime : timeOfMs(nowMs);
  const condition = { ...said, type: DISRUPTION_ALLOWED, lastTransitionTime };
  return known === undefined
    ? [...conditions, condition]
    : conditions.map((each) => (each === known ? condition : each));
}

/** Of the pods whose eviction was granted, those that have neither begun to end nor had their time. */
function awaitedPods(granted: Readonly<Record<string, string | null>>, pods: readonly Stored<Pod>[], nowMs: number) {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: Stored<Pod>[] = [];
  let recheckAfterMs: number | undefined;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const grantedAt = Object.hasOwn(granted, name) ? granted[name] : undefined;
    if (deletionTimestamp !== undefined || !grantedAt) continue;
    const leftMs = Date.parse(grantedAt) + DELETION_TIMEOUT_MS - nowMs;
    if (!(leftMs > 0)) {
      notDeleted.push(pod);
      continue;
    }
    disruptedPods[name] = grantedAt;
    recheckAfterMs = Math.min(recheckAfterMs ?? leftMs, leftMs);
  }
  return { disruptedPods, notDeleted, recheckAfterMs };
}
