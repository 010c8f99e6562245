// The lines of /metrics/resource: what autoscalers read. Pure.

import type { ContainerStats, PodSandboxStats } from "../cri/stats-messages.ts";
import type { NodeUsage } from "./measure-usage.ts";
import { type Family, familiesText, labelText } from "./metric-families.ts";

interface ResourceUsage {
  readonly usage: NodeUsage;
  readonly sandboxes: readonly PodSandboxStats[];
  /** Why the runtime could not be asked; its pods are missing then. */
  readonly failed: boolean;
}

export function resourceMetrics({ usage, sandboxes, failed }: ResourceUsage): string {
  const node = (value: number) => [{ labels: "", value, timeMs: usage.timeMs }];
  const pods = sandboxes.map(({ attributes, linux }) => ({ where: podLabels(attributes?.metadata), linux }));
  const containers = sandboxes.flatMap(({ attributes, linux }) =>
    (linux?.containers ?? []).map((each) => ({ where: containerLabels(each, attributes?.metadata), ...each })),
  );
  const cpuSeconds = (nanoseconds: number | undefined) => (nanoseconds ?? 0) / 1e9;
  const families: readonly Family[] = [
    {
      name: "node_cpu_usage_seconds_total",
      type: "counter",
      help: "[STABLE] Cumulative cpu time consumed by the node in core-seconds",
      samples: node(cpuSeconds(usage.cpuNanoseconds)),
    },
    {
      name: "node_memory_working_set_bytes",
      type: "gauge",
      help: "[STABLE] Current working set of the node in bytes",
      samples: node(usage.memoryWorkingSetBytes),
    },
    {
      name: "container_cpu_usage_seconds_total",
      type: "counter",
      help: "[STABLE] Cumulative cpu time consumed by the container in core-seconds",
      samples: containers.map(({ where, cpu }) => ({
        labels: where,
        value: cpuSeconds(cpu?.usageCoreNanoSeconds?.value),
        timeMs: (cpu?.timestamp ?? 0) / 1e6,
      })),
    },
    {
      name: "container_memory_working_set_bytes",
      type: "gauge",
      help: "[STABLE] Current working set of the container in bytes",
      samples: containers.map(({ where, memory }) => ({
        labels: where,
        value: memory?.workingSetBytes?.value ?? 0,
        timeMs: (memory?.timestamp ?? 0) / 1e6,
      })),
    },
    {
      name: "pod_cpu_usage_seconds_total",
      type: "counter",
      help: "[STABLE] Cumulative cpu time consumed by the pod in core-seconds",
      samples: pods.map(({ where, linux }) => ({
        labels: where,
        value: cpuSeconds(linux?.cpu?.usageCoreNanoSeconds?.value),
        timeMs: (linux?.cpu?.timestamp ?? 0) / 1e6,
      })),
    },
    {
      name: "pod_memory_working_set_bytes",
      type: "gauge",
      help: "[STABLE] Current working set of the pod in bytes",
      samples: pods.map(({ where, linux }) => ({
        labels: where,
        value: linux?.memory?.workingSetBytes?.value ?? 0,
        timeMs: (linux?.memory?.timestamp ?? 0) / 1e6,
      })),
    },
    {
      name: "resource_scrape_error",
      type: "gauge",
      help: "[STABLE] 1 if there was an error while getting container metrics, 0 otherwise",
      samples: [{ labels: "", value: failed ? 1 : 0, timeMs: 0 }],
    },
  ];
  return familiesText(families);
}

interface PodName {
  readonly name: string;
  readonly namespace: string;
}

function podLabels(pod: PodName | undefined): string {
  return labelText({ namespace: pod?.namespace, pod: pod?.name });
}

function containerLabels({ attributes }: ContainerStats, pod: PodName | undefined): string {
  return labelText({ container: attributes?.metadata?.name, namespace: pod?.namespace, pod: pod?.name });
}
