// The parts that together look after pods, put together.

import { homedir, release } from "node:os";
import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import { SharedInformers } from "../../client/shared-informers.ts";
import { type Node, node as nodeKind } from "../../kinds/core/node.ts";
import { type Pod, pod as podKind } from "../../kinds/core/pod.ts";
import { type Service, service as serviceKind } from "../../kinds/core/service.ts";
import { serviceVariables } from "../containers/service-variables.ts";
import type { AgentContext } from "../context.ts";
import { CsiMounter } from "../csi/csi-mounter.ts";
import { FailureBackoff } from "../failure-backoff.ts";
import { FlexDrivers } from "../flex/flex-drivers.ts";
import { FlexMounter } from "../flex/flex-mounter.ts";
import { CredentialProvider, providerMetrics } from "../images/credential-provider.ts";
import { ImagePuller } from "../images/image-puller.ts";
import { PodCredentials } from "../images/pod-credentials.ts";
import { PullRate } from "../images/pull-rate.ts";
import { PullRecords } from "../images/pull-records.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { cgroupVersion } from "../kernel/measure-kernel.ts";
import { checkContainer } from "../probes/check-container.ts";
import { PodProbes } from "../probes/pod-probes.ts";
import type { ProbeSort } from "../probes/probe-worker.ts";
import { isMirror } from "../static-pods/static-pod.ts";
import { PodUsageReader } from "../stats/pod-usage.ts";
import { mountFilesystem, mountMemory } from "../volumes/mounts.ts";
import { PodVolumes } from "../volumes/pod-volumes.ts";
import { addVolumeGauge, StorageOperations } from "../volumes/storage-operations.ts";
import { reportOnContainer } from "./container-events.ts";
import { ContainerStarter } from "./container-starter.ts";
import { measureNode } from "./measure-node.ts";
import { ObjectReader } from "./object-reader.ts";
import { PersistentVolumes } from "./persistent-volumes.ts";
import { PodActions } from "./pod-actions.ts";
import { PodDirectories } from "./pod-directories.ts";
import { addPodGauges } from "./pod-gauges.ts";
import { PodObjects } from "./pod-objects.ts";
import { PodRecord } from "./pod-records.ts";
import { PodStartTimes } from "./pod-start-times.ts";
import { PodStopper } from "./pod-stopper.ts";
import { PodSync } from "./pod-sync.ts";
import { PodTable } from "./pod-table.ts";
import { PodTotals } from "./pod-totals.ts";
import { addressesOf, latestRun } from "./runtime-pod.ts";
import { RuntimeView } from "./runtime-view.ts";
import { SandboxStarter } from "./sandbox-starter.ts";
import { StatusWriter } from "./status-writer.ts";
import { terminationMessage } from "./termination-message.ts";
import { TrustBundles } from "./trust-bundles.ts";
import { UserRanges } from "./user-ranges.ts";

export type PodParts = ReturnType<typeof buildPodParts>;

const FIRST_BACKOFF_MS = 10_000;
const OBJECT_AGE_MS = 60_000;
const MAX_PULL_BACKOFF_MS = 300_000;
/** A container that has run for so long is no crashing one, however short the waits are. */
const FORGET_RESTARTS_MS = 600_000;
/** As monitors call them. */
const RESULTS = { success: "successful", failure: "failed", unknown: "unknown" } as const;
const PROBE_USER_AGENT = "kube-probe/1.34";

