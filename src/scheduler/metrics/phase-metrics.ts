// How long the phases of an attempt take, and what filters and scores take of them. Upstream's names of both.

import { ALPHA, doubled, multiplied, STABLE } from "../../base/metric-words.ts";
import type { Metrics } from "../../base/metrics.ts";

export type Phase = "PreFilter" | "Filter" | "PostFilter" | "Score" | "PreBind" | "Bind";
type PhaseStatus = "Success" | "Unschedulable" | "Error";

interface Evaluations {
  readonly profile: string;
  readonly phase: Phase;
  readonly plugins: readonly string[];
  /** In the order of the plugins. */
  readonly counts: ArrayLike<number>;
}

export interface PhaseMetrics {
  /** `profile`: the scheduler's name that the pod asks for. */
  passed(profile: string, phase: Phase, status: PhaseStatus, seconds: number): void;
  /** The search for a node, without telling the server. */
  searched(seconds: number): void;
  /** Of some pods only. */
  pluginRan(plugin: string, phase: Phase, status: PhaseStatus, seconds: number): void;
  /** How often each has been asked since the start: it is read at each exposition. */
  setEvaluations(evaluations: Evaluations): void;
}

export function phaseMetrics(metrics: Metrics): PhaseMetrics {
  const phases = metrics.histogram({
    ...STABLE,
    name: "scheduler_framework_extension_point_duration_seconds",
    help: "Latency for running all plugins of a specific extension point.",
    labels: ["extension_point", "status", "profile"],
    buckets: doubled(0.0001, 12),
  });
  const searches = metrics.histogram({
    ...ALPHA,
    name: "scheduler_scheduling_algorithm_duration_seconds",
    help: "Scheduling algorithm latency in seconds",
    buckets: doubled(0.001, 15),
  });
  const plugins = metrics.histogram({
    ...ALPHA,
    name: "scheduler_plugin_execution_duration_seconds",
    help: "Duration for running a plugin at a specific extension point.",
    labels: ["plugin", "extension_point", "status"],
    buckets: multiplied(0.00001, 1.5, 20),
  });
  const evaluations = metrics.counter({
    ...ALPHA,
    name: "scheduler_plugin_evaluation_total",
    help: "Number of attempts to schedule pods by each plugin and the extension point (available only in PreFilter, Filter, PreScore, and Score).",
    labels: ["plugin", "extension_point", "profile"],
  });
  /** By profile and phase. */
  const counted = new Map<string, Evaluations & { readonly told: number[] }>();
  evaluations.onCollect(() => {
    for (const { profile, phase, plugins: names, counts, told } of counted.values())
      for (const [at, name] of names.entries()) {
        const count = counts[at] ?? 0;
        if (count > told[at]!) evaluations.with(name, phase, profile).inc(count - told[at]!);
        told[at] = count;
      }
  });
  return {
    passed: (profile, phase, status, seconds) => phases.with(phase, status, profile).observe(seconds),
    searched: (seconds) => searches.with().observe(seconds),
    pluginRan: (plugin, phase, status, seconds) => plugins.with(plugin, phase, status).observe(seconds),
    setEvaluations: (asked) => {
      counted.set(`${asked.profile}/${asked.phase}`, { ...asked, told: asked.plugins.map(() => 0) });
    },
  };
}
