// How many pods are to be created or deleted now.

type ReplicaPlan =
  | { readonly type: "create"; readonly count: number }
  | { readonly type: "delete"; readonly count: number }
  | { readonly type: "nothing" };

/** More than this at once would only fill queues: the rest follows when these are seen. */
const BURST = 500;

export function planReplicas(wanted: number, active: number): ReplicaPlan {
  const missing = wanted - active;
  if (missing === 0) return { type: "nothing" };
  return { type: missing > 0 ? "create" : "delete", count: Math.min(Math.abs(missing), BURST) };
}
