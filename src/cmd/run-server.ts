// The API server with its store and certificates, from options: what `plinth up` and `plinth apiserver` share.

import { emptyResources } from "../apiserver/empty-resources.ts";
import { onFirstEndingNamespace } from "../apiserver/first-ending-namespace.ts";
import { type RunningServer, startApiServer } from "../apiserver/listening-server.ts";
import { auditFileOf, type LineFile, makeAuditFile } from "../audit/build-audit.ts";
import type { ReadContext } from "../authn/authentication-sources.ts";
import { readAuthentication, type SharedAccountKeys } from "../authn/build-authenticator.ts";
import type { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type ExpositionName, wholeExposition } from "../base/merge-expositions.ts";
import { type Exposition, Metrics } from "../base/metrics.ts";
import { addProcessMetrics } from "../base/process-metrics.ts";
import { SharedAnswers } from "../base/shared-answers.ts";
import { StartError } from "../base/start-error.ts";
import { StartFiles } from "../base/start-files.ts";
import { egressOfFlag } from "../client/callouts/egress-config.ts";
import type { EmptyResources } from "../client/empty-resources.ts";
import { generatedSigningKey } from "../http/certificates.ts";
import { healthMetrics } from "../meta/health-metrics.ts";
import { hostPort, reachableHost } from "../meta/host-port.ts";
import { namesFor } from "../meta/names.ts";
import { RELEASE } from "../meta/version.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { checkFiles } from "../options/check-files.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { flagsWithoutEffect } from "../options/flags-without-effect.ts";
import { gatesWithoutEffect } from "../options/gates-without-effect.ts";
import type { StorageEngine } from "../storage/engine.ts";
import { followNodeAgentTrust } from "./node-agent-trust.ts";
import { openEngine } from "./open-engine.ts";
import { chooseProxyIdentity } from "./proxy-identity.ts";
import { certDirOf, chooseCertificate } from "./serving-certificate.ts";
import { addStoreSize } from "./store-size.ts";
import { FrontDoor, OwnConnections } from "./workers/front-door.ts";
import { shareOfLimits } from "./workers/worker-count.ts";
import { WorkerPool } from "./workers/worker-pool.ts";

interface ServerRequest {
  readonly options: ApiServerOptions;
  readonly log: Log;
  /** The store, instead of the one that the flags choose. It is closed at the end. */
  readonly engine?: StorageEngine;
  /** Components of the same process. */
  readonly inProcessUsers?: InProcessUsers;
  /** What must be there once /readyz says so. */
  readonly beforeReady?: (server: Pick<StartedServer, "url" | "caPem">) => Promise<void>;
  /** Makes or finds an authority of client certificates beside --client-ca-file, in PEM. */
  readonly makeClientCa?: () => Promise<string>;
  /** Has further processes serve beside this one. */
  readonly workers?: { readonly count: number; readonly quiet: boolean };
  /** This process is such a further one: where the owner listens, and what goes through the owner. */
  readonly joins?: {
    readonly port: number;
    readonly expositions: Readonly<Record<ExpositionName, Exposition>>;
    readonly auditFile: LineFile;
    readonly sharedAnswers: SharedAnswers;
    readonly sharedKeys: SharedAccountKeys;
    readonly startFiles: StartFiles;
  };
}

export interface StartedServer {
  readonly url: string;
  /** For components of the same process. */
  readonly handler: RunningServer["handler"];
  readonly emptyResources: EmptyResources;
  /** Calls once when a namespace ends, and ends with what it returns. */
  onFirstEndingNamespace(tell: () => void): () => void;
  readonly metrics: Metrics;
  /** This process's own, as text. */
  readonly expose: (which: ExpositionName) => Promise<string>;
  /** The authority that clients must trust, when the certificate is generated. */
  readonly caPem: string | undefined;
  /** Serves a connection that was accepted elsewhere. */
  readonly accept: RunningServer["accept"];
  /** From now on /readyz fails; `stop` follows. */
  announceStop(): void;
  /** Goes on for --shutdown-delay-duration with /readyz failing, drains, flushes, closes. */
  stop(): Promise<void>;
}

