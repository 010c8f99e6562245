// What is told about a configuration file that is read again when it changes, under upstream's names.

import type { Metrics } from "../base/metrics.ts";
import { hashLabel } from "./server-identity.ts";

export interface ConfigReloadMetrics {
  /** The configuration file that counts, at the start and from a reload on. */
  configured(content: Uint8Array): void;
  reloaded(success: boolean, nowMs: number): void;
}

/** `serverId`: tells servers of one cluster apart. */
export function configReloadMetrics(metrics: Metrics, prefix: string, serverId: string): ConfigReloadMetrics {
  const labels = ["apiserver_id_hash", "status"] as const;
  const reloads = metrics.counter({
    name: `${prefix}_config_controller_automatic_reloads_total`,
    help: "Reloads of the configuration file.",
    labels,
    stability: "BETA",
  });
  const lastReload = metrics.gauge({
    name: `${prefix}_config_controller_automatic_reload_last_timestamp_seconds`,
    help: "When the configuration file was last reloaded.",
    labels,
    stability: "BETA",
  });
  const lastConfig = metrics.gauge({
    name: `${prefix}_config_controller_last_config_info`,
    help: "The hash of the configuration file that counts.",
    labels: ["apiserver_id_hash", "hash"],
    stability: "ALPHA",
  });
  const id = hashLabel(serverId);
  return {
    configured(content) {
      lastConfig.clear();
      lastConfig.with(id, hashLabel(content)).set(1);
    },
    reloaded(success, nowMs) {
      const status = success ? "success" : "failure";
      reloads.with(id, status).inc();
      lastReload.with(id, status).set(nowMs / 1000);
    },
  };
}
