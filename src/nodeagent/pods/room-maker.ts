// Holds pods that the node cannot do without until others have ended to make room for them.

import type { Counter } from "../../base/metrics.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { AgentContext } from "../context.ts";
import { fullName, graceSecondsOf, type PodEntry } from "./pod-entry.ts";
import type { PodFailure } from "./pod-status.ts";
import type { PodTable } from "./pod-table.ts";

interface RoomMakerDeps {
  readonly context: AgentContext;
  readonly table: Pick<PodTable, "inTheWayOf">;
  /** Ends a pod as failed. Resolves when nothing of it runs any more, or nobody looks after pods any more. */
  readonly end: (entry: PodEntry, failure: PodFailure, graceSeconds: number) => Promise<void>;
  /** There is room now. */
  readonly take: (pod: Pod, isStatic: boolean) => void;
}

interface WaitingPod {
  readonly pod: Pod;
  readonly isStatic: boolean;
}

const PREEMPTED: PodFailure = {
  reason: "Preempting",
  message: "Preempted in order to admit critical pod",
  isDisruption: true,
};

export class RoomMaker {
  readonly #deps: RoomMakerDeps;
  readonly #preemptions: Counter;
  /** By uid. */
  readonly #waiting = new Map<string, WaitingPod>();

  constructor(deps: RoomMakerDeps) {
    this.#deps = deps;
    this.#preemptions = deps.context.metrics.counter({
      name: "kubelet_preemptions",
      help: "Cumulative number of pod preemptions by preemption resource",
      labels: ["preemption_signal"],
      stability: "ALPHA",
    });
  }

  /** Says whether the pod waits here: it is handed on when there is room, as it is by then. */
  holds(pod: Pod, isStatic: boolean): boolean {
    const uid = pod.metadata.uid ?? "";
    const isHeld = this.#waiting.has(uid);
    const victims = isHeld ? [] : this.#deps.table.inTheWayOf(pod, isStatic);
    if (!isHeld && victims.length === 0) return false;
    this.#waiting.set(uid, { pod, isStatic });
    if (!isHeld) void this.#makeRoom(uid, victims);
    return true;
  }

  /** Nobody wants the pod any more. */
  forget(uid: string): void {
    this.#waiting.delete(uid);
  }

  /** Of those of the node's own files only these are wanted. */
  keepStatic(uids: ReadonlySet<string>): void {
    for (const [uid, { isStatic }] of this.#waiting) if (isStatic && !uids.has(uid)) this.#waiting.delete(uid);
  }

  async #makeRoom(uid: string, victims: readonly PodEntry[]): Promise<void> {
    const { context, end, take } = this.#deps;
    for (const { pod } of victims) {
      context.log.warn({ pod: fullName(pod), for: uid }, "a pod is ended for one that the node cannot do without");
      context.recorder.warning(pod, PREEMPTED.reason, PREEMPTED.message);
      this.#preemptions.with("resources").inc();
    }
    await Promise.all(victims.map((entry) => end(entry, PREEMPTED, graceSecondsOf(entry))));
    const wanted = this.#waiting.get(uid);
    this.#waiting.delete(uid);
    if (wanted !== undefined) take(wanted.pod, wanted.isStatic);
  }
}
