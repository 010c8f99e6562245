// How often the probes of pods have succeeded and failed: the lines of /metrics/probes. A pod that is gone takes its own
// with it.

import { familiesText, labelText, type Sample } from "../stats/metric-families.ts";
import type { ProbeSort } from "./probe-worker.ts";

interface ProbeResult {
  readonly uid: string;
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly sort: ProbeSort;
  readonly result: "successful" | "failed" | "unknown";
}

export class ProbeTotals {
  readonly #byPod = new Map<string, Map<string, number>>();

  count({ uid, pod, namespace, container, sort, result }: ProbeResult): void {
    const probe_type = `${sort[0]!.toUpperCase()}${sort.slice(1)}`;
    const labels = labelText({ container, namespace, pod, pod_uid: uid, probe_type, result });
    const own = this.#byPod.get(uid) ?? new Map<string, number>();
    own.set(labels, (own.get(labels) ?? 0) + 1);
    this.#byPod.set(uid, own);
  }

  forget(uid: string): void {
    this.#byPod.delete(uid);
  }

  text(): string {
    const samples: Sample[] = [];
    for (const own of this.#byPod.values())
      for (const [labels, value] of own) samples.push({ labels, value, timeMs: 0 });
    const help = "[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.";
    return familiesText([{ name: "prober_probe_total", type: "counter", help, samples }]);
  }
}
