// This machine as a node of its own cluster, in the process of `plinth up`: the agent, the proxy of Services, the cluster's DNS
// and the network of pods.
// The agent is a client like every other: it has a certificate of its own and reaches the server over its listener.

import { mkdir, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import type { InProcessClients } from "../apiserver/in-process-clients.ts";
import { systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { StartError } from "../base/start-error.ts";
import { ClusterDns } from "../dns/cluster-dns.ts";
import { publishDns } from "../dns/dns-service.ts";
import { askers } from "../dns/may-ask.ts";
import { type OwnNodeCertificates, ownNodeCertificates } from "../http/certificates.ts";
import { node } from "../kinds/core/node.ts";
import { cidrContainsIp, formatIp, ipFromNumber, ipToNumber, maskCidr, parseCidr, parseIp } from "../meta/ip.ts";
import { AGENT_CONFIGURATIONS } from "../meta/names.ts";
import { NODES_GROUP, nodeUser } from "../meta/node-identity.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { agentFlags } from "../nodeagent/agent-flags.ts";
import type { OneNodeOptions } from "../nodeagent/one-node-flags.ts";
import { findPodNetwork, handPacketsOn, type PodNetworkPlace, setUpPodNetwork } from "../nodeagent/pod-network.ts";
import { runAgent } from "../nodeagent/run-agent.ts";
import { findThisMachine, type ThisMachine } from "../nodeagent/this-machine.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { loadConfiguration } from "../proxy/proxy-configuration.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { checkDataDir } from "./open-engine.ts";
import { keepNodeCertificates } from "./own-certificates.ts";
import { runCheckedProxy } from "./run-proxy.ts";
import { certDirOf } from "./serving-certificate.ts";

type NodeOptions = ApiServerOptions & OneNodeOptions & { readonly clusterCidr: readonly string[] };

export interface PreparedNode<Options> {
  /** With what the server must know of its node. */
  readonly options: Options;
  readonly machine: ThisMachine;
  readonly network: PodNetworkPlace;
  readonly rootDir: string;
  readonly certificates: OwnNodeCertificates;
  /** The same, those that end soon made anew. */
  readonly renewCertificates: () => Promise<OwnNodeCertificates>;
  /** The address of the cluster's DNS, and that of the machine behind it. */
  readonly dns: { readonly clusterIp: string; readonly address: string };
}

/** Where the resolver listens at the address of the node: the usual port may be that of another one. */
const DNS_PORT = 10_053;
/** The place of the resolver in the network of Services. */
const DNS_IP_NUMBER = 10n;

/** Looks whether this machine can be a node, before anything is touched. Fails with StartError. */
export async function prepareNode<Options extends NodeOptions>(options: Options): Promise<PreparedNode<Options>> {
  if (process.getuid?.() !== 0)
    throw new StartError("--node needs root: it makes containers and networks. Try sudo, or --simulated-nodes=1");
  const rootDir = resolve(options.nodeRootDir ?? join(options.dataDir, "node"));
  const machine = await findThisMachine({ ...options, rootDir });
  const network = await findPodNetwork(options.containerRuntimeEndpoint, systemClock);
  const { nodeName, nodeIps } = machine;
  const dns = dnsAddresses(options.serviceClusterIpRange[0] ?? "", nodeIps);
  await checkDataDir(options);
  const renewCertificates = () =>
    ownNodeCertificates(resolve(certDirOf(options)), [nodeName, ...nodeIps, "localhost", "127.0.0.1"], {
      user: nodeUser(nodeName),
      groups: [NODES_GROUP],
    });
  const certificates = await renewCertificates();
  return {
    machine,
    network,
    rootDir,
    certificates,
    renewCertificates,
    dns,
    options: {
      ...options,
      advertiseAddress: options.advertiseAddress ?? nodeIps[0],
      // Who names the server's own certificate for agents names their authority, too.
      ...(options.kubeletClientCertificate === undefined
        ? { kubeletCertificateAuthority: certificates.files.agentAuthority }
        : {}),
    },
  };
}

export interface NodeCluster {
  readonly url: string;
  readonly caPem: string | undefined;
  readonly clients: InProcessClients;
  readonly log: Log;
  /** Those of the whole process. */
  readonly metrics: Metrics;
}

export interface RunningNode {
  /** Fails when the agent could not start, or ended. */
  readonly failed: Promise<never>;
  /** Pods run on. */
  stop(): Promise<void>;
}

/** Resolves when the cluster's names are answered, and agent and proxy are starting. Fails with StartError. */
export async function runNode(prepared: PreparedNode<NodeOptions>, cluster: NodeCluster): Promise<RunningNode> {
  const { options, machine } = prepared;
  const { clients, log } = cluster;
  const { clusterIp, address } = prepared.dns;
  const dns = await ClusterDns.start({
    // Whoever reads everything anyway: names are no secrets.
    client: clients.client,
    clock: systemClock,
    log,
    domain: options.clusterDomain,
    clusterIp,
    address,
    port: DNS_PORT,
    resolvConf: RESOLV_CONF,
    mayAsk: askers({
      clusterCidrs: options.clusterCidr,
      nodeIps: machine.nodeIps,
      interfaces: networkInterfaces,
      clock: systemClock,
    }),
    metrics: cluster.metrics,
  });
  const admin = clients.componentClient("system:plinth-node", "plinth-node", [SYSTEM_MASTERS]);
  await publishDns(admin, { clusterIp, address, port: dns.port, nodeName: machine.nodeName });
  await handPacketsOn(log);
  const proxyClient = clients.componentClient("system:kube-proxy", "plinth-proxy");
  const proxy = await runCheckedProxy({
    client: proxyClient,
    ...machine,
    log: log.child({ part: "proxy" }),
    clock: systemClock,
    ...loadConfiguration(undefined, { clusterCIDR: options.clusterCidr.join(",") }),
    gates: serverGates(options.featureGates, options.dialect),
  });
  const network = followPodNetwork(prepared, cluster);
  const { certificates, renewCertificates: renew } = prepared;
  const renewal = keepNodeCertificates({ certificates, renew, clock: systemClock, log });
  let askToStop: () => void = () => undefined;
  const stopAsked = new Promise<void>((resolve) => {
    askToStop = resolve;
  });
  const agent = startAgent(prepared, cluster, stopAsked);
  const failed = agent.then(() => {
    throw new StartError("the node agent has ended");
  });
  // Who stops it is not interested any more.
  failed.catch(() => undefined);
  return {
    failed,
    async stop() {
      renewal.stop();
      askToStop();
      await Promise.allSettled([agent, network.stop(), proxy.stop(), dns.stop()]);
      await Promise.all([admin.close(), proxyClient.close()]);
    },
  };
}

const RESOLV_CONF = "/etc/resolv.conf";

async function startAgent(prepared: PreparedNode<NodeOptions>, cluster: NodeCluster, stopAsked: Promise<void>) {
  const { options, machine, rootDir, certificates } = prepared;
  const kubeconfig = join(rootDir, "kubeconfig");
  const config = join(rootDir, "config.json");
  await mkdir(rootDir, { recursive: true });
  await writeKubeconfig(kubeconfig, { server: cluster.url, caPem: cluster.caPem, client: certificates.files.client });
  await writeFile(config, `${JSON.stringify(agentConfiguration(prepared), null, 2)}\n`);
  const log = cluster.log.child({ part: "nodeagent" });
  await runAgent({
    options: {
      ...parseFlags(agentFlags, []).options,
      kubeconfig,
      config,
      dialect: options.dialect,
      configDir: options.nodeConfigDir,
      rootDir,
      certDir: join(rootDir, "pki"),
      hostnameOverride: machine.nodeName,
      nodeIp: machine.nodeIps,
      featureGates: options.featureGates,
    },
    log,
    // How much the whole process says was asked for with it.
    createLog: () => log,
    clock: systemClock,
    // The init system is told of the whole process by others.
    env: {},
    pid: process.pid,
    stopAsked,
  });
}

function agentConfiguration({ options, rootDir, certificates, dns }: PreparedNode<NodeOptions>): object {
  const { files } = certificates;
  return {
    ...AGENT_CONFIGURATIONS[0],
    containerRuntimeEndpoint: options.containerRuntimeEndpoint,
    podLogsDir: join(rootDir, "logs"),
    resolvConf: RESOLV_CONF,
    clusterDNS: [dns.clusterIp],
    clusterDomain: options.clusterDomain,
    // A machine of one's own often has some.
    failSwapOn: false,
    tlsCertFile: files.agentCertificate,
    tlsPrivateKeyFile: files.agentKey,
    authentication: { x509: { clientCAFile: files.clientAuthority } },
  };
}

/** As soon as the node has its part of the cluster's addresses, its pods get their network. */
function followPodNetwork(
  { machine, network, rootDir }: PreparedNode<NodeOptions>,
  { clients, log }: NodeCluster,
): { stop(): Promise<void> } {
  if (network.foreign !== undefined)
    process.stdout.write(`network of pods: ${join(network.folder, network.foreign)}, which was there before\n`);
  const informer = clients.client.informer(node, { fieldSelector: `metadata.name=${machine.nodeName}` });
  let shown = "";
  const look = ({ spec }: { readonly spec: { readonly podCIDRs?: readonly string[] } }): void => {
    const podCidrs = spec.podCIDRs ?? [];
    if (podCidrs.length === 0 || podCidrs.join() === shown) return;
    shown = podCidrs.join();
    setUpPodNetwork(network, { podCidrs, leaseDir: join(rootDir, "addresses"), log }).catch((error: unknown) =>
      log.error({ err: error }, "the network of pods cannot be set up"),
    );
  };
  informer.addHandlers({ added: look, updated: look });
  informer.start();
  return { stop: () => informer.stop() };
}

function dnsAddresses(range: string, nodeIps: readonly string[]): PreparedNode<unknown>["dns"] {
  const cidr = parseCidr(range);
  const network = cidr && maskCidr(cidr).ip;
  const ip = network && ipFromNumber(ipToNumber(network) + DNS_IP_NUMBER, network.family);
  if (cidr === undefined || ip === undefined || !cidrContainsIp(cidr, ip))
    throw new StartError(`--service-cluster-ip-range ${range}: there is no room for the address of the cluster's DNS`);
  const address = nodeIps.find((text) => parseIp(text)?.family === ip.family);
  if (address === undefined)
    throw new StartError(`--service-cluster-ip-range ${range}: the node has no address of that family: --node-ip`);
  return { clusterIp: formatIp(ip), address };
}
