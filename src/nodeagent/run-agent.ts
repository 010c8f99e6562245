// The whole life of an agent process: lock, configuration, identity, the agent itself, and the init system that watches it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { AdjustableLog, Log } from "../base/log.ts";
import { setOomScore } from "../base/oom-score.ts";
import { StartError } from "../base/start-error.ts";
import { Client } from "../client/client.ts";
import { HttpsTransport } from "../client/https-transport.ts";
import { type Connection, KubeconfigError } from "../client/kubeconfig.ts";
import { loadConnection } from "../client/load-connection.ts";
import { type ClientMetrics, clientMetrics, MeasuredTransport } from "../client/measured-transport.ts";
import { untilOtherDialect } from "../client/other-dialect.ts";
import { PacedTransport } from "../client/paced-transport.ts";
import type { Transport } from "../client/transport.ts";
import { dns1123SubdomainProblems } from "../meta/name-formats.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { gateSettings } from "../options/gate-settings.ts";
import { NodeAgent } from "./agent.ts";
import type { AgentOptions } from "./agent-flags.ts";
import { agentMetrics } from "./agent-metrics.ts";
import type { NodeAgentConfiguration } from "./config/configuration.ts";
import { fieldsWithoutEffect } from "./config/fields-without-effect.ts";
import { loadConfiguration } from "./config/load-configuration.ts";
import { bootstrapIdentity } from "./identity/bootstrap.ts";
import { readCertificateFile, writeCertificateFile } from "./identity/certificate-file.ts";
import { requestCertificate } from "./identity/request-certificate.ts";
import { CertificateRotation } from "./identity/rotation.ts";
import { loadCredentialProviders } from "./images/credential-provider-config.ts";
import { IptablesChains } from "./network/iptables-chains.ts";
import { machineHostname } from "./node/machine.ts";
import { nodeLabelProblem } from "./node/node-labels.ts";
import { agentPaths } from "./paths.ts";
import { createPodRunner } from "./pods/pod-runner.ts";
import { LockFile } from "./process/lock-file.ts";
import { InitSystem } from "./process/notify.ts";
import { setMaxOpenFiles } from "./process/open-files.ts";
import { Watchdog, watchdogIntervalMs } from "./process/watchdog.ts";

/** One whose loudness is somebody else's cannot be told. */
type AgentLog = Log & Partial<Pick<AdjustableLog, "setVerbosity">>;

interface AgentProcess {
  readonly options: AgentOptions;
  readonly log: Log;
  /** The log that the configuration asks for. */
  readonly createLog: (settings: { readonly verbosity: number; readonly format: "text" | "json" }) => AgentLog;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Resolves when the process shall end. */
  readonly stopAsked: Promise<void>;
}

/** Resolves when the agent has ended. Fails with StartError. */
export async function runAgent(process: AgentProcess): Promise<void> {
  const { options, log, clock } = process;
  const stop = new AbortController();
  void process.stopAsked.then(() => stop.abort());
  const lock = await acquireLock(process, stop);
  try {
    if (!stop.signal.aborted) await runLocked(process, stop.signal);
  } finally {
    await lock?.release();
  }

  async function acquireLock({ options: { lockFile } }: AgentProcess, ending: AbortController) {
    if (lockFile === undefined) {
      if (options.exitOnLockContention) throw new StartError("--exit-on-lock-contention needs --lock-file");
      return undefined;
    }
    const onWait = () => log.info({ lockFile }, "waiting for another agent to end");
    try {
      const acquired = await LockFile.acquire(lockFile, { signal: ending.signal, onWait });
      if (options.exitOnLockContention)
        acquired.onContention(clock, () => {
          log.info({ lockFile }, "another agent waits for the lock file; ending");
          ending.abort();
        });
      return acquired;
    } catch (error) {
      if (ending.signal.aborted) return undefined;
      throw error;
    }
  }
}