/** `again` asks for another round of a pod. */
export function buildPodParts(context: AgentContext, again: (uid: string) => void) {
  const { client, clock, config, cri, names, paths, log } = context;
  const onError = (error: unknown) => log.warn({ err: error }, "something about pods failed; trying again");
  const informers = new SharedInformers(client, { onError });
  const apiPods = informers.of(podKind, {
    fieldSelector: `spec.nodeName=${context.nodeName}`,
    transform: withoutManagers,
  });
  const services = informers.of(serviceKind);
  const seen = (node: Node) => context.node.seen(node);
  informers
    .of(nodeKind, { fieldSelector: `metadata.name=${context.nodeName}` })
    .addHandlers({ added: seen, updated: seen });
  const view = new RuntimeView({
    cri,
    names,
    nodeIps: context.nodeIps,
    messageOf: (status) => terminationMessage(status, names),
    onError: (error, uid) => log.warn({ err: error, uid }, "the runtime does not say what it has of a pod"),
  });
  const directories = new PodDirectories(paths.pods, async (uid) => {
    await csi.unmountAll(uid);
    await flex.unmountAll(uid);
  });
  const allocated = new PodRecord({ file: paths.allocatedPodsState, clock, onError });
  const actuated = new PodRecord({ file: paths.actuatedPodsState, clock, onError });
  const users = new UserRanges({
    directoryOf: (uid) => directories.of(uid),
    maxPods: config.maxPods,
    usersPerPod: config.userNamespaces.idsPerPod,
  });
  const maxMs = config.crashLoopBackOff.maxContainerRestartPeriodMs;
  const firstMs = Math.min(FIRST_BACKOFF_MS, maxMs);
  const restarts = new FailureBackoff({ clock, firstMs, maxMs, forgetAfterMs: FORGET_RESTARTS_MS });
  const pulls = new FailureBackoff({ clock, firstMs: FIRST_BACKOFF_MS, maxMs: MAX_PULL_BACKOFF_MS });
  const records = pullRecords(context);
  const maxAtOnce = config.maxParallelImagePulls ?? (config.serializeImagePulls ? 1 : Number.POSITIVE_INFINITY);
  const rate = new PullRate({ clock, perSecond: config.registryPullQPS, burst: config.registryBurst });
  const startTimes = new PodStartTimes(context.metrics, clock);
  const images = new ImagePuller({ cri, clock, backoff: pulls, records, maxAtOnce, rate, times: startTimes });
  const forgets = config.configMapAndSecretChangeDetectionStrategy === "Get";
  const objects = new PodObjects(client, new ObjectReader({ client, maxAgeMs: () => objectAgeMs(context), forgets }));
  const credentials = podCredentials(context, objects);
  const csi = csiMounter(context, objects);
  const flex = flexMounter(context);
  context.node.contribute(() => ({ volumesInUse: csi.volumesInUse() }));
  const totals = new PodTotals(context.metrics, clock);
  const table = new PodTable(context, allocated, (reason) => totals.rejected(reason));
  addPodGauges(context.metrics, { table, view, cgroupVersion: cgroupVersion() });
  const probes = podProbes(context, view, again);

  /** The pod of the API that tells of this one: itself, or its mirror. */
  const shownAs = (uid: string): Stored<Pod> | undefined => {
    const entry = table.get(uid);
    if (entry === undefined) return undefined;
    const { namespace = "", name = "" } = entry.pod.metadata;
    const shown = apiPods.cache.get({ namespace, name });
    const isOwn = entry.isStatic ? shown !== undefined && isMirror(shown, names) : shown?.metadata.uid === uid;
    return isOwn ? shown : undefined;
  };
  const writer = new StatusWriter({
    client,
    clock,
    target: shownAs,
    onTold: (seconds) => totals.told(seconds),
    metrics: context.queue("pod-status"),
    onError: (error, uid) => log.warn({ err: error, uid }, "the status of a pod could not be told; trying again"),
  });
  const kernelRelease = release();
  const keepsMemory = context.gates.enabled("MemoryQoS");
  const nodeResources = () => measureNode(config, { keepsMemory, allocatable: context.node.allocatable()["memory"] });
  const stopper = new PodStopper(context, totals);
  const actions = new PodActions({
    ...{ context, view, probes, directories, stopper, restarts, actuated, nodeResources, totals },
    sandboxes: new SandboxStarter({ context, users, kernelRelease, nodeResources }),
    containers: new ContainerStarter({
      ...{ context, objects, credentials, directories, images, nodeResources, stopper, totals },
    }),
    services: (pod) => servicesFor(pod, services, names.apiService),
    readNodeHosts: () => readSmallFile("/etc/hosts").then(String, () => ""),
    canRecursiveReadOnly: (handler) =>
      kernelAtLeast(kernelRelease, [5, 12]) &&
      context.runtime.handlers().find(({ name }) => name === handler)?.features?.recursiveReadOnlyMounts === true,
  });
  const operations = new StorageOperations({ metrics: context.metrics, clock, domain: names.ownDomain });
  const bundles = context.gates.enabled("ClusterTrustBundleProjection")
    ? new TrustBundles({ client, clock, informers })
    : undefined;
  const volumes = podVolumes(context, { directories, objects, bundles, credentials, csi, flex, images, operations });
  addVolumeGauge(context.metrics, {
    operations,
    pods: () =>
      table.active().map(({ uid, pod }) => ({ volumes: pod.spec.volumes ?? [], ready: volumes.readyOf(uid) })),
  });
  const knowsServices = () => services.synced;
  const sync = new PodSync({
    ...{ context, view, actions, probes, volumes, directories, stopper, writer, knowsServices, actuated, totals },
  });
  const backoffs = [restarts, pulls];
  const usage = new PodUsageReader({
    volumesOf: (uid) => volumes.readyOf(uid),
    cri,
    clock,
    podLogsDir: config.podLogsDir,
    podUidLabel: names.runtimePodUid,
    volumesEveryMs: config.volumeStatsAggPeriodMs,
    onMeasured: (source, seconds) => totals.volumeMeasured(source, seconds),
  });
  return {
    ...{ informers, apiPods, view, directories, allocated, actuated, users, records, images, objects, table, probes },
    ...{ writer, sync, shownAs, backoffs, usage, volumes, csi, totals, startTimes, onError },
  };
}

