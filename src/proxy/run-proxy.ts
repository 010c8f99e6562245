// The whole proxy of a node, from a client and what is known of the machine: what `plinth proxy` and `plinth up --node` share.

import { availableParallelism, networkInterfaces } from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.ts";
import type { FeatureGates } from "../base/feature-gates.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { addProcessMetrics } from "../base/process-metrics.ts";
import { StartError } from "../base/start-error.ts";
import type { Client } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { keyOf, keyText } from "../client/informer.ts";
import { addBuildInfo } from "../meta/build-info.ts";
import { healthMetrics } from "../meta/health-metrics.ts";
import { formatIp, isUnspecified, parseIp } from "../meta/ip.ts";
import type { Names } from "../meta/names.ts";
import { RELEASE } from "../meta/version.ts";
import { applySettings, conntrackSettings, type KernelSetting } from "./conntrack/conntrack-settings.ts";
import { forgetFlows } from "./conntrack/forget-flows.ts";
import { FamilyProxies } from "./family-proxies.ts";
import { type AnswerHttp, type HttpPort, parseHostPort, serveHttp } from "./health/http-port.ts";
import { healthAnswer, metricsAnswer } from "./health/proxy-answers.ts";
import { ProxyHealth } from "./health/proxy-health.ts";
import { ServiceHealthPorts } from "./health/service-health-ports.ts";
import { checkNft, runNft } from "./nft/run-nft.ts";
import { tableSettings } from "./nft/table-settings.ts";
import { type TableSettings, tableText, withoutTable } from "./nft/table-text.ts";
import { DEFAULT_CONFIGURATION, type ProxyConfiguration } from "./proxy-configuration.ts";
import { proxyMetrics } from "./proxy-metrics.ts";
import type { Family } from "./rules/backends.ts";
import { type OwnNode, UNKNOWN_NODE } from "./rules/own-node.ts";
import { planService, type ServicePlan } from "./rules/service-plan.ts";
import type { Machine } from "./service-proxy.ts";
import { watchServices } from "./watch-services.ts";

export interface ProxyParts {
  readonly client: Client;
  readonly nodeName: string;
  /** The addresses of the node; those of its Node object when empty. */
  readonly nodeIps: readonly string[];
  readonly log: Log;
  readonly clock: Clock;
  /** The usual one unless told. */
  readonly configuration?: ProxyConfiguration;
  /** The same as /configz shows it. */
  readonly shown?: JsonObject;
  readonly gates: Pick<FeatureGates<"PreferSameTrafficDistribution">, "enabled">;
  /** Where what is measured goes; the proxy's own when not given. */
  readonly metrics?: Metrics;
  /** What changes the network of the machine; another one in tests. */
  readonly machine?: NetworkTools;
}

interface NetworkTools extends Pick<Machine, "nft" | "forgetFlows"> {
  /** Whether the kernel would take a transaction. */
  checkNft(text: string): Promise<void>;
  /** What could not be set, each with its reason. */
  tuneConntrack(settings: readonly KernelSetting[]): Promise<string[]>;
}

export interface RunningProxy {
  /** Resolves when the rules of everything that was there at the start are in the kernel. Never fails. */
  readonly ready: Promise<void>;
  /** The ports that were got, when they should be found free. */
  readonly healthzPort: number | undefined;
  readonly metricsPort: number | undefined;
  /** Rules stay in the kernel, so that traffic goes on; `removeTables` takes them away. */
  stop(): Promise<void>;
}

