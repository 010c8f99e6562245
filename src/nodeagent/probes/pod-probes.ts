// All probes of the pods of this node, and what they say.

import type { Clock } from "../../base/clock.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import { runtimeIdOf, statusNamed } from "../../kinds/core/pod/containers.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CheckOutcome, KnownVerdict, ProbedRun, ProbeSort } from "./probe-worker.ts";
import { ProbeWorker } from "./probe-worker.ts";

interface PodProbesDeps {
  readonly clock: Clock;
  readonly runOf: (podUid: string, container: string) => ProbedRun | undefined;
  readonly check: (
    pod: Pod,
    container: Container,
    sort: ProbeSort,
    run: ProbedRun,
    signal: AbortSignal,
  ) => Promise<CheckOutcome>;
  readonly onVerdict: (podUid: string) => void;
  readonly onChecked: (pod: Pod, container: Container, sort: ProbeSort, outcome: CheckOutcome) => void;
}

const SORTS = ["startup", "liveness", "readiness"] as const;

export class PodProbes {
  readonly #deps: PodProbesDeps;
  readonly #workers = new Map<string, Map<string, ProbeWorker>>();

  constructor(deps: PodProbesDeps) {
    this.#deps = deps;
  }

  /** Begins the probes of a pod that have not begun. Containers of a pod never change theirs. */
  follow(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    let workers = this.#workers.get(uid);
    for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
      for (const sort of SORTS) {
        const key = keyOf(container.name, sort);
        const probe = container[`${sort}Probe`];
        if (probe === undefined || workers?.has(key)) continue;
        if (workers === undefined) {
          workers = new Map();
          this.#workers.set(uid, workers);
        }
        workers.set(
          key,
          new ProbeWorker({
            clock: this.#deps.clock,
            sort,
            probe,
            known: toldOf(pod, container.name, sort),
            run: () => this.#deps.runOf(uid, container.name),
            isStarted: (runId) => this.isStarted(uid, container.name, runId),
            check: (run, signal) => this.#deps.check(pod, container, sort, run, signal),
            onVerdict: () => this.#deps.onVerdict(uid),
            onChecked: (outcome) => this.#deps.onChecked(pod, container, sort, outcome),
          }),
        );
      }
    }
  }

  /** The runtime has news of a pod: what just started is checked at once. */
  look(podUid: string): void {
    for (const worker of this.#workers.get(podUid)?.values() ?? []) void worker.look();
  }

  isStarted(podUid: string, container: string, runId: string): boolean {
    const worker = this.#workers.get(podUid)?.get(keyOf(container, "startup"));
    return worker === undefined || worker.verdict(runId) === "success";
  }

  isReady(podUid: string, container: string, runId: string): boolean {
    const worker = this.#workers.get(podUid)?.get(keyOf(container, "readiness"));
    return worker === undefined || worker.verdict(runId) === "success";
  }

  /** Which probe of a run has failed for good. */
  failed(podUid: string, container: string, runId: string): "liveness" | "startup" | undefined {
    const workers = this.#workers.get(podUid);
    for (const sort of ["startup", "liveness"] as const)
      if (workers?.get(keyOf(container, sort))?.verdict(runId) === "failure") return sort;
    return undefined;
  }

  /** A pod that ends is not restarted: only its readiness is looked at until the end. */
  endRestarts(podUid: string): void {
    const workers = this.#workers.get(podUid);
    for (const [key, worker] of workers ?? []) {
      if (key.endsWith("/readiness")) continue;
      worker.close();
    }
  }

  forget(podUid: string): void {
    for (const worker of this.#workers.get(podUid)?.values() ?? []) worker.close();
    this.#workers.delete(podUid);
  }

  close(): void {
    for (const uid of [...this.#workers.keys()]) this.forget(uid);
  }
}

const keyOf = (container: string, sort: ProbeSort): string => `${container}/${sort}`;

/** What an earlier agent has told of a container that runs: one that starts again does not take it back. */
function toldOf({ status }: Pod, container: string, sort: ProbeSort): KnownVerdict | undefined {
  const told = statusNamed(status, container);
  const holds = sort === "startup" ? told?.started : sort === "readiness" && told?.ready;
  const runId = runtimeIdOf(told);
  return holds === true && runId !== undefined ? { runId, verdict: "success" } : undefined;
}