export async function runServer(request: ServerRequest): Promise<StartedServer> {
  const { log, engine: given, makeClientCa, inProcessUsers, joins } = request;
  const workers = request.workers ?? { count: 1, quiet: false };
  const options = shareOfLimits(request.options, workers.count);
  const names = namesFor(options.dialect);
  const gates = serverGates(options.featureGates, options.dialect);
  if (joins === undefined) warnOfIdle(options, gates, log);
  const metrics = new Metrics({ release: RELEASE, showHidden: (options.showHiddenMetricsForVersion ?? "") !== "" });
  addProcessMetrics(metrics);
  // What only reads comes before the store, so that most mistakes touch no data.
  if (joins === undefined) await checkFiles(options);
  const startFiles = joins?.startFiles ?? new StartFiles();
  const egress = egressOfFlag(options.egressSelectorConfigFile, names, startFiles.read);
  const ownAuditFile = joins === undefined ? auditFileOf(options, { log, clock: systemClock }) : undefined;
  await makeAuditFile(ownAuditFile, options.auditLogPath);
  const auditFile = joins?.auditFile ?? ownAuditFile;
  const engine = given ?? (await openEngine(options, log, startFiles.read));
  if (given === undefined && options.etcdServers.length === 0) await addStoreSize(metrics, options.dataDir);
  let pool: WorkerPool | undefined;
  const outcomes = healthMetrics(names);
  const expose = (which: ExpositionName) => (which === "metrics" ? metrics : outcomes.metrics).text();
  const gathered = (which: ExpositionName) => wholeExposition(() => pool?.expose(which) ?? expose(which));
  const sharedAnswers =
    joins?.sharedAnswers ?? (workers.count > 1 ? new SharedAnswers((answer) => pool?.tell(answer)) : undefined);
  const expositions =
    joins?.expositions ?? (workers.count > 1 ? { metrics: gathered("metrics"), slis: gathered("slis") } : undefined);
  let door: FrontDoor | undefined;
  try {
    door = workers.count > 1 ? await FrontDoor.open(options.bindAddress, options.securePort) : undefined;
    // Keys are made only beside a store that is ours.
    const ownClientCaPem = await makeClientCa?.();
    const authentication = readAuthentication(options, {
      names,
      clock: systemClock,
      gates,
      egress,
      startFiles,
      ...(ownClientCaPem === undefined ? {} : { ownClientCaPem }),
      ...(await keySource(options, joins?.sharedKeys)),
    });
    const certificate = await chooseCertificate({ options, names, log, startFiles });
    const reachedAt = (port: number) => ({ url: reachableUrl(options, port), caPem: certificate.caPem });
    const identity = await chooseProxyIdentity(options, log, startFiles);
    const agentTrust = await followNodeAgentTrust(options, log, startFiles);
    const server = await startApiServer(
      {
        options,
        names,
        gates,
        engine,
        log,
        metrics,
        egress,
        authentication,
        inProcessUsers,
        follows: joins !== undefined,
        processName: joins !== undefined || door !== undefined ? String(process.pid) : undefined,
        healthMetrics: outcomes,
        ...(expositions === undefined ? {} : { expositions }),
        ...(auditFile === undefined ? {} : { auditFile }),
        sharedAnswers,
        startFiles,
        proxyIdentity: () => identity.current(),
        nodeAgentTrust: () => agentTrust.current(),
        ownAuthorities: {
          ...(ownClientCaPem === undefined ? {} : { clientCaPem: ownClientCaPem }),
          ...(identity.caPem === undefined ? {} : { proxyCaPem: identity.caPem }),
        },
      },
      {
        bindAddress: options.bindAddress,
        port: joins?.port ?? door?.port ?? options.securePort,
        tls: certificate.tls,
        isHanded: joins !== undefined || door !== undefined,
        beforeReady: async (port) => request.beforeReady?.(reachedAt(port)),
      },
    );
    let stopping = false;
    const announceStop = (): void => {
      stopping = true;
      pool?.announceStop();
    };
    server.health.add({
      name: "shutdown",
      endpoints: ["readyz"],
      check: () => (stopping ? "process is shutting down" : undefined),
    });
    const renewal = certificate.follow((tls) => server.setCertificates(tls));
    if (door !== undefined) {
      const { LmdbEngine, serveFollower } = await import("../storage/lmdb-engine.ts");
      const { port: listeningAt } = door;
      pool = new WorkerPool({
        count: workers.count - 1,
        program: [process.argv[1]!, "worker"],
        setup: () => ({
          options,
          port: listeningAt,
          clientCaPem: ownClientCaPem,
          sharedKeys: authentication.sharedKeys(),
          startFiles: startFiles.contents,
          quiet: workers.quiet,
        }),
        door,
        serveStore: engine instanceof LmdbEngine ? (line) => serveFollower(engine, line) : undefined,
        expose,
        onAnswer: (answer) => sharedAnswers?.receive(answer),
        onGone: (pid) => server.processEnded(String(pid)),
        ...(auditFile === undefined ? {} : { appendAudit: (text) => auditFile.append(text) }),
        log,
      });
      await pool.start();
      // Nobody is served before all have read the same files.
      door.add(new OwnConnections((socket) => server.accept(socket)));
    }
    return {
      ...reachedAt(server.port),
      handler: server.handler,
      emptyResources: emptyResources(server.catalog),
      onFirstEndingNamespace: (tell) => onFirstEndingNamespace(server.catalog, tell),
      metrics,
      expose,
      accept: (socket) => server.accept(socket),
      announceStop,
      async stop() {
        announceStop();
        // The owner has waited for its workers, too.
        if (joins === undefined) await systemClock.sleep(options.shutdownDelayDurationMs);
        door?.close();
        await pool?.stop();
        renewal.stop();
        identity.stop();
        agentTrust.stop();
        await server.close();
        await engine.close();
      },
    };
  } catch (error) {
    // The failure that brought us here is the one to report.
    door?.close();
    await pool?.stop();
    await engine.close().catch(() => undefined);
    throw explainListenError(error, options);
  }
}