function pullRecords({ gates, paths, names, clock, config }: AgentContext): PullRecords | undefined {
  if (!gates.enabled("KubeletEnsureSecretPulledImages")) return undefined;
  const { imageRecordVersion: apiVersion, pulledSecretsField, pulledServiceAccountsField } = names;
  const fields = { secrets: pulledSecretsField, serviceAccounts: pulledServiceAccountsField };
  const verification = {
    policy: config.imagePullCredentialsVerificationPolicy,
    allowlist: config.preloadedImagesVerificationAllowlist,
  };
  const nowMs = () => clock.nowMs();
  return new PullRecords({ directory: paths.imageManager, apiVersion, fields, nowMs, verification });
}

function podCredentials(context: AgentContext, objects: PodObjects): PodCredentials {
  const { client, clock, log, metrics, paths } = context;
  const counted = providerMetrics(metrics);
  const providers = context.credentialProviders.map(
    (settings) =>
      new CredentialProvider({
        ...{ settings, clock, log, metrics: counted },
        serviceAccountOf: ({ metadata: { namespace = "" }, spec }) =>
          client.core.v1.serviceAccounts(namespace).get(spec.serviceAccountName ?? ""),
        tokenOf: (pod, audience) => objects.token(pod, { audience }),
      }),
  );
  const folders = [paths.rootDir, join(homedir(), ".docker"), "/.docker"];
  return new PodCredentials({ secretsOf: (pod) => objects.pullSecrets(pod), providers, folders });
}

