// Runs the pods of this node: those that the API binds to it and those of its own files, one worker for each. The runtime
// is asked every second what it has; whatever differs from the last time is looked after at once.

import { mkdir, readFile, rm, statfs } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import { equalJson } from "../../base/json.ts";
import { type Informer, keyOf, keyText, type Stored } from "../../client/informer.ts";
import { SharedInformers } from "../../client/shared-informers.ts";
import { type Pod, pod as podKind } from "../../kinds/core/pod.ts";
import { type Service, service as serviceKind } from "../../kinds/core/service.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import { bytesOf } from "../containers/linux-resources.ts";
import { containerLogPath } from "../containers/runtime-names.ts";
import { serviceVariables } from "../containers/service-variables.ts";
import type { AgentContext, FoundContainer, PodRunner, WantedContainer } from "../context.ts";
import { FailureBackoff } from "../failure-backoff.ts";
import { ImageCollector } from "../images/image-collector.ts";
import { ImagePuller } from "../images/image-puller.ts";
import { PullRecords } from "../images/pull-records.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { rotateLog } from "../logs/rotate-log.ts";
import { checkContainer } from "../probes/check-container.ts";
import { PodProbes } from "../probes/pod-probes.ts";
import { MirrorPods } from "../static-pods/mirror-pods.ts";
import { isMirror, staticPodOf } from "../static-pods/static-pod.ts";
import { StaticPodFiles } from "../static-pods/static-pod-files.ts";
import { PodVolumes } from "../volumes/pod-volumes.ts";
import { ContainerStarter } from "./container-starter.ts";
import { measureNode } from "./measure-node.ts";
import { admissionProblem } from "./node-admission.ts";
import { PodDirectories } from "./pod-directories.ts";
import { fullName, graceSecondsOf, hasLastPhase, isEnding, newEntry, type PodEntry } from "./pod-entry.ts";
import { PodObjects } from "./pod-objects.ts";
import { amountsOf, PodRecord } from "./pod-records.ts";
import { rejectedStatus } from "./pod-status.ts";
import { PodStopper } from "./pod-stopper.ts";
import { PodSync } from "./pod-sync.ts";
import { resizeProblem, withAmounts } from "./resize-rules.ts";
import { latestRun } from "./runtime-pod.ts";
import { RuntimeView } from "./runtime-view.ts";
import { SandboxStarter } from "./sandbox-starter.ts";
import { messageOf } from "./start-error.ts";
import { StatusWriter } from "./status-writer.ts";
import { terminationMessage } from "./termination-message.ts";
import { UserRanges } from "./user-ranges.ts";

export function createPodRunner(context: AgentContext): PodRunner {
  return new NodePods(context);
}

const RELIST_MS = 1_000;
/** A runtime that has been silent for so long makes the node not ready. */
const MAX_SILENCE_MS = 180_000;
const HOUSEKEEPING_MS = 30_000;
const IMAGE_CLEANING_MS = 300_000;
const WORKERS = 250;
const RETRY_MS = { first: 1_000, max: 10_000 };
const FIRST_BACKOFF_MS = 10_000;
const PROBE_USER_AGENT = "kube-probe/1.34";

class NodePods implements PodRunner {
  readonly #context: AgentContext;
  readonly #entries = new Map<string, PodEntry>();
  readonly #view: RuntimeView;
  readonly #informers: SharedInformers;
  readonly #apiPods: Informer<Pod>;
  readonly #services: Informer<Service>;
  readonly #objects: PodObjects;
  readonly #directories: PodDirectories;
  readonly #users: UserRanges;
  readonly #allocated: PodRecord;
  readonly #actuated: PodRecord;
  readonly #restarts: FailureBackoff;
  readonly #pulls: FailureBackoff;
  readonly #records: PullRecords | undefined;
  readonly #images: ImagePuller;
  readonly #probes: PodProbes;
  readonly #writer: StatusWriter;
  readonly #sync: PodSync;
  readonly #mirrors: MirrorPods;
  readonly #files: StaticPodFiles | undefined;
  readonly #workers: BackgroundLoop;
  readonly #relist: BackgroundLoop;
  readonly #housekeeping: BackgroundLoop;
  readonly #imageCleaning: BackgroundLoop;
  readonly #logWatch: BackgroundLoop;
  #relistedMs: number | undefined;
  #versions = 0;

