// The expositions of several processes that serve as one, added up into one.

import type { Exposition } from "./metrics.ts";

/** What a server shows at /metrics, and at /metrics/slis. */
export type ExpositionName = "metrics" | "slis";

/** Gauges of which every process has a part. Of all others each process says the same, and the first is believed. */
const SHARED_OUT =
  /^process_(?:(?:resident_memory|virtual_memory|heap)_bytes|open_fds|max_fds)$|_requests$|_seats$|_active_fetch_count$|_depth$/;

interface MergedMetric {
  header: string;
  isSummed: boolean;
  readonly series: Map<string, number>;
}

/** The first text is the one that is believed. Lines that are no samples are dropped. */
export function mergeExpositions(texts: readonly string[]): string {
  const metrics = new Map<string, MergedMetric>();
  for (const text of texts) {
    const seen = new Set<string>();
    let metric: MergedMetric | undefined;
    for (const line of text.split("\n")) {
      if (line.startsWith("# ")) metric = readHeader(line, metrics, seen) ?? metric;
      else if (metric !== undefined) addSample(line, metric);
    }
  }
  const names = [...metrics.keys()].sort();
  return names.map((name) => textOf(metrics.get(name)!)).join("");
}

/** What stays true of a process that is no more: all but its gauges. */
export function countedIn(text: string): string {
  const metrics = text.split(/^(?=# HELP )/m);
  return metrics.filter((metric) => !/^# TYPE \S+ gauge$/m.test(metric)).join("");
}

function readHeader(line: string, metrics: Map<string, MergedMetric>, seen: Set<string>): MergedMetric | undefined {
  const [, word, name = "", type] = line.split(" ", 4);
  let metric = metrics.get(name);
  if (metric === undefined) {
    metric = { header: "", isSummed: false, series: new Map() };
    metrics.set(name, metric);
    seen.add(name);
  }
  if (seen.has(name)) metric.header += `${line}\n`;
  if (word === "TYPE") metric.isSummed = type !== "gauge" || SHARED_OUT.test(name);
  return metric;
}

function addSample(line: string, { series, isSummed }: MergedMetric): void {
  const end = line.lastIndexOf(" ");
  if (end <= 0) return;
  const name = line.slice(0, end);
  const value = readNumber(line.slice(end + 1));
  const known = series.get(name);
  if (known === undefined) series.set(name, value);
  else if (isSummed) series.set(name, known + value);
}

function textOf({ header, series }: MergedMetric): string {
  let text = header;
  for (const [name, value] of series) text += `${name} ${numberText(value)}\n`;
  return text;
}

function readNumber(text: string): number {
  return text === "+Inf" ? Number.POSITIVE_INFINITY : text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

/** What is made as a whole, in one piece. */
export function wholeExposition(text: () => Promise<string>): Exposition {
  return {
    async *expose() {
      yield await text();
    },
  };
}