async function runLocked(agentProcess: AgentProcess, signal: AbortSignal): Promise<void> {
  const { options, clock, env, pid, createLog } = agentProcess;
  const { dialect, config, configDir, rootDir, certDir, nodeIp } = options;
  const loaded = loadConfiguration({ dialect, config, configDir, flags: configurationOf(options) });
  const { verbosity, format } = loaded.configuration.logging;
  // The flag wins over the file where it asks for more.
  const log = createLog({ verbosity: Math.max(verbosity, options.v), format });
  for (const warning of loaded.gates.warnings) log.warn({}, warning);
  for (const field of fieldsWithoutEffect(loaded.shown))
    log.warn({ field }, "the field is known but has no effect yet");
  const credentialProviders = loadCredentialProviders({
    config: options.imageCredentialProviderConfig,
    binDir: options.imageCredentialProviderBinDir,
    gates: loaded.gates,
  });
  const watchdogMs = loaded.gates.enabled("SystemdWatchdog") ? watchdogIntervalMs(env, pid) : undefined;
  const hostname = options.hostnameOverride ?? machineHostname().toLowerCase();
  const [problem] = dns1123SubdomainProblems(hostname);
  if (problem !== undefined) throw new StartError(`--hostname-override: ${JSON.stringify(hostname)}: ${problem}`);
  checkLabels(options);
  const certificateFile = join(certDir, "nodeagent-client-current.pem");
  await bootstrap({ options, log, clock }, { nodeName: hostname, certificateFile, signal });
  if (signal.aborted) return;
  const metrics = agentMetrics(hostname, loaded, namesFor(dialect));
  const clients = await clientsOf(options, loaded.configuration, { clock, metrics: clientMetrics(metrics) });
  const { client } = clients;
  await setMaxOpenFiles(pid, loaded.configuration.maxOpenFiles).catch((error: unknown) =>
    log.warn({ err: error }, "maxOpenFiles: the agent may not have so many files open"),
  );
  await setOomScore(pid, loaded.configuration.oomScoreAdj).catch((error: unknown) =>
    log.warn({ err: error }, "oomScoreAdj could not be set"),
  );
  const known = loaded.configuration.rotateCertificates ? await readCertificateFile(certificateFile) : undefined;
  const rotation =
    known === undefined
      ? undefined
      : new CertificateRotation({
          clock,
          random: Math.random,
          current: known,
          request: (ending) => requestCertificate({ client, clock, nodeName: hostname, use: "client", signal: ending }),
          apply: (next) => writeCertificateFile(certificateFile, next),
          onError: (error) => log.warn({ err: error }, "the client certificate is not renewed yet; trying again"),
        });
  try {
    const starting = NodeAgent.start({
      ...clients,
      loaded,
      paths: agentPaths({ rootDir, certDir }),
      nodeName: hostname,
      hostname,
      nodeIps: nodeIp,
      labels: options.nodeLabels,
      credentialProviders,
      clock,
      random: Math.random,
      log,
      setVerbosity: log.setVerbosity,
      metrics,
      createPodRunner,
    });
    // Who is asked to end while a runtime hangs does not wait for it.
    const agent = await Promise.race([starting, aborted(signal)]);
    if (agent === undefined) return;
    const chains = loaded.configuration.makeIPTablesUtilChains ? new IptablesChains({ clock, log }) : undefined;
    chains?.start();
    const watched = await tellInitSystem(env, log, (tell) =>
      watchdogMs === undefined
        ? undefined
        : new Watchdog({
            clock,
            intervalMs: watchdogMs,
            problem: () => agent.problem(),
            tell,
            onProblem: (why) => log.warn({ problem: why }, "the watchdog is not told that the agent is well"),
          }),
    );
    const ending = new AbortController();
    await Promise.race([aborted(signal), untilOtherDialect(client, ending.signal)]);
    ending.abort();
    log.info({}, "stopping");
    watched?.stop();
    chains?.close();
    await agent.stop();
  } finally {
    rotation?.stop();
    await client.close();
  }
}

