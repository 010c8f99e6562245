// `plinth up`: the API server with an administrator's kubeconfig, in the foreground.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProcessClients } from "../apiserver/in-process-clients.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import { flagHelp } from "../base/flag-help.ts";
import { boolFlag } from "../base/flag-values.ts";
import { type OptionsOf, parseFlags } from "../base/flags.ts";
import { createLog } from "../base/log.ts";
import { UsageError } from "../base/start-error.ts";
import { checkElectionFlags } from "../client/election-flags.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { agentCallerCertificate, generatedSigningKey } from "../http/certificates.ts";
import { makeFileThreads } from "../nodeagent/file-threads.ts";
import { oneNodeFlags } from "../nodeagent/one-node-flags.ts";
import {
  type ApiServerFlagKey,
  apiServerFlags,
  apiServerSections,
  checkApiServerOptions,
} from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { schedulerFlags } from "../scheduler/scheduler-options.ts";
import { capacityOf, simulatedNodeFlags } from "../simulated-nodes/simulated-node-options.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { asksForHelp } from "./help-flag.ts";
import { checkDataDir } from "./open-engine.ts";
import { administrator, keepKubeconfig } from "./own-certificates.ts";
import { reportBugs } from "./report-bugs.ts";
import { runControllers } from "./run-controllers.ts";
import { untilLost } from "./run-elected.ts";
import { runElectionControllers } from "./run-election-controllers.ts";
import { runScheduler, SCHEDULER_COMPONENT } from "./run-scheduler.ts";
import { runServer } from "./run-server.ts";
import { runSimulatedNodes } from "./run-simulated-nodes.ts";
import { schedulerThreadProgram } from "./scheduler-thread/program.ts";
import { certDirOf } from "./serving-certificate.ts";
import { untilSignal } from "./until-signal.ts";
import { welcome } from "./welcome.ts";
import { usableCores } from "./workers/usable-cores.ts";
import { workerCount } from "./workers/worker-count.ts";

const SUMMARY = "Runs the API server on the embedded store and writes a kubeconfig for its administrator.";

interface UpParts {
  /** True when not given. */
  readonly scheduler?: boolean;
}

