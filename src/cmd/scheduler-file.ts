// What the configuration file of the scheduler says, as options: flags that are given win over it.

import { UsageError } from "../base/start-error.ts";
import { loadConfiguration } from "../scheduler/load-configuration.ts";

/** `given`: names of flags. Fails with StartError, which names flag, file and field. */
export function schedulerFile(path: string, given: ReadonlySet<string>) {
  if (given.has("percentageOfNodesToScore"))
    throw new UsageError("--percentage-of-nodes-to-score and --config cannot be given together: the file says it");
  const { configuration, profiles, extenders, unused } = loadConfiguration(path);
  const { leaderElection: election, clientConnection, delayCacheUntilActive } = configuration;
  const said = {
    leaderElect: election.leaderElect,
    leaderElectLeaseDurationMs: election.leaseDurationMs,
    leaderElectRenewDeadlineMs: election.renewDeadlineMs,
    leaderElectRetryPeriodMs: election.retryPeriodMs,
    leaderElectResourceName: election.resourceName,
    ...(election.resourceNamespace === "" ? {} : { leaderElectResourceNamespace: election.resourceNamespace }),
    ...(clientConnection.kubeconfig === "" ? {} : { kubeconfig: clientConnection.kubeconfig }),
    ...(clientConnection.qps > 0 ? { kubeApiQps: clientConnection.qps } : {}),
    ...(clientConnection.burst > 0 ? { kubeApiBurst: clientConnection.burst } : {}),
  };
  const options = Object.fromEntries(Object.entries(said).filter(([name]) => !given.has(name))) as Partial<typeof said>;
  const { podInitialBackoffSeconds, podMaxBackoffSeconds } = configuration;
  const backoff = { firstMs: podInitialBackoffSeconds * 1_000, maxMs: podMaxBackoffSeconds * 1_000 };
  return { options, profiles, extenders, backoff, delayCacheUntilActive, unused };
}
