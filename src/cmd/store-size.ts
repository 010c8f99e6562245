// How much the embedded store takes on disk, among the metrics.

import type { Metrics } from "../base/metrics.ts";

export async function addStoreSize(metrics: Metrics, dataDir: string): Promise<void> {
  const { storeFileBytes } = await import("../storage/lmdb-engine.ts");
  const size = metrics.gauge({
    name: "apiserver_storage_size_bytes",
    help: "Size of the file of the embedded store.",
    stability: "STABLE",
    labels: ["storage_cluster_id"],
  });
  size.onCollect(() => size.with("embedded").set(storeFileBytes(dataDir)));
}