/** Signs of life wait for nothing; events and everything else have a pace of their own. */
async function clientsOf(
  { kubeconfig, dialect }: AgentOptions,
  config: NodeAgentConfiguration,
  { clock, metrics }: { readonly clock: Clock; readonly metrics: ClientMetrics },
) {
  const connection = connectionOf(kubeconfig);
  const { host } = new URL(connection.cluster.server);
  const https = new HttpsTransport({ connection, userAgent: "plinth-nodeagent", clock });
  const measured = new MeasuredTransport(https, { metrics, clock, host });
  const transport = config.contentType === "application/json" ? measured : await inProtobuf(measured, dialect);
  const onWait = (seconds: number, method: string) => metrics.paceSeconds.with(host, method).observe(seconds);
  const clientAt = (perSecond: number, burst: number) =>
    new Client({
      transport: new PacedTransport(transport, { clock, perSecond, burst, onWait }),
      dialect,
      clock,
      fieldManager: "kubelet",
    });
  return {
    client: clientAt(config.kubeAPIQPS, config.kubeAPIBurst),
    eventClient: clientAt(config.eventRecordQPS, config.eventBurst),
    heartbeatClient: clientAt(0, 0),
  };
}

/** Only then are the schemas of all kinds needed. */
async function inProtobuf(transport: Transport, dialect: Dialect): Promise<Transport> {
  const { ProtobufTransport } = await import("./protobuf-transport.ts");
  return new ProtobufTransport(transport, namesFor(dialect));
}

/** Without --bootstrap-kubeconfig the node has its identity already. */
async function bootstrap(
  { options, log, clock }: Pick<AgentProcess, "options" | "log" | "clock">,
  node: { readonly nodeName: string; readonly certificateFile: string; readonly signal: AbortSignal },
): Promise<void> {
  const { bootstrapKubeconfig, kubeconfig, dialect } = options;
  if (bootstrapKubeconfig === undefined) return;
  if (kubeconfig === undefined) throw new StartError("--bootstrap-kubeconfig needs --kubeconfig: the file to write");
  const connection = () => connectionOf(bootstrapKubeconfig, "--bootstrap-kubeconfig");
  try {
    await bootstrapIdentity({ ...node, kubeconfig, bootstrap: connection, dialect, clock, log });
  } catch (error) {
    if (!node.signal.aborted) throw error;
  }
}

/** Fields of the configuration that have flags. */
function configurationOf({ featureGates, registerWithTaints }: AgentOptions): JsonObject {
  return {
    ...(featureGates.size === 0 ? {} : { featureGates: gateSettings(featureGates) }),
    ...(registerWithTaints === undefined
      ? {}
      : { registerWithTaints: registerWithTaints.map((taint) => ({ ...taint })) }),
  };
}

function checkLabels({ nodeLabels, dialect }: AgentOptions): void {
  const names = namesFor(dialect);
  for (const [key, value] of nodeLabels) {
    const problem = nodeLabelProblem(names, key, value);
    if (problem !== undefined) throw new StartError(`--node-labels: ${problem}`);
  }
}

function connectionOf(kubeconfig: string | undefined, flag = "--kubeconfig"): Connection {
  if (kubeconfig === undefined)
    throw new StartError("--kubeconfig must be set: the API server and who the agent is for it");
  if (!existsSync(kubeconfig)) throw new StartError(`${flag}: ${kubeconfig} is not there`);
  try {
    return loadConnection({ kubeconfig });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new StartError(`${flag}: ${error.message}`);
    throw error;
  }
}

/** Nobody listens without NOTIFY_SOCKET. A word that does not get through is no reason to end. */
async function tellInitSystem(
  env: NodeJS.ProcessEnv,
  log: Log,
  watch: (tell: (words: string) => Promise<void>) => Watchdog | undefined,
): Promise<Watchdog | undefined> {
  const socket = env["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return undefined;
  const init = new InitSystem(socket);
  await init
    .tell("READY=1")
    .catch((error: unknown) => log.warn({ err: error }, "the init system cannot be told of the start"));
  return watch((words) => init.tell(words));
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
