// The lines of /metrics/cadvisor, as far as the runtime tells what containers and pods use. Pure.

import type { ContainerStats, PodSandboxStats } from "../cri/stats-messages.ts";
import type { MachineFacts } from "../node/machine.ts";
import { type Family, familiesText, labelText, type Sample } from "./metric-families.ts";

interface ContainerMetricsFacts {
  readonly machine: MachineFacts;
  readonly sandboxes: readonly PodSandboxStats[];
  readonly nowMs: number;
}

interface Measured {
  readonly labels: string;
  readonly stats: Pick<ContainerStats, "cpu" | "memory"> & Partial<Pick<ContainerStats, "writableLayer" | "swap">>;
}

export function containerMetrics({ machine, sandboxes, nowMs }: ContainerMetricsFacts): string {
  const measured = sandboxes.flatMap(measuredOf);
  const per = (read: (stats: Measured["stats"]) => { value: number | undefined; timestamp: number | undefined }) =>
    measured.flatMap(({ labels, stats }): Sample[] => {
      const { value, timestamp } = read(stats);
      return value === undefined ? [] : [{ labels, value, timeMs: (timestamp ?? 0) / 1e6 }];
    });
  const memory = (name: string, help: string, field: MemoryField): Family => ({
    name,
    type: "gauge",
    help,
    samples: per((stats) => ({ value: stats.memory?.[field]?.value, timestamp: stats.memory?.timestamp })),
  });
  const whole = (value: number): Sample[] => [{ labels: "", value, timeMs: nowMs }];
  return familiesText([
    {
      name: "container_cpu_usage_seconds_total",
      type: "counter",
      help: "Cumulative cpu time consumed in seconds.",
      samples: per(({ cpu }) => ({ value: seconds(cpu?.usageCoreNanoSeconds?.value), timestamp: cpu?.timestamp })),
    },
    {
      name: "container_fs_inodes_total",
      type: "gauge",
      help: "Number of Inodes",
      samples: per((stats) => ({
        value: stats.writableLayer?.inodesUsed?.value,
        timestamp: stats.writableLayer?.timestamp,
      })),
    },
    {
      name: "container_fs_usage_bytes",
      type: "gauge",
      help: "Number of bytes that are consumed by the container on this filesystem.",
      samples: per((stats) => ({
        value: stats.writableLayer?.usedBytes?.value,
        timestamp: stats.writableLayer?.timestamp,
      })),
    },
    memory("container_memory_rss", "Size of RSS in bytes.", "rssBytes"),
    {
      name: "container_memory_swap",
      type: "gauge",
      help: "Container swap usage in bytes.",
      samples: per(({ swap }) => ({ value: swap?.swapUsageBytes?.value, timestamp: swap?.timestamp })),
    },
    memory("container_memory_usage_bytes", "Current memory usage in bytes, including all memory.", "usageBytes"),
    memory("container_memory_working_set_bytes", "Current working set in bytes.", "workingSetBytes"),
    ...networkFamilies(sandboxes),
    {
      name: "container_processes",
      type: "gauge",
      help: "Number of processes running inside the container.",
      samples: sandboxes.flatMap(({ attributes, linux }): Sample[] => {
        const count = linux?.process?.processCount?.value;
        const labels = labelsOf(attributes, "", "");
        return count === undefined ? [] : [{ labels, value: count, timeMs: (linux?.process?.timestamp ?? 0) / 1e6 }];
      }),
    },
    { name: "machine_cpu_cores", type: "gauge", help: "Number of logical CPU cores.", samples: whole(machine.cpus) },
    {
      name: "machine_memory_bytes",
      type: "gauge",
      help: "Amount of memory installed on the machine.",
      samples: whole(machine.memoryBytes),
    },
    {
      name: "machine_swap_bytes",
      type: "gauge",
      help: "Amount of swap memory available on the machine.",
      samples: whole(machine.swapBytes),
    },
  ]);
}

type MemoryField = "rssBytes" | "usageBytes" | "workingSetBytes";

const NETWORK = [
  ["container_network_receive_bytes_total", "Cumulative count of bytes received", "rxBytes"],
  ["container_network_receive_errors_total", "Cumulative count of errors encountered while receiving", "rxErrors"],
  ["container_network_transmit_bytes_total", "Cumulative count of bytes transmitted", "txBytes"],
  ["container_network_transmit_errors_total", "Cumulative count of errors encountered while transmitting", "txErrors"],
] as const;

function networkFamilies(sandboxes: readonly PodSandboxStats[]): Family[] {
  return NETWORK.map(([name, help, field]) => ({
    name,
    type: "counter",
    help,
    samples: sandboxes.flatMap(({ attributes, linux }) => {
      const { defaultInterface, interfaces = [], timestamp = 0 } = linux?.network ?? {};
      const all = [...(defaultInterface === undefined ? [] : [defaultInterface]), ...interfaces];
      return all.flatMap((each): Sample[] => {
        const value = each[field]?.value;
        if (value === undefined) return [];
        return [{ labels: labelsOf(attributes, "", "", { interface: each.name }), value, timeMs: timestamp / 1e6 }];
      });
    }),
  }));
}

/** The pod as a whole, without the name of a container, and each of its containers. */
function measuredOf({ attributes, linux }: PodSandboxStats): Measured[] {
  if (linux === undefined) return [];
  const { cpu, memory } = linux;
  return [
    { labels: labelsOf(attributes, "", ""), stats: { cpu, memory } },
    ...linux.containers.map((stats) => ({
      labels: labelsOf(attributes, stats.attributes?.metadata?.name ?? "", stats.attributes?.id ?? ""),
      stats,
    })),
  ];
}

function labelsOf(
  attributes: PodSandboxStats["attributes"],
  container: string,
  name: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const { name: pod, namespace } = attributes?.metadata ?? {};
  const id = name === "" ? (attributes?.id ?? "") : name;
  return labelText({ container, id, ...more, name, namespace, pod });
}

const seconds = (nanoseconds: number | undefined): number | undefined =>
  nanoseconds === undefined ? undefined : nanoseconds / 1e9;
