// What is measured of the proxy, under upstream's names.

import type { Clock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Family } from "./rules/backends.ts";

export type TrafficPolicy = "internal" | "external";

/** Of the rules of one family. */
export interface RulesMetrics {
  /** Something has to be written. */
  queued(): void;
  /** Everything was written, or only what had changed. */
  synced(isWhole: boolean, seconds: number): void;
  /** So many ports of Services have backends, but none that their policy allows on this node. */
  withoutLocal(policy: TrafficPolicy, ports: number): void;
  /** Changes of endpoints are in the kernel, so long after what caused them. */
  programmed(seconds: number): void;
  /** A transaction was refused. */
  failed(): void;
  /** What has changed so far is being written. */
  taken(): void;
  /** So many flows to backends that are gone were forgotten. */
  forgot(flows: number, seconds: number): void;
}

export interface ProxyMetrics {
  of(family: Family): RulesMetrics;
  serviceChanged(): void;
  endpointsChanged(): void;
  asked(path: "healthz" | "livez", code: number): void;
}

const ALPHA = { stability: "ALPHA" } as const;
/** From a millisecond, doubled. */
const SECONDS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

const steps = (first: number, width: number, length: number): number[] =>
  Array.from({ length }, (_, index) => first + index * width);
/** A quarter of a second to five minutes. */
const PROGRAMMING_SECONDS = [...steps(0.25, 0.25, 2), ...steps(1, 1, 59), ...steps(60, 5, 12), ...steps(120, 30, 7)];

const FAMILY = "ip_family";
const familyText = (family: Family): string => `IPv${family}`;

/** Only one proxy of a process is measured. */
export function proxyMetrics(metrics: Metrics, clock: Clock): ProxyMetrics {
  const durations = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_duration_seconds",
    help: "SyncProxyRules latency in seconds",
    buckets: SECONDS,
    labels: [FAMILY],
  });
  const whole = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_sync_full_proxy_rules_duration_seconds",
    help: "SyncProxyRules latency in seconds for full resyncs",
    buckets: SECONDS,
    labels: [FAMILY],
  });
  const partial = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_sync_partial_proxy_rules_duration_seconds",
    help: "SyncProxyRules latency in seconds for partial resyncs",
    buckets: SECONDS,
    labels: [FAMILY],
  });
  const lastSync = metrics.gauge({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
    help: "The last time proxy rules were successfully synced",
    labels: [FAMILY],
  });
  const lastQueued = metrics.gauge({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
    help: "The last time a sync of proxy rules was queued",
    labels: [FAMILY],
  });
  const failures = metrics.counter({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_nftables_sync_failures_total",
    help: "Cumulative proxy nftables sync failures",
    labels: [FAMILY],
  });
  const withoutLocal = metrics.gauge({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
    help: "Number of services with a Local traffic policy and no endpoints",
    labels: [FAMILY, "traffic_policy"],
  });
  const programming = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_network_programming_duration_seconds",
    help: "In Cluster Network Programming Latency in seconds",
    buckets: PROGRAMMING_SECONDS,
    labels: [FAMILY],
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
  const pendingServices = metrics.gauge({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_service_changes_pending",
    help: "Pending proxy rules Service changes",
  });
  const pendingEndpoints = metrics.gauge({
    ...ALPHA,
    name: "kubeproxy_sync_proxy_rules_endpoint_changes_pending",
    help: "Pending proxy rules Endpoint changes",
  });
  const forgetting = metrics.histogram({
    ...ALPHA,
    name: "kubeproxy_conntrack_reconciler_sync_duration_seconds",
    help: "Time in seconds to forget flows to backends that are gone",
    buckets: SECONDS,
    labels: [FAMILY],
  });
  const forgotten = metrics.counter({
    ...ALPHA,
    name: "kubeproxy_conntrack_reconciler_deleted_entries_total",
    help: "Cumulative conntrack flows deleted by the proxy",
    labels: [FAMILY],
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
    of(ofFamily) {
      const family = familyText(ofFamily);
      return {
        queued: () => lastQueued.with(family).set(clock.nowMs() / 1_000),
        synced(isWhole, seconds) {
          durations.with(family).observe(seconds);
          (isWhole ? whole : partial).with(family).observe(seconds);
          lastSync.with(family).set(clock.nowMs() / 1_000);
        },
        withoutLocal: (policy, ports) => withoutLocal.with(family, policy).set(ports),
        programmed: (seconds) => programming.with(family).observe(seconds),
        failed: () => failures.with(family).inc(),
        taken() {
          for (const pending of [pendingServices, pendingEndpoints]) pending.with().set(0);
        },
        forgot(flows, seconds) {
          forgotten.with(family).inc(flows);
          forgetting.with(family).observe(seconds);
        },
      };
    },
    serviceChanged() {
      serviceChanges.with().inc();
      pendingServices.with().add(1);
    },
    endpointsChanged() {
      endpointChanges.with().inc();
      pendingEndpoints.with().add(1);
    },
    asked: (path, code) => (path === "healthz" ? healthz : livez).with(String(code)).inc(),
  };
}
