// How many pods and containers there are now, as monitors of upstream's agent ask for it. Counted when they ask.

import type { Gauge, Metrics } from "../../base/metrics.ts";
import { isEnding, type PodEntry } from "./pod-entry.ts";
import type { PodTable } from "./pod-table.ts";
import type { RuntimePod } from "./runtime-pod.ts";
import type { RuntimeView } from "./runtime-view.ts";

interface CountedPods {
  readonly table: Pick<PodTable, "all" | "active" | "get">;
  readonly view: Pick<RuntimeView, "pods">;
  readonly cgroupVersion: 1 | 2;
}

export function addPodGauges(metrics: Metrics, { table, view, cgroupVersion }: CountedPods): void {
  const gauge = (name: string, help: string, labels: readonly string[], count: (gauge: Gauge) => void) => {
    const metric = metrics.gauge({ name: `kubelet_${name}`, help, labels, stability: "ALPHA" });
    metric.onCollect(() => {
      metric.clear();
      count(metric);
    });
  };
  const plain = (name: string, help: string, count: () => number) =>
    gauge(name, help, [], (metric) => metric.with().set(count()));
  const byOrigin = (name: string, help: string, entries: () => Iterable<PodEntry>) =>
    gauge(name, help, ["static"], (metric) => {
      for (const origin of ["", "true"]) metric.with(origin).set(0);
      for (const entry of entries()) metric.with(originOf(entry)).add(1);
    });
  const wanted = () => [...table.all()].filter(({ isRemoved }) => !isRemoved);

  plain("cgroup_version", "cgroup version on the hosts.", () => cgroupVersion);
  byOrigin("active_pods", "The number of pods that count when new ones are admitted.", () => table.active());
  byOrigin("desired_pods", "The number of pods that the agent is being instructed to run.", wanted);
  plain(
    "mirror_pods",
    "The number of mirror pods that the agent will try to create.",
    () => wanted().filter(({ isStatic, isRejected }) => isStatic && !isRejected).length,
  );
  plain("managed_ephemeral_containers", "Current number of ephemeral containers in pods of this agent.", () =>
    wanted().reduce((sum, { pod }) => sum + (pod.spec.ephemeralContainers ?? []).length, 0),
  );
  plain(
    "pod_in_progress_resizes",
    "Number of in-progress resizes for pods.",
    () => wanted().filter(({ status }) => isResizing(status.conditions ?? [])).length,
  );
  plain(
    "running_pods",
    "Number of pods that have a running pod sandbox",
    () => [...view.pods()].filter(({ sandboxes }) => sandboxes.some(({ ready }) => ready)).length,
  );
  gauge("running_containers", "Number of containers by their state", ["container_state"], (metric) => {
    for (const { containers } of view.pods()) for (const { state } of containers) metric.with(state).add(1);
  });
  const labels = ["config", "lifecycle", "static"];
  gauge("working_pods", "Number of pods that the agent works on, by what is wanted of them.", labels, (metric) => {
    for (const entry of table.all())
      metric.with(entry.isRemoved ? "orphan" : "desired", lifecycleOf(entry), originOf(entry)).add(1);
    for (const pod of unknownPods(table, view.pods())) metric.with("runtime_only", lifecycleIn(pod), "unknown").add(1);
  });
}

const originOf = ({ isStatic }: PodEntry): string => (isStatic ? "true" : "");

function lifecycleOf(entry: PodEntry): string {
  if (entry.hasEnded || entry.isRejected) return "terminated";
  return isEnding(entry) ? "terminating" : "sync";
}

function lifecycleIn({ containers }: RuntimePod): string {
  return containers.some(({ state }) => state === "running") ? "terminating" : "terminated";
}

function* unknownPods(table: Pick<PodTable, "get">, pods: Iterable<RuntimePod>): Generator<RuntimePod> {
  for (const pod of pods) if (table.get(pod.uid) === undefined) yield pod;
}

function isResizing(conditions: readonly { readonly type: string; readonly status: string }[]): boolean {
  return conditions.some(({ type, status }) => type === "PodResizeInProgress" && status === "True");
}
