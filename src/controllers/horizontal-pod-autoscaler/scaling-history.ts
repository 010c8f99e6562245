// What an autoscaler remembers of the last minutes: what was recommended, and how it scaled.

interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

interface ScaleChange {
  /** How many were added; below 0 how many were taken away. */
  readonly added: number;
  readonly atMs: number;
}

/** As long as any window or period may be. */
const KEPT_MS = 3_600_000;
/** One look a second for an hour; more are not kept. */
const MAX_KEPT = 4_000;

/** Times are those of a clock that never jumps. */
export class ScalingHistory {
  #recommendations: Recommendation[] = [];
  #changes: ScaleChange[] = [];

  get recommendations(): readonly Recommendation[] {
    return this.#recommendations;
  }

  recommend(replicas: number, atMs: number): void {
    this.#recommendations = kept(this.#recommendations, atMs);
    this.#recommendations.push({ replicas, atMs });
  }

  scaled(added: number, atMs: number): void {
    this.#changes = kept(this.#changes, atMs);
    this.#changes.push({ added, atMs });
  }

  /** How many replicas there would be without what was done in the last seconds. */
  replicasBefore(currentReplicas: number, seconds: number, nowMs: number): number {
    let replicas = currentReplicas;
    for (const { added, atMs } of this.#changes) if (atMs > nowMs - seconds * 1_000) replicas -= added;
    return replicas;
  }
}

function kept<T extends { readonly atMs: number }>(entries: readonly T[], nowMs: number): T[] {
  return entries.filter(({ atMs }) => atMs >= nowMs - KEPT_MS).slice(-MAX_KEPT);
}
