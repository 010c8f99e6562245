// What benchmarks of a process measure of itself.

import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemClock } from "../src/base/clock.ts";
import type { Figures } from "./report.ts";

export interface Cost {
  readonly seconds: number;
  /** Of the processor, of everything in this process. */
  readonly cpuSeconds: number;
  /** How late the event loop was, at the 99th percentile. */
  readonly delayMs: number;
}

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  return { seconds, cpuSeconds: (user + system) / 1e6, delayMs: delay.percentile(99) / 1e6 };
}

export function costFigures({ seconds, cpuSeconds, delayMs }: Cost): Figures {
  return { seconds, "seconds of CPU": cpuSeconds, "ms of the event loop p99": delayMs };
}

export function quantiles(timesMs: readonly number[]): Figures {
  return { "ms p50": percentile(timesMs, 0.5), "ms p99": percentile(timesMs, 0.99) };
}

/** Asks again and again until the answer is yes. */
export async function until(isSo: () => Promise<boolean>, everyMs = 50): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(everyMs);
}

export async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const AT_ONCE = 64;
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

/** What is under way comes to its end, and is not measured with what follows. */
export function idle(ms = 3_000): Promise<void> {
  return systemClock.sleep(ms);
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

interface Memory {
  readonly heap: number;
  readonly rss: number;
  /** Of `rss`, what stands in files too (the store's, for the most part): the kernel takes it back where others need it. */
  readonly files: number;
}

/** Megabytes after all garbage is gone, where that can be asked for. */
export function memoryMib(): Memory {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: (heapUsed + external) / 2 ** 20, rss: rss / 2 ** 20, files: filePagesMib() };
}

/** 0 where the system does not say. */
export function filePagesMib(pid: number | "self" = "self"): number {
  const status = process.platform === "linux" ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return Number(/^RssFile:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
