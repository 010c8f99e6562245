// How often pods of a DaemonSet have failed on a node, and how long the next one waits: 1 s, doubled, to 15 min. A node that
// was well for twice that time begins anew.

import { exponentialMs } from "../../base/backoff.ts";

const BACKOFF = { firstMs: 1_000, maxMs: 15 * 60_000 };

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** Times are those of a clock that never jumps. */
export class FailedPods {
  /** By the uid of the set, for one generation of it; then by node. */
  readonly #sets = new Map<string, { readonly generation: number; readonly nodes: Map<string, Failures> }>();

  waitMs(uid: string, generation: number, node: string, nowMs: number): number {
    const failures = this.#nodesOf(uid, generation).get(node);
    if (failures === undefined) return 0;
    return Math.max(0, failures.lastMs + exponentialMs(BACKOFF, failures.count - 1) - nowMs);
  }

  /** A failed pod is replaced now. */
  replaced(uid: string, generation: number, node: string, nowMs: number): void {
    const nodes = this.#nodesOf(uid, generation);
    const before = nodes.get(node);
    const expired = before === undefined || nowMs - before.lastMs > 2 * BACKOFF.maxMs;
    nodes.set(node, { count: expired ? 1 : before.count + 1, lastMs: nowMs });
  }

  forget(uid: string): void {
    this.#sets.delete(uid);
  }

  /** The node is gone. */
  forgetNode(node: string): void {
    for (const { nodes } of this.#sets.values()) nodes.delete(node);
  }

  /** Another generation may do better. */
  #nodesOf(uid: string, generation: number): Map<string, Failures> {
    const known = this.#sets.get(uid);
    if (known?.generation === generation) return known.nodes;
    const nodes = new Map<string, Failures>();
    this.#sets.set(uid, { generation, nodes });
    return nodes;
  }
}
