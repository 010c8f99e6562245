// What is measured of the proxy, under upstream's names.

import type { Clock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";

export interface SyncReport {
  /** Whether everything was written, or only what had changed. */
  readonly isWhole: boolean;
  readonly services: number;
  readonly elements: number;
  readonly seconds: number;
}

export interface ProxyMetrics {
  /** Something has to be written. */
  queued(): void;
  synced(report: SyncReport): void;
  /** A transaction was refused. */
  failed(): void;
  serviceChanged(): void;
  endpointsChanged(): void;
  asked(path: "healthz" | "livez", code: number): void;
}

export const UNMEASURED: ProxyMetrics = {
  queued: () => undefined,
  synced: () => undefined,
  failed: () => undefined,
  serviceChanged: () => undefined,
  endpointsChanged: () => undefined,
  asked: () => undefined,
};

const ALPHA = { stability: "ALPHA" } as const;
/** From a millisecond, doubled. */
const SECONDS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** Only one proxy of a process is measured. */
export function proxyMetrics(metrics: Metrics, clock: Clock): ProxyMetrics {
  const durations = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_duration_seconds",
    help: "SyncProxyRules latency in seconds",
    buckets: SECONDS,
  });
  const whole = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_sync_full_proxy_rules_duration_seconds",
    help: "SyncProxyRules latency in seconds for full resyncs",
    buckets: SECONDS,
  });
  const partial = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_sync_partial_proxy_rules_duration_seconds",
    help: "SyncProxyRules latency in seconds for partial resyncs",
    buckets: SECONDS,
  });
  const lastSync = metrics.gauge({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
    help: "The last time proxy rules were successfully synced",
  });
  const lastQueued = metrics.gauge({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
    help: "The last time a sync of proxy rules was queued",
  });
  const failures = metrics.counter({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_nftables_sync_failures_total",
    help: "Cumulative proxy nftables sync failures",
  });
  const serviceChanges = metrics.counter({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_service_changes_total",
    help: "Cumulative proxy rules Service changes",
  });
  const endpointChanges = metrics.counter({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_endpoint_changes_total",
    help: "Cumulative proxy rules Endpoint changes",
  });
  const healthz = metrics.counter({
    ...ALPHA,
    name: "kubeproxy_proxy_healthz_total",
    help: "Cumulative proxy healthz HTTP status",
    labels: ["code"],
  });
  const livez = metrics.counter({
    ...ALPHA,
    name: "kubeproxy_proxy_livez_total",
    help: "Cumulative proxy livez HTTP status",
    labels: ["code"],
  });
  return {
    queued: () => lastQueued.with().set(clock.nowMs() / 1_000),
    synced({ isWhole, seconds }) {
      durations.with().observe(seconds);
      (isWhole ? whole : partial).with().observe(seconds);
      lastSync.with().set(clock.nowMs() / 1_000);
    },
    failed: () => failures.with().inc(),
    serviceChanged: () => serviceChanges.with().inc(),
    endpointsChanged: () => endpointChanges.with().inc(),
    asked: (path, code) => (path === "healthz" ? healthz : livez).with(String(code)).inc(),
  };
}
