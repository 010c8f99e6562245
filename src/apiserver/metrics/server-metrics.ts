// What does not change with requests: the build, the feature gates, and what is stored.

import type { Metrics } from "../../base/metrics.ts";
import { addBuildInfo } from "../../meta/build-info.ts";
import { addGateMetrics, type ShownGate } from "../../meta/gate-metrics.ts";
import type { Names } from "../../meta/names.ts";
import { type Catalog, KEY_ROOT } from "../../registry/catalog.ts";
import type { ObjectStore } from "../../registry/object-store.ts";

export interface ServerMetricsParts {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly gates: readonly ShownGate[];
}

export function addServerMetrics(metrics: Metrics, { names, catalog, gates }: ServerMetricsParts): void {
  addGateMetrics(metrics, names, gates);
  addBuildInfo(metrics, names);
  addStorageMetrics(metrics, catalog);
  // There is one validation here, from which the declared rules are not apart: nothing can differ, nor fail alone.
  metrics.counter({
    name: "apiserver_validation_declarative_validation_mismatch_total",
    help: "Differences between declared validation and that of the program.",
    stability: "BETA",
  });
  metrics.counter({
    name: "apiserver_validation_declarative_validation_panic_total",
    help: "Failures of declared validation beside that of the program.",
    stability: "BETA",
  });
}

function addStorageMetrics(metrics: Metrics, catalog: Catalog): void {
  const objects = metrics.gauge({
    name: "apiserver_storage_objects",
    help: "Stored objects, by resource.",
    stability: "STABLE",
    labels: ["resource"],
  });
  const byGroup = metrics.gauge({
    name: "apiserver_resource_objects",
    help: "Stored objects, by group and resource.",
    stability: "ALPHA",
    labels: ["group", "resource"],
  });
  const sizes = metrics.gauge({
    name: "apiserver_resource_size_estimate_bytes",
    help: "Bytes of the stored objects, by group and resource.",
    stability: "ALPHA",
    labels: ["group", "resource"],
  });
  const revisions = metrics.gauge({
    name: "apiserver_watch_cache_resource_version",
    help: "The resource version that the watch cache of a resource has reached.",
    stability: "ALPHA",
    labels: ["group", "resource"],
  });
  // The first of them that is exposed asks for all.
  byGroup.onCollect(() => {
    // Versions share a store. What nobody has used yet has no cache, or an empty one.
    const stores = new Map([...catalog.stores()].map((store) => [store.prefix, store]));
    const tell = (group: string, resource: string, cache: ObjectStore["cacheInUse"]): void => {
      if (cache === undefined || cache.revision === 0) return;
      const { objectCount, sizeBytes } = cache.stats();
      objects.with(group === "" ? resource : `${resource}.${group}`).set(objectCount);
      byGroup.with(group, resource).set(objectCount);
      sizes.with(group, resource).set(sizeBytes);
      revisions.with(group, resource).set(cache.revision);
    };
    for (const { kind, group, store, storedForm } of catalog.builtIn())
      if (storedForm) tell(group, kind.resource, store?.cacheInUse);
    for (const { group, resource } of catalog.definitions())
      tell(group, resource, stores.get(`${KEY_ROOT}${group}/${resource}/`)?.cacheInUse);
  });
}