export async function up(args: readonly string[], parts: UpParts = {}): Promise<void> {
  if (asksForHelp(args)) {
    process.stdout.write(flagHelp("plinth up [flags]", SUMMARY, SECTIONS));
    return;
  }
  const given = { ...withDefaults(parseUpOptions(args)), allowPrivileged: true };
  if (given.node) makeFileThreads();
  // Certificates and the kubeconfig are files all the same: they are gone at the end, too.
  const folder = given.memory ? await mkdtemp(join(tmpdir(), "plinth-")) : undefined;
  const chosen = folder === undefined ? given : { ...given, dataDir: folder };
  // Loaded only where it is asked for: it brings along the protocol of container runtimes.
  const ownNode = chosen.node ? await import("./run-node.ts") : undefined;
  // Keys are made only beside a store that is ours: with --node that is looked at once its machine is known to do.
  if (ownNode === undefined) await checkDataDir(chosen);
  const preparedNode = await ownNode?.prepareNode(chosen);
  const withNode = preparedNode?.options ?? chosen;
  const options = await withAgentCaller(withNode);
  const capacity = capacityOf(options);
  const log = createLog({ verbosity: options.v, quiet: true });
  reportBugs(log);
  const stop = untilSignal();
  const certDir = certDirOf(options);
  const kubeconfig = join(options.dataDir, "kubeconfig");
  const users = new InProcessUsers();
  let kept: { stop(): void } | undefined;
  const server = await runServer({
    options,
    log,
    ...(options.memory ? { engine: new MemoryEngine() } : {}),
    makeClientCa: async () => (await administrator(certDir)).clientCaPem,
    inProcessUsers: users,
    beforeReady: async (cluster) => {
      const callsAgents = withNode.kubeletClientCertificate === undefined;
      kept = await keepKubeconfig({ certDir, kubeconfig, callsAgents, clock: systemClock, log }, cluster);
    },
    workers: {
      count: workerCount(options, { cores: usableCores(), inMemory: options.memory }),
      quiet: true,
    },
  });
  const clients = inProcessClients(server.handler, users, options.dialect, systemClock, server.emptyResources);
  const gates = serverGates(options.featureGates, options.dialect);
  const elections = runElectionControllers({ server, users, options, gates, log });
  const controllers = runControllers({
    options: await withOwnFiles(options),
    gates,
    log,
    metrics: server.metrics,
    ...clients,
  });
  const scheduler =
    parts.scheduler === false
      ? undefined
      : runScheduler({
          options: { ...options, leaderElectResourceName: SCHEDULER_COMPONENT },
          gates,
          log,
          client: clients.componentClient("system:kube-scheduler", "kube-scheduler"),
          metrics: server.metrics,
          // A thread of its own helps where there is a core for it.
          threadProgram: usableCores() > 1 ? schedulerThreadProgram : undefined,
        });
  const simulatedNodes = runSimulatedNodes({ options, capacity, log, clients });
  const node = preparedNode && (await ownNode?.runNode(preparedNode, { ...server, clients, log }));
  const caFile = server.caPem === undefined ? undefined : join(certDir, "ca.crt");
  const { dialect } = options;
  const shown = { url: server.url, kubeconfig, caFile, dialect, node: preparedNode?.machine.nodeName };
  process.stdout.write(welcome({ ...shown, workingDirectory: process.cwd() }));
  const ends = [stop.asked, untilLost(controllers, "the controllers have ended")];
  if (scheduler !== undefined) ends.push(untilLost(scheduler, "the scheduler has ended"));
  if (node !== undefined) ends.push(node.failed);
  await Promise.race(ends);
  process.stdout.write("stopping\n");
  kept?.stop();
  await node?.stop();
  await simulatedNodes.stop();
  await scheduler?.stop();
  await controllers.stop();
  await elections.stop();
  await server.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

/** The network of pods where --node makes one and no flag names another. */
const POD_NETWORK = "10.244.0.0/16";

/** Nobody need know the name of this machine. */
const ADDRESSES_OF_OWN_NODE = ["InternalIP"];

const STORES_OF_THEIR_OWN = [
  ["dataDir", "data-dir"],
  ["etcdServers", "etcd-servers"],
] as const;

const ownFlags = {
  memory: boolFlag({ default: false, doc: "Keeps everything in memory, and nothing at the end: for tests." }),
} as const;

export const upFlags = {
  ...ownFlags,
  ...controllerFlags,
  // Both have the network of Services: the server's word counts.
  ...apiServerFlags,
  ...schedulerFlags,
  ...simulatedNodeFlags,
  ...oneNodeFlags,
} as const;
type UpOptions = OptionsOf<typeof upFlags>;

const { serviceClusterIpRange: _, ...flagsOfControllersAlone } = controllerFlags;

const SECTIONS = [
  { title: "All in one", flags: ownFlags },
  ...apiServerSections,
  { title: "Controllers", flags: flagsOfControllersAlone },
  { title: "Scheduler", flags: schedulerFlags },
  { title: "Simulated nodes", flags: simulatedNodeFlags },
  { title: "This machine as a node", flags: oneNodeFlags },
];

function parseUpOptions(args: readonly string[]): UpOptions {
  const { options, given, rest } = parseFlags(upFlags, args);
  if (rest.length > 0)
    throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}: values belong to flags, as --flag=value`);
  checkApiServerOptions(options, given as ReadonlySet<ApiServerFlagKey>);
  if (options.memory)
    for (const [key, flag] of STORES_OF_THEIR_OWN)
      if (given.has(key)) throw new UsageError(`flags --memory and --${flag} exclude each other: one keeps nothing`);
  // One process over a store of its own has nobody to elect against.
  const alone = options.etcdServers.length === 0;
  const leaderElect = given.has("leaderElect") ? options.leaderElect : !alone;
  checkElectionFlags({ ...options, leaderElect });
  if (!options.node) return { ...options, leaderElect };
  return {
    ...options,
    leaderElect,
    // Pods are to reach the server too.
    bindAddress: given.has("bindAddress") ? options.bindAddress : "0.0.0.0",
    kubeletPreferredAddressTypes: given.has("kubeletPreferredAddressTypes")
      ? options.kubeletPreferredAddressTypes
      : ADDRESSES_OF_OWN_NODE,
    allocateNodeCidrs: given.has("allocateNodeCidrs") ? options.allocateNodeCidrs : true,
    clusterCidr: given.has("clusterCidr") ? options.clusterCidr : [POD_NETWORK],
  };
}

/** The keys and authorities that the server made for itself serve its controllers, where flags name no others. */
async function withOwnFiles(options: UpOptions): Promise<UpOptions> {
  const folder = certDirOf(options);
  const ownCa = options.tlsCertFile === undefined ? join(folder, "ca.crt") : undefined;
  return {
    ...options,
    serviceAccountPrivateKeyFile:
      options.serviceAccountPrivateKeyFile ??
      options.serviceAccountSigningKeyFile ??
      (await generatedSigningKey(folder)),
    rootCaFile: options.rootCaFile ?? ownCa,
    clusterSigningCertFile: options.clusterSigningCertFile ?? join(folder, "client-ca.crt"),
    clusterSigningKeyFile: options.clusterSigningKeyFile ?? join(folder, "client-ca.key"),
    // The server believes the agents of nodes that its own authority vouches for: of those that join, too.
    ...(options.node && options.clusterSigningCertFile === undefined
      ? {
          clusterSigningKubeletServingCertFile: options.clusterSigningKubeletServingCertFile ?? join(folder, "ca.crt"),
          clusterSigningKubeletServingKeyFile: options.clusterSigningKubeletServingKeyFile ?? join(folder, "ca.key"),
        }
      : {}),
  };
}

/** The agents of nodes that join hear from the server by a certificate of its own, where flags name no other. */
async function withAgentCaller<Options extends UpOptions>(options: Options): Promise<Options> {
  if (options.kubeletClientCertificate !== undefined) return options;
  const { certificateFile, keyFile } = await agentCallerCertificate(certDirOf(options));
  return { ...options, kubeletClientCertificate: certificateFile, kubeletClientKey: keyFile };
}

/** Who starts everything with one command gets access control too, of nodes as of everybody else. */
function withDefaults(options: UpOptions): UpOptions {
  if (options.authorizationMode.length > 0 || options.authorizationConfig !== undefined) return options;
  const { enableAdmissionPlugins: enabled, disableAdmissionPlugins: disabled } = options;
  const chosen = [...enabled, ...disabled].includes("NodeRestriction");
  return {
    ...options,
    authorizationMode: ["Node", "RBAC"],
    enableAdmissionPlugins: chosen ? enabled : [...enabled, "NodeRestriction"],
  };
}