/** Where no flag names a key, the server has one of its own. */
async function keySource(
  options: ApiServerOptions,
  sharedKeys: SharedAccountKeys | undefined,
): Promise<Pick<ReadContext, "signingKeyFile" | "sharedKeys">> {
  if (sharedKeys !== undefined) return { sharedKeys };
  if (options.serviceAccountSigningKeyFile !== undefined) return {};
  return { signingKeyFile: await generatedSigningKey(certDirOf(options)) };
}

/** Said once, by the process that was started by somebody. */
function warnOfIdle(options: ApiServerOptions, gates: ReturnType<typeof serverGates>, log: Log): void {
  for (const warning of gates.warnings) log.warn({}, warning);
  const idle = flagsWithoutEffect(options);
  if (idle.length > 0) log.warn({ flags: idle }, "flags without effect in this build");
  const idleGates = gatesWithoutEffect(gates);
  if (idleGates.length > 0) log.warn({ gates: idleGates }, "feature gates without effect in this build");
}

const reachableUrl = ({ bindAddress }: ApiServerOptions, port: number): string =>
  `https://${hostPort(reachableHost(bindAddress), port)}`;

function explainListenError(error: unknown, options: ApiServerOptions): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return new StartError(
      `--secure-port ${options.securePort} on ${options.bindAddress} is in use: stop the other server or choose another port`,
    );
  if (code === "EADDRNOTAVAIL")
    return new StartError(`--bind-address ${options.bindAddress} is not an address of this machine`);
  if (code === "EACCES")
    return new StartError(`--secure-port ${options.securePort}: not allowed to listen there; choose a port above 1023`);
  return error;
}