/** Fails with StartError when nft cannot be used, or a port cannot be had. */
export async function runProxy(parts: ProxyParts): Promise<RunningProxy> {
  const { client, nodeName, log, clock, configuration = DEFAULT_CONFIGURATION, machine = THIS_MACHINE } = parts;
  const { minSyncPeriodMs, syncPeriodMs } = configuration.nftables;
  const metrics = parts.metrics ?? ownMetrics(configuration, client.names);
  // Twice the time in which the next sync is due, as upstream's proxy counts.
  const health = new ProxyHealth(clock, 2 * syncPeriodMs);
  let node: OwnNode = UNKNOWN_NODE;
  let serviceCidrs: readonly string[] = [];
  const families = await usableFamilies(FAMILIES.map(settingsNow), machine, log);
  let settings = families.map(settingsNow);
  const measured = proxyMetrics(metrics, clock);
  const events = new EventRecorder({
    client,
    controller: "kube-proxy",
    instance: nodeName,
    onError: (error) => log.debug({ err: error }, "an event cannot be written"),
  });
  const checks = new ServiceHealthPorts(checkAddresses(settings), {
    health,
    onFailure(service, port, error) {
      log.warn({ err: error, service, port }, "the health check port of a Service cannot be served");
      const message = `node ${nodeName} failed to start healthcheck "${service}" on port ${port}: ${error.message}`;
      const found = watched.services.get(service);
      if (found === undefined) return;
      const reason = "FailedToStartServiceHealthcheck";
      events.record(found, { type: "Warning", reason, action: "Listen", message });
    },
  });
  const watched = watchServices(
    client,
    { nodeName, onError: (error) => log.warn({ err: error }, "Services cannot be watched; trying again") },
    {
      serviceChanged(service) {
        measured.serviceChanged();
        proxy.changed(service);
      },
      endpointsChanged(service, cause) {
        measured.endpointsChanged();
        proxy.changed(service, cause);
      },
      nodeChanged(next) {
        const isElsewhere = node.zone !== next.zone;
        node = next;
        health.setEligible(next.isEligible);
        lookAgain(isElsewhere);
      },
      serviceCidrsChanged(next) {
        serviceCidrs = next;
        lookAgain(false);
      },
    },
  );
  const proxy = new FamilyProxies({
    machine: { ...machine, setHealthCheck: (service, check) => checks.set(service, check) },
    plan: planNow,
    settings,
    health,
    metrics: measured,
    clock,
    log,
    minSyncPeriodMs,
    syncPeriodMs,
  });
  const outcomes = healthMetrics(client.names);
  const shown = { [client.names.proxyConfigurationField]: parts.shown ?? {} };
  const healthz = await openPort("healthzBindAddress", (path) => healthAnswer({ health, measured, clock }, path));
  const profiling = configuration.enableProfiling ? clock : undefined;
  const exposition = await openPort("metricsBindAddress", (path, question) =>
    metricsAnswer({ metrics, outcomes, shown, profiling }, path, question),
  );
  for (const problem of await machine.tuneConntrack(conntrackSettings(configuration.conntrack, availableParallelism())))
    log.warn({}, `connections are tracked as the kernel likes: ${problem}`);
  watched.informers.start();
  const starting = watched.whenSynced().then(
    () => proxy.start(),
    // It is stopped before it has seen everything.
    (reason: unknown) => log.debug({ err: reason }, "Services were not watched for long enough"),
  );
  // Addresses of the machine come and go without a word from the API.
  const looking = clock.every(syncPeriodMs, () => {
    lookAgain(false);
    checks.retry();
  });
  return {
    ready: starting.then(() => proxy.ready),
    healthzPort: healthz?.port,
    metricsPort: exposition?.port,
    async stop() {
      looking.cancel();
      await watched.informers.stop();
      await proxy.stop();
      await Promise.all([checks.close(), healthz?.close(), exposition?.close(), events.close()]);
    },
  };

  function nodeIpsNow(): readonly string[] {
    if (parts.nodeIps.length > 0) return parts.nodeIps;
    const bound = parseIp(configuration.bindAddress);
    return bound === undefined || isUnspecified(bound) ? node.ips : [formatIp(bound)];
  }

  function settingsNow(family: Family): TableSettings {
    const { podCidrs } = node;
    return tableSettings(family, configuration, {
      nodeIps: nodeIpsNow(),
      podCidrs,
      machineIps: machineIps(),
      serviceCidrs,
    });
  }

  function planNow(key: string): ServicePlan {
    const service = watched.services.get(key);
    if (service === undefined) return { ports: [], healthCheck: undefined, since: "" };
    const { zone } = node;
    const followsNodeHints = parts.gates.enabled("PreferSameTrafficDistribution");
    return planService(service, watched.slicesOf(key), { name: nodeName, zone, ips: nodeIpsNow(), followsNodeHints });
  }

  /** Tables are said anew when the node has other addresses; Services are looked at again then, and when it is elsewhere. */
  function lookAgain(isElsewhere: boolean): void {
    const next = families.map(settingsNow);
    const isOther = !isDeepStrictEqual(next, settings);
    if (!isOther && !isElsewhere) return;
    settings = next;
    if (isOther) {
      proxy.setSettings(next);
      checks.setAddresses(checkAddresses(next));
    }
    for (const service of watched.services.values()) proxy.changed(keyText(keyOf(service)));
  }

  async function openPort(
    field: "healthzBindAddress" | "metricsBindAddress",
    answer: AnswerHttp,
  ): Promise<HttpPort | undefined> {
    const text = configuration[field];
    const where = parseHostPort(text);
    if (where === undefined) return undefined;
    try {
      return await serveHttp(where, answer);
    } catch (error) {
      const message = `${field}: ${text}: ${(error as Error).message}`;
      if (configuration.bindAddressHardFail) throw new StartError(message);
      log.warn({}, `${message}; nothing is served there`);
      return undefined;
    }
  }
}

/** Takes away what the proxy has made, of both families. Fails with NftError. */
export async function removeTables(): Promise<void> {
  await runNft(FAMILIES.map(withoutTable).join(""));
}

function ownMetrics({ showHiddenMetricsForVersion }: ProxyConfiguration, names: Names): Metrics {
  const metrics = new Metrics({ release: RELEASE, showHidden: showHiddenMetricsForVersion !== "" });
  addProcessMetrics(metrics);
  addBuildInfo(metrics, names);
  return metrics;
}

const FAMILIES: readonly Family[] = [4, 6];

const THIS_MACHINE: NetworkTools = { nft: runNft, checkNft, forgetFlows, tuneConntrack: applySettings };

/** A machine may be without one family; without any there is nothing to do. */
async function usableFamilies(
  settings: readonly TableSettings[],
  { checkNft: check }: NetworkTools,
  log: Log,
): Promise<Family[]> {
  const families: Family[] = [];
  let failure: unknown;
  for (const each of settings) {
    try {
      await check(withoutTable(each.family) + tableText(each));
      families.push(each.family);
    } catch (error) {
      failure = error;
      log.warn({ err: error, family: each.family }, "nftables cannot be used for a family of addresses");
    }
  }
  if (families.length === 0)
    throw new StartError(`nftables cannot be used: ${failure instanceof Error ? failure.message : String(failure)}`);
  return families;
}

/** Load balancers ask where they send traffic to: at the addresses of node ports. */
function checkAddresses(settings: readonly TableSettings[]): "all" | readonly string[] {
  const each = settings.map(({ nodePorts }) => nodePorts);
  if (each.some(({ at }) => at === "all")) return "all";
  return each.flatMap((nodePorts) => (nodePorts.at === "all" ? [] : nodePorts.ips));
}

function machineIps(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []);
}
