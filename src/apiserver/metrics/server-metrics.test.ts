// What the server says of itself: its gates, its build, and how much is stored.

import { describe, expect, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { namesFor } from "../../meta/names.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { backgroundFailures } from "./background-failures.ts";
import { addServerMetrics } from "./server-metrics.ts";

const store = (prefix: string, revision: number, objectCount: number) => ({
  prefix,
  cacheInUse: { revision, stats: () => ({ objectCount, sizeBytes: objectCount * 100 }) },
});
type Store = ReturnType<typeof store>;

const served = (group: string, resource: string, of: Store | undefined, storedForm = true) => ({
  group,
  kind: { resource },
  store: of,
  storedForm,
});

async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  return text.split("\n").filter((line) => line.startsWith(name));
}

function measured(builtIn: readonly object[], definitions: readonly object[], stores: readonly Store[]): Metrics {
  const metrics = new Metrics({ release: "1.34" });
  addServerMetrics(metrics, {
    names: namesFor("kubernetes"),
    catalog: { builtIn: () => builtIn, definitions: () => definitions, stores: () => stores } as unknown as Catalog,
    gates: [
      { name: "Old", stage: "ga", enabled: true },
      { name: "New", stage: "alpha", enabled: false },
      { name: "Next", stage: "beta", enabled: true },
      { name: "Gone", stage: "deprecated", enabled: false },
    ],
  });
  return metrics;
}

describe("metrics of the server itself", () => {
  it("show every gate with its stage", async () => {
    expect(await linesOf(measured([], [], []), "kubernetes_feature_enabled")).toEqual([
      'kubernetes_feature_enabled{name="Old",stage=""} 1',
      'kubernetes_feature_enabled{name="New",stage="ALPHA"} 0',
      'kubernetes_feature_enabled{name="Next",stage="BETA"} 1',
      'kubernetes_feature_enabled{name="Gone",stage="DEPRECATED"} 0',
    ]);
  });

  it("show the build in labels", async () => {
    const [line, ...others] = await linesOf(measured([], [], []), "kubernetes_build_info");
    expect(others).toEqual([]);
    expect(line).toMatch(/git_version="v[^"]+".*\} 1$/);
  });

  it("count what is stored, of a kind with several versions once, and nothing that nobody has used", async () => {
    const pods = store("/registry/pods/", 9, 3);
    const scalers = store("/registry/horizontalpodautoscalers/", 9, 2);
    const unused = store("/registry/jobs/", 0, 0);
    const unasked = { ...store("/registry/cronjobs/", 0, 0), cacheInUse: undefined };
    const widgets = store("/registry/example.com/widgets/", 8, 5);
    const builtIn = [
      served("", "pods", pods),
      served("autoscaling", "horizontalpodautoscalers", scalers, false),
      served("autoscaling", "horizontalpodautoscalers", scalers),
      served("batch", "jobs", unused),
      { ...served("batch", "cronjobs", undefined), store: unasked },
      served("authorization.k8s.io", "subjectaccessreviews", undefined),
    ];
    const definitions = [{ group: "example.com", resource: "widgets" }];
    const metrics = measured(builtIn, definitions, [pods, scalers, unused, widgets]);
    // The first exposition has them all, whichever is asked for.
    expect(await linesOf(metrics, "apiserver_resource_size_estimate_bytes")).toEqual([
      'apiserver_resource_size_estimate_bytes{group="",resource="pods"} 300',
      'apiserver_resource_size_estimate_bytes{group="autoscaling",resource="horizontalpodautoscalers"} 200',
      'apiserver_resource_size_estimate_bytes{group="example.com",resource="widgets"} 500',
    ]);
    expect(await linesOf(metrics, "apiserver_resource_objects")).toEqual([
      'apiserver_resource_objects{group="",resource="pods"} 3',
      'apiserver_resource_objects{group="autoscaling",resource="horizontalpodautoscalers"} 2',
      'apiserver_resource_objects{group="example.com",resource="widgets"} 5',
    ]);
    expect(await linesOf(metrics, "apiserver_storage_objects")).toEqual([
      'apiserver_storage_objects{resource="pods"} 3',
      'apiserver_storage_objects{resource="horizontalpodautoscalers.autoscaling"} 2',
      'apiserver_storage_objects{resource="widgets.example.com"} 5',
    ]);
    expect(await linesOf(metrics, 'apiserver_watch_cache_resource_version{group="example.com"')).toEqual([
      'apiserver_watch_cache_resource_version{group="example.com",resource="widgets"} 8',
    ]);
  });

  it("count how often a loop in the background failed", async () => {
    const metrics = new Metrics({ release: "1.34" });
    const failed = backgroundFailures(metrics);
    failed("compaction");
    failed("compaction");
    failed("leases");
    expect(await linesOf(metrics, "apiserver_background_failures_total")).toEqual([
      'apiserver_background_failures_total{loop="compaction"} 2',
      'apiserver_background_failures_total{loop="leases"} 1',
    ]);
  });
});
