// What every process tells about itself: processor time, memory, open files, start, and how late the event loop runs.

import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemClock } from "./clock.ts";
import type { Metrics } from "./metrics.ts";

const LOOP_RESOLUTION_MS = 20;

export function addProcessMetrics(metrics: Metrics): void {
  const startedAtSeconds = systemClock.nowMs() / 1000 - process.uptime();
  const gauge = (name: string, help: string, read: () => number) => {
    const metric = metrics.gauge({ name, help, stability: "ALPHA" });
    metric.onCollect(() => metric.with().set(read()));
  };
  const cpu = metrics.counter({
    name: "process_cpu_seconds_total",
    help: "User and system processor time in seconds.",
    stability: "ALPHA",
  });
  let countedSeconds = 0;
  cpu.onCollect(() => {
    const { user, system } = process.cpuUsage();
    const totalSeconds = (user + system) / 1e6;
    cpu.with().inc(totalSeconds - countedSeconds);
    countedSeconds = totalSeconds;
  });
  gauge("process_start_time_seconds", "When the process started, in seconds since the epoch.", () => startedAtSeconds);
  gauge("process_resident_memory_bytes", "Memory that the process holds.", () => process.memoryUsage.rss());
  const ofSystem = (name: string, help: string, read: () => number) => {
    if (read() >= 0) gauge(name, help, read);
  };
  ofSystem("process_virtual_memory_bytes", "Addresses that the process uses.", virtualMemoryBytes);
  ofSystem("process_open_fds", "Files and connections that are open.", openFiles);
  ofSystem("process_max_fds", "How many may be open.", maxOpenFiles);
  gauge("process_heap_bytes", "Memory in use for objects of the program.", () => process.memoryUsage().heapUsed);
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  gauge(
    "process_event_loop_delay_p99_seconds",
    "How late the event loop ran since the last look, 99th percentile.",
    () => {
      const lateMs = loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS;
      loop.reset();
      return Math.max(0, lateMs) / 1000;
    },
  );
}

const KIB = 1024;

// Told by Linux alone; -1 elsewhere.
const virtualMemoryBytes = (): number => KIB * Number(factOf("/proc/self/status", /^VmSize:\s+(\d+) kB$/m) ?? -1);

/** "unlimited" is as much as a number can hold. */
function maxOpenFiles(): number {
  const limit = factOf("/proc/self/limits", /^Max open files\s+(\w+)/m);
  return limit === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(limit ?? -1);
}

function openFiles(): number {
  try {
    // One of them is this look.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return -1;
  }
}

function factOf(file: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readFileSync(file, "latin1"))?.[1];
  } catch {
    return undefined;
  }
}