/** The controllers say by an annotation how long objects may be remembered in a cluster of this size. */
function objectAgeMs({ config, names, node }: AgentContext): number {
  if (config.configMapAndSecretChangeDetectionStrategy !== "Cache") return 0;
  const seconds = Number(node.current()?.metadata.annotations?.[names.nodeTtlAnnotation] ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds * 1000 : OBJECT_AGE_MS;
}

/** As it begins a sentence. */
const titleOf = (sort: ProbeSort): string => `${sort[0]!.toUpperCase()}${sort.slice(1)}`;

function podProbes(context: AgentContext, view: RuntimeView, again: (uid: string) => void): PodProbes {
  const { cri, clock, recorder, probeTotals, node } = context;
  return new PodProbes({
    clock,
    runOf: (uid, container) => {
      const pod = view.pod(uid);
      const run = pod === undefined ? undefined : latestRun(pod, container);
      if (run === undefined) return undefined;
      return { id: run.id, isRunning: run.state === "running", startedAtMs: run.startedAtMs };
    },
    check: async (pod, container, sort, run, signal) => {
      const probe = container[`${sort}Probe`] ?? {};
      const timeoutMs = (probe.timeoutSeconds || 1) * 1000;
      const known = view.pod(pod.metadata.uid ?? "");
      const podIp = (known && addressesOf(known, node.hostIps()).podIPs[0]) ?? "";
      const target = { cri, containerId: run.id, podIp, container, timeoutMs, userAgent: PROBE_USER_AGENT };
      return await checkContainer(probe, target, signal);
    },
    onVerdict: again,
    onChecked: (pod, { name: container }, sort, { result, message, isWarning = false }) => {
      const { uid = "", name = "", namespace = "" } = pod.metadata;
      probeTotals.count({ uid, pod: name, namespace, container, sort, result: RESULTS[result] });
      const tell = (reason: string, how: string) => {
        const text = `${titleOf(sort)} probe ${how}: ${message}`;
        reportOnContainer(recorder, pod, container, { type: "Warning", reason, message: text });
      };
      if (isWarning) tell("ProbeWarning", "warning");
      if (result === "failure") tell("Unhealthy", "failed");
      if (result === "unknown") tell("Unhealthy", "errored and resulted in unknown state");
    },
  });
}

function csiMounter(
  { client, names, nodeName, node, paths, csiDrivers }: AgentContext,
  objects: PodObjects,
): CsiMounter {
  return new CsiMounter({
    client,
    drivers: csiDrivers,
    nodeName,
    node: () => node.current(),
    onUse: () => node.touch(),
    podsDirectory: paths.pods,
    pluginsDirectory: paths.plugins,
    domain: names.ownDomain,
    token: (pod, { audience, expirationSeconds }) =>
      objects.tokenWithTime(pod, { audience, ...(expirationSeconds === undefined ? {} : { expirationSeconds }) }),
  });
}

function flexMounter({ client, config, names, nodeName, paths, log }: AgentContext): FlexMounter {
  const domain = names.ownDomain;
  return new FlexMounter({
    ...{ client, nodeName, domain },
    drivers: new FlexDrivers({ directory: config.volumePluginDir, domain, log }),
    podsDirectory: paths.pods,
    pluginsDirectory: paths.plugins,
  });
}

function podVolumes(
  { client, names, node, clock, recorder, log }: AgentContext,
  parts: {
    readonly directories: PodDirectories;
    readonly objects: PodObjects;
    readonly bundles: TrustBundles | undefined;
    readonly credentials: PodCredentials;
    readonly csi: CsiMounter;
    readonly flex: FlexMounter;
    readonly images: ImagePuller;
    readonly operations: StorageOperations;
  },
): PodVolumes {
  const { directories, objects, bundles, credentials, csi, flex, images, operations } = parts;
  let versions = 0;
  const persistent = new PersistentVolumes({
    client,
    csi,
    flex,
    directoryOf: ({ metadata }, kind, name) =>
      join(directories.of(metadata.uid ?? ""), "volumes", `${names.ownDomain}~${kind}`, name),
    mount: mountFilesystem,
    report: (pod, type, reason, message) => recorder.record(pod, { type, reason, message }),
    pull: async (pod, { reference = "", pullPolicy = "IfNotPresent" }, signal) => {
      const { id } = await images.ensure({
        image: reference,
        policy: pullPolicy,
        podUid: pod.metadata.uid ?? "",
        credentials: () => credentials.of(pod, reference),
        sandboxConfig: {},
        runtimeHandler: "",
        report: (type, reason, message) => recorder.record(pod, { type, reason, message }),
        ...(signal === undefined ? {} : { signal }),
      });
      return id;
    },
  });
  return new PodVolumes({
    podDirectory: (uid) => directories.of(uid),
    domain: names.ownDomain,
    keys: (namespace, wanted) => objects.keys(namespace, wanted),
    token: (pod, projection) => objects.token(pod, projection),
    anchors: bundles && ((projection, signal) => bundles.anchors(projection, signal)),
    allocatable: () => node.allocatable(),
    mountMemory: memoryMounter(log),
    prepareOther: (pod, volume, signal) => persistent.prepare(pod, volume, signal),
    operations,
    // Unique on this node, in the order of time.
    version: () => {
      versions += 1;
      const time = new Date(clock.nowMs()).toISOString().slice(0, 19).replace(/[-:T]/g, "_");
      return `${time}.${process.pid}${versions}`;
    },
  });
}

/** Only the system's own user may mount: for another, who tries the agent out, the directories of the disk have to do. */
function memoryMounter(log: Log): typeof mountMemory {
  if (process.getuid?.() === 0) return mountMemory;
  log.warn({}, "volumes in memory are on the disk: the agent does not run as root");
  return async () => false;
}

/** The API's own service always; those of the pod's namespace unless it wants none. */
function servicesFor({ metadata, spec }: Pod, { cache }: Informer<Service>, apiService: string): Map<string, string> {
  const api = cache.get({ namespace: "default", name: apiService });
  const own = spec.enableServiceLinks === false ? [] : cache.list(metadata.namespace);
  return serviceVariables([...(api === undefined ? [] : [api]), ...own]);
}

/** Nobody here asks who wrote what, and it is half of an object. */
function withoutManagers({ metadata: { managedFields: _, ...metadata }, ...pod }: Stored<Pod>): Stored<Pod> {
  return { ...pod, metadata } as Stored<Pod>;
}
