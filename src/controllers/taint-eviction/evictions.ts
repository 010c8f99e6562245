// Since when pods stand under which taints, and so until when they may stay.

import { type Taint, taintIdentity, toleratedMs } from "./tolerated-time.ts";

type EvictionVerdict =
  /** `cancelled`: it was to go, and is not any more. */
  { readonly type: "stay"; readonly cancelled: boolean } | { readonly type: "go"; readonly atMs: number };

interface TaintedPod {
  readonly key: string;
  readonly uid: string;
  readonly tolerations: Parameters<typeof toleratedMs>[0];
  /** The NoExecute taints of its node. */
  readonly taints: readonly Taint[];
}

/** Times are those of a clock that never jumps. */
export class Evictions {
  readonly #since = new Map<string, { readonly uid: string; readonly taints: ReadonlyMap<string, number> }>();

  /** `beginOf` says when a taint began that was not known before. */
  judge({ key, uid, tolerations, taints }: TaintedPod, beginOf: (taint: Taint) => number): EvictionVerdict {
    const held = this.#since.get(key);
    const known = held?.uid === uid ? held.taints : undefined;
    const since = new Map<string, number>();
    let atMs = Number.POSITIVE_INFINITY;
    for (const taint of taints) {
      const identity = taintIdentity(taint);
      const startMs = known?.get(identity) ?? beginOf(taint);
      since.set(identity, startMs);
      atMs = Math.min(atMs, startMs + toleratedMs(tolerations, taint));
    }
    if (!Number.isFinite(atMs)) return { type: "stay", cancelled: this.#since.delete(key) };
    this.#since.set(key, { uid, taints: since });
    return { type: "go", atMs };
  }

  /** The pod is gone, or going. */
  forget(key: string): void {
    this.#since.delete(key);
  }
}