  constructor(context: AgentContext) {
    this.#context = context;
    const { client, clock, config, cri, names, nodeName, paths, log } = context;
    const onError = (error: unknown) => log.warn({ err: error }, "something about pods failed; trying again");
    this.#view = new RuntimeView({ cri, names, messageOf: (status) => terminationMessage(status, names) });
    this.#informers = new SharedInformers(client, { onError });
    this.#apiPods = this.#informers.of(podKind, {
      fieldSelector: `spec.nodeName=${nodeName}`,
      transform: withoutManagers,
    });
    this.#services = this.#informers.of(serviceKind);
    this.#objects = new PodObjects(client);
    this.#directories = new PodDirectories(paths.pods);
    this.#users = new UserRanges((uid) => this.#directories.of(uid), config.maxPods);
    this.#allocated = new PodRecord({ file: paths.allocatedPodsState, clock, onError });
    this.#actuated = new PodRecord({ file: paths.actuatedPodsState, clock, onError });
    const maxRestartMs = config.crashLoopBackOff.maxContainerRestartPeriodMs;
    this.#restarts = new FailureBackoff({
      clock,
      firstMs: Math.min(FIRST_BACKOFF_MS, maxRestartMs),
      maxMs: maxRestartMs,
    });
    this.#pulls = new FailureBackoff({ clock, firstMs: FIRST_BACKOFF_MS, maxMs: 300_000 });
    this.#records = this.#pullRecords();
    const maxAtOnce = config.maxParallelImagePulls ?? (config.serializeImagePulls ? 1 : Number.POSITIVE_INFINITY);
    this.#images = new ImagePuller({ cri, clock, backoff: this.#pulls, records: this.#records, maxAtOnce });
    this.#probes = this.#makeProbes();
    this.#writer = new StatusWriter({
      client,
      clock,
      target: (uid) => this.#shownAs(uid),
      onError: (error, uid) => log.warn({ err: error, uid }, "the status of a pod could not be told; trying again"),
    });
    this.#sync = this.#makeSync();
    this.#mirrors = new MirrorPods({
      client,
      clock,
      node: () => context.node.current(),
      staticPod: (key) => this.#staticPod(key),
      mirror: (key) => {
        const shown = this.#apiPods.cache.get(key);
        return shown !== undefined && isMirror(shown, names) ? shown : undefined;
      },
      onError: (error, key) => log.warn({ err: error, pod: key }, "a mirror pod could not be kept; trying again"),
    });
    this.#files = this.#makeFiles();
    this.#workers = new BackgroundLoop({
      clock,
      maxAtOnce: WORKERS,
      retryMs: RETRY_MS,
      reconcile: (uid, signal) => this.#work(uid, signal),
      onError: (error, uid) => this.#workFailed(error, uid),
    });
    this.#relist = new BackgroundLoop({
      clock,
      everyMs: RELIST_MS,
      onError,
      reconcile: (_, signal) => this.#look(signal),
    });
    const collector = this.#makeCollector();
    this.#imageCleaning = new BackgroundLoop({
      clock,
      everyMs: IMAGE_CLEANING_MS,
      onError,
      reconcile: async () => {
        await collector.collect();
        return "done";
      },
    });
    this.#logWatch = new BackgroundLoop({
      clock,
      everyMs: config.containerLogMonitorIntervalMs,
      onError,
      reconcile: () => this.#rotateLogs(),
    });
    this.#housekeeping = new BackgroundLoop({
      clock,
      everyMs: HOUSEKEEPING_MS,
      onError,
      reconcile: () => this.#cleanUp(),
    });
  }

  async start(): Promise<void> {
    const { paths, config, clock, log } = this.#context;
    await mkdir(paths.pods, { recursive: true, mode: 0o750 });
    await mkdir(config.podLogsDir, { recursive: true, mode: 0o755 });
    await Promise.all([this.#allocated.open(), this.#actuated.open(), this.#records?.open()]);
    await this.#users.load(await this.#directories.list());
    this.#relistedMs = clock.monotonicMs();
    // What runs already is known before anything is decided about it.
    await this.#view
      .relist()
      .catch((error: unknown) => log.warn({ err: error }, "the runtime does not say what it runs"));
    await this.#files?.start();
    this.#apiPods.addHandlers({
      added: (pod) => this.#seen(pod),
      updated: (pod) => this.#seen(pod),
      deleted: (pod) => this.#gone(pod),
    });
    this.#informers.start();
    this.#relist.enqueue();
    this.#housekeeping.enqueue();
    this.#imageCleaning.enqueue("", IMAGE_CLEANING_MS);
    this.#logWatch.enqueue("", config.containerLogMonitorIntervalMs);
  }

  async stop(): Promise<void> {
    for (const loop of [this.#workers, this.#relist, this.#housekeeping, this.#imageCleaning, this.#logWatch])
      loop.close();
    this.#files?.close();
    this.#mirrors.close();
    this.#probes.close();
    this.#writer.close();
    await Promise.allSettled([this.#informers.stop(), this.#allocated.close(), this.#actuated.close()]);
  }

  pods(): readonly Pod[] {
    return [...this.#entries.values()].map(({ pod, status }) => ({ ...pod, status }));
  }

  findContainer({ namespace, pod: name, container, previous = false }: WantedContainer): FoundContainer {
    const entry = this.#entryNamed(namespace, name);
    if (entry === undefined) return { found: "nothing" };
    const runs = (this.#view.pod(entry.uid)?.containers ?? []).filter((run) => run.name === container);
    const run = runs[previous ? 1 : 0];
    const pod = { ...entry.pod, status: entry.status };
    if (run !== undefined) return { found: "container", pod, containerId: run.id };
    const { spec } = entry.pod;
    const all = [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
    return { found: "pod", pod, declared: all.some((each) => each.name === container) };
  }

  findSandbox(namespace: string, name: string): string | undefined {
    const entry = this.#entryNamed(namespace, name);
    return this.#view.pod(entry?.uid ?? "")?.sandboxes.find(({ ready }) => ready)?.id;
  }

  problem(): string | undefined {
    if (this.#relistedMs === undefined) return undefined;
    const silentMs = this.#context.clock.monotonicMs() - this.#relistedMs;
    if (silentMs < MAX_SILENCE_MS) return undefined;
    return `the container runtime has not said what it runs for ${Math.floor(silentMs / 1000)} seconds`;
  }

  // what is wanted

  #seen(pod: Stored<Pod>): void {
    if (isMirror(pod, this.#context.names)) {
      this.#mirrors.check(pod);
      const key = keyText(keyOf(pod));
      for (const { uid, isStatic, pod: own } of this.#entries.values())
        if (isStatic && keyText(nameOf(own)) === key) this.#writer.check(uid);
      return;
    }
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) this.#take(pod, false);
    else this.#change(entry, pod);
  }

  #gone(pod: Stored<Pod>): void {
    if (isMirror(pod, this.#context.names)) {
      this.#mirrors.check(pod);
      return;
    }
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) return;
    entry.pod = pod;
    this.#drop(entry);
  }

  #drop(entry: PodEntry): void {
    entry.isRemoved = true;
    this.#interruptIfShorter(entry);
    this.#workers.enqueue(entry.uid);
  }

  #take(pod: Pod, isStatic: boolean): void {
    const entry = newEntry(pod, isStatic);
    const isNew = !hasLastPhase(entry.status) && pod.metadata.deletionTimestamp === undefined;
    // What runs already was taken by an earlier agent.
    if (isNew && this.#view.pod(entry.uid) === undefined) this.#admit(entry);
    this.#entries.set(entry.uid, entry);
    if (!entry.isRejected) entry.pod = this.#allocate(entry, pod);
    this.#workers.enqueue(entry.uid);
  }

  /** The pod with what the node gives it: what it asks for, or what it had. */
  #allocate(entry: PodEntry, pod: Pod): Pod {
    const had = this.#allocated.get(entry.uid);
    const wanted = amountsOf(pod);
    delete entry.resizePending;
    if (had !== undefined && !equalJson(had, wanted)) {
      const current = withAmounts(pod, had);
      const problem = resizeProblem(pod, current, {
        allocatable: this.#allocatable(),
        others: this.#active()
          .filter((other) => other.uid !== entry.uid)
          .map((other) => other.pod),
        isStatic: entry.isStatic,
      });
      if (problem !== undefined) {
        entry.resizePending = problem;
        return current;
      }
    }
    this.#allocated.set(entry.uid, wanted);
    return pod;
  }

  #active(): PodEntry[] {
    return [...this.#entries.values()].filter(
      ({ isRejected, hasEnded, status }) => !isRejected && !hasEnded && !hasLastPhase(status),
    );
  }

  #allocatable(): Record<string, string> {
    const { node, config } = this.#context;
    return { ...node.allocatable(), pods: String(config.maxPods) };
  }

  #admit(entry: PodEntry): void {
    const { node, nodeName, config, recorder, clock } = this.#context;
    const problem = admissionProblem(entry.pod, {
      node: node.current(),
      nodeName,
      allocatable: this.#allocatable(),
      others: this.#active().map(({ pod }) => pod),
      kernelRelease: release(),
      allowedSysctls: config.allowedUnsafeSysctls,
      isStatic: entry.isStatic,
    });
    if (problem === undefined) return;
    entry.isRejected = true;
    entry.status = rejectedStatus(entry.pod, problem, clock.nowMs());
    recorder.warning(entry.pod, problem.reason, problem.message);
    this.#writer.set(entry.uid, entry.status);
  }

  #change(entry: PodEntry, pod: Stored<Pod>): void {
    const before = entry.pod;
    entry.pod = entry.isRejected ? pod : this.#allocate(entry, pod);
    this.#writer.check(entry.uid);
    const { labels, annotations, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    const same =
      equalJson(before.spec, entry.pod.spec) &&
      entry.resizePending === undefined &&
      equalJson(before.metadata.labels, labels) &&
      equalJson(before.metadata.annotations, annotations) &&
      before.metadata.deletionTimestamp === deletionTimestamp &&
      before.metadata.deletionGracePeriodSeconds === deletionGracePeriodSeconds &&
      equalJson(gatesOf(before), gatesOf(pod));
    if (same) return;
    this.#interruptIfShorter(entry);
    this.#workers.enqueue(entry.uid);
  }

  /** Who gave a pod time to end may take some of it back. */
  #interruptIfShorter(entry: PodEntry): void {
    if (entry.stopping !== undefined && graceSecondsOf(entry) < entry.stopping.graceSeconds)
      entry.stopping.interrupt.abort(new Error("the pod has less time to end than before"));
  }

  #staticPods(pods: readonly Pod[]): void {
    const wanted = new Map(pods.map((pod) => [pod.metadata.uid ?? "", pod]));
    for (const entry of this.#entries.values()) {
      if (!entry.isStatic || wanted.has(entry.uid)) continue;
      this.#drop(entry);
      this.#mirrors.check(entry.pod);
    }
    for (const [uid, pod] of wanted) {
      if (!this.#entries.has(uid)) this.#take(pod, true);
      this.#mirrors.check(pod);
    }
  }

  #staticPod(key: string): Pod | undefined {
    for (const { pod, isStatic, isRemoved } of this.#entries.values())
      if (isStatic && !isRemoved && keyText(nameOf(pod)) === key) return pod;
    return undefined;
  }

  /** The pod of the API that tells of this one: itself, or its mirror. */
  #shownAs(uid: string): Stored<Pod> | undefined {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return undefined;
    const shown = this.#apiPods.cache.get(nameOf(entry.pod));
    const isOwn = entry.isStatic
      ? shown !== undefined && isMirror(shown, this.#context.names)
      : shown?.metadata.uid === uid;
    return isOwn ? shown : undefined;
  }

  #entryNamed(namespace: string, name: string): PodEntry | undefined {
    for (const entry of this.#entries.values())
      if (entry.pod.metadata.name === name && entry.pod.metadata.namespace === namespace) return entry;
    return undefined;
  }

  // what is done

  async #work(uid: string, signal: AbortSignal): Promise<Outcome> {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return await this.#removeOrphan(uid, signal);
    if (entry.isRemoved) return await this.#removeEntry(entry, signal);
    const isDeleted = entry.pod.metadata.deletionTimestamp !== undefined;
    if ((entry.isRejected || entry.hasEnded) && !isDeleted) return "done";
    if (isEnding(entry)) return await this.#sync.end(entry, signal);
    if (entry.resizePending?.reason === "Deferred") entry.pod = this.#allocate(entry, this.#shownAs(uid) ?? entry.pod);
    return await this.#sync.sync(entry, signal);
  }

  #workFailed(error: unknown, uid: string): void {
    const { recorder, log } = this.#context;
    const entry = this.#entries.get(uid);
    log.warn(
      { err: error, uid, pod: entry === undefined ? undefined : fullName(entry.pod) },
      "a pod could not be looked after",
    );
    if (entry !== undefined) recorder.warning(entry.pod, "FailedSync", `Error syncing pod: ${messageOf(error)}`);
  }

  async #removeEntry(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const { uid, pod } = entry;
    const outcome = await this.#sync.end(entry, signal);
    if (outcome !== "done") return outcome;
    const runtime = await this.#view.refresh(uid, signal);
    if (runtime !== undefined) await this.#sync.remove(runtime, entry, signal);
    await rm(this.#sync.logDirectory(pod), { recursive: true, force: true });
    await this.#forget(uid);
    return "done";
  }

  /** What the runtime or the disk has of a pod that nobody wants. */
  async #removeOrphan(uid: string, signal: AbortSignal): Promise<Outcome> {
    if (!this.#knowsAll()) return "done";
    const runtime = await this.#view.refresh(uid, signal);
    if (runtime !== undefined) await this.#sync.remove(runtime, undefined, signal);
    await this.#forget(uid);
    return "done";
  }

  async #forget(uid: string): Promise<void> {
    this.#probes.forget(uid);
    this.#objects.forget(uid);
    this.#images.forget(uid);
    this.#users.release(uid);
    this.#allocated.delete(uid);
    this.#actuated.delete(uid);
    this.#writer.forget(uid);
    await this.#directories.remove(uid);
    this.#entries.delete(uid);
    this.#workers.forget(uid);
  }

  /** Before every source has spoken, what seems to be nobody's may be somebody's. */
  #knowsAll(): boolean {
    return this.#apiPods.synced;
  }

  async #look(signal: AbortSignal): Promise<Outcome> {
    const changed = await this.#view.relist(signal);
    this.#relistedMs = this.#context.clock.monotonicMs();
    for (const uid of changed) {
      this.#workers.enqueue(uid);
      this.#probes.look(uid);
    }
    return "done";
  }

  async #cleanUp(): Promise<Outcome> {
    this.#restarts.sweep();
    this.#pulls.sweep();
    if (!this.#knowsAll()) return { againInMs: RELIST_MS };
    const found = [...(await this.#directories.list()), ...this.#allocated.uids(), ...this.#actuated.uids()];
    for (const { uid } of this.#view.pods()) found.push(uid);
    for (const uid of new Set(found)) if (!this.#entries.has(uid)) this.#workers.enqueue(uid);
    return "done";
  }

  async #rotateLogs(): Promise<Outcome> {
    const { cri, clock, config } = this.#context;
    const maxBytes = bytesOf(config.containerLogMaxSize);
    for (const { uid, pod } of this.#active()) {
      for (const { id, name, state, restartCount } of this.#view.pod(uid)?.containers ?? []) {
        if (state !== "running") continue;
        const log = join(this.#sync.logDirectory(pod), containerLogPath(name, restartCount));
        const reopen = async () => void (await cri.reopenContainerLog({ containerId: id }));
        await rotateLog(log, { maxBytes, maxFiles: config.containerLogMaxFiles, nowMs: clock.nowMs(), reopen });
      }
    }
    return "done";
  }

  // how the parts are made

  #makeCollector(): ImageCollector {
    const { cri, clock, config } = this.#context;
    return new ImageCollector({
      cri,
      clock,
      settings: {
        highPercent: config.imageGCHighThresholdPercent,
        lowPercent: config.imageGCLowThresholdPercent,
        minAgeMs: config.imageMinimumGCAgeMs,
        maxAgeMs: config.imageMaximumGCAgeMs,
      },
      measure: async (path) => {
        const { blocks, bavail, bsize } = await statfs(path);
        return { totalBytes: blocks * bsize, availableBytes: bavail * bsize };
      },
      inUse: () => {
        const used = new Set<string>();
        for (const { containers } of this.#view.pods())
          for (const { image, imageId, imageSpec } of containers) used.add(image).add(imageId).add(imageSpec);
        return used;
      },
      onRemoved: async (imageId) => await this.#records?.forget(imageId),
    });
  }

  #pullRecords(): PullRecords | undefined {
    const { gates, paths, names, clock } = this.#context;
    if (!gates.enabled("KubeletEnsureSecretPulledImages")) return undefined;
    const { imageManager: directory } = paths;
    const { imageRecordVersion: apiVersion, pulledSecretsField: secretsField } = names;
    return new PullRecords({ directory, apiVersion, secretsField, nowMs: () => clock.nowMs() });
  }

  #makeProbes(): PodProbes {
    const { cri, clock, recorder } = this.#context;
    return new PodProbes({
      clock,
      runOf: (uid, container) => {
        const pod = this.#view.pod(uid);
        const run = pod === undefined ? undefined : latestRun(pod, container);
        return run === undefined
          ? undefined
          : { id: run.id, isRunning: run.state === "running", startedAtMs: run.startedAtMs };
      },
      check: (pod, container, sort, run, signal) => {
        const probe = container[`${sort}Probe`] ?? {};
        const entry = this.#entries.get(pod.metadata.uid ?? "");
        const timeoutMs = (probe.timeoutSeconds || 1) * 1000;
        const podIp = entry?.status.podIP ?? "";
        return checkContainer(
          probe,
          { cri, containerId: run.id, podIp, container, timeoutMs, userAgent: PROBE_USER_AGENT },
          signal,
        );
      },
      onVerdict: (uid) => this.#workers.enqueue(uid),
      onFailure: (pod, _, sort, message) => {
        const title = `${sort[0]!.toUpperCase()}${sort.slice(1)}`;
        recorder.warning(pod, "Unhealthy", `${title} probe failed: ${message}`);
      },
    });
  }

  #makeSync(): PodSync {
    const context = this.#context;
    const { config } = context;
    const kernelRelease = release();
    const nodeResources = () => measureNode(config.memorySwap.swapBehavior);
    const volumes = new PodVolumes({
      podDirectory: (uid) => this.#directories.of(uid),
      domain: context.names.ownDomain,
      keys: (namespace, wanted) => this.#objects.keys(namespace, wanted),
      token: (pod, projection) => this.#objects.token(pod, projection),
      allocatable: () => context.node.allocatable(),
      version: () => this.#nextVersion(),
    });
    return new PodSync({
      context,
      view: this.#view,
      probes: this.#probes,
      volumes,
      directories: this.#directories,
      sandboxes: new SandboxStarter({ context, users: this.#users, kernelRelease }),
      containers: new ContainerStarter({
        context,
        objects: this.#objects,
        directories: this.#directories,
        images: this.#images,
        nodeResources,
      }),
      nodeResources,
      stopper: new PodStopper(context),
      writer: this.#writer,
      restarts: this.#restarts,
      actuated: this.#actuated,
      services: (pod) => this.#servicesFor(pod),
      readNodeHosts: () => readFile("/etc/hosts", "utf8").catch(() => ""),
      canRecursiveReadOnly: (handler) =>
        kernelAtLeast(kernelRelease, [5, 12]) &&
        context.runtime.handlers().find(({ name }) => name === handler)?.features?.recursiveReadOnlyMounts === true,
    });
  }

  #makeFiles(): StaticPodFiles | undefined {
    const { config, clock, names, nodeName, gates, log } = this.#context;
    if (!config.staticPodPath) return undefined;
    return new StaticPodFiles({
      clock,
      path: config.staticPodPath,
      intervalMs: config.fileCheckFrequencyMs,
      read: (content, file) => {
        const gateEnabled = (gate: string) => gates.enabled(gate as GateName);
        return staticPodOf(content, {
          names,
          nodeName,
          file,
          context: { names, gateEnabled, nowMs: clock.nowMs(), allowPrivileged: true },
        });
      },
      onPods: (pods) => this.#staticPods(pods),
      onProblem: (file, error) => log.warn({ err: error, file }, "a file holds no static pod"),
    });
  }

  /** Directories of versions of files: unique on this node, in the order of time. */
  #nextVersion(): string {
    this.#versions += 1;
    const time = new Date(this.#context.clock.nowMs()).toISOString().slice(0, 19).replace(/[-:T]/g, "_");
    return `${time}.${process.pid}${this.#versions}`;
  }

  /** The API's own service always; those of the pod's namespace unless it wants none. */
  #servicesFor({ metadata, spec }: Pod): Map<string, string> {
    const { names } = this.#context;
    const { cache } = this.#services;
    const api = cache.get({ namespace: "default", name: names.apiService });
    const own = spec.enableServiceLinks === false ? [] : [...cache.list(metadata.namespace)];
    return serviceVariables([...(api === undefined ? [] : [api]), ...own]);
  }
}

const nameOf = ({ metadata }: Pod): { namespace: string; name: string } => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

/** Nobody here asks who wrote what, and it is half of an object. */
function withoutManagers({ metadata: { managedFields: _, ...metadata }, ...pod }: Stored<Pod>): Stored<Pod> {
  return { ...pod, metadata } as Stored<Pod>;
}

/** The conditions that gates of readiness name. */
function gatesOf({ spec, status }: Pod): readonly unknown[] {
  const gates = new Set((spec.readinessGates ?? []).map(({ conditionType }) => conditionType));
  return (status.conditions ?? [])
    .filter(({ type }) => gates.has(type))
    .map(({ type, status: value }) => [type, value]);
}
