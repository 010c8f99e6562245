// Runs the pods of this node: those that the API binds to it and those of its own files, one worker for each. The runtime
// is asked every second what it has; whatever differs from the last time is looked after at once.

import { mkdir } from "node:fs/promises";
import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import { keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { TRACE_ATTRIBUTES } from "../../meta/names.ts";
import type { AgentContext, FoundContainer, PodRunner, WantedContainer } from "../context.ts";
import type { NodeShutdown } from "../shutdown/node-shutdown.ts";
import { MirrorPods } from "../static-pods/mirror-pods.ts";
import { isMirror } from "../static-pods/static-pod.ts";
import type { VolumeUsage } from "../stats/volume-usage.ts";
import { CpuFollower } from "./cpu-follower.ts";
import { Evictor } from "./evictor.ts";
import { findContainer, findSandbox } from "./find-container.ts";
import { NodeUpkeep } from "./node-upkeep.ts";
import { fullName, graceSecondsOf, hasLastPhase, isEnding, type PodEntry } from "./pod-entry.ts";
import { buildPodParts, type PodParts } from "./pod-parts.ts";
import { PodRemover } from "./pod-remover.ts";
import type { PodFailure } from "./pod-status.ts";
import { podsShutdown } from "./pods-shutdown.ts";
import { RoomMaker } from "./room-maker.ts";
import { messageOf } from "./start-error.ts";
import { StaticSources } from "./static-sources.ts";
import { WantedStaticPods } from "./wanted-static-pods.ts";

export function createPodRunner(context: AgentContext): PodRunner {
  return new NodePods(context);
}

const RELIST_MS = 1_000;
/** A runtime that has been silent for so long makes the node not ready. */
const MAX_SILENCE_MS = 180_000;
const CLEAN_UP_MS = 30_000;
/** Pods that come together are counted together. */
const SHARE_MS = 1_000;
const WORKERS = 250;
const RETRY_MS = { first: 1_000, max: 10_000 };

class NodePods implements PodRunner {
  readonly #context: AgentContext;
  readonly #parts: PodParts;
  readonly #mirrors: MirrorPods;
  readonly #sources: StaticSources;
  readonly #static: WantedStaticPods;
  readonly #upkeep: NodeUpkeep;
  readonly #shutdown: NodeShutdown | undefined;
  readonly #evictor: Evictor;
  readonly #cpus: CpuFollower;
  readonly #workers: BackgroundLoop;
  readonly #relist: BackgroundLoop;
  readonly #cleaning: BackgroundLoop;
  readonly #room: RoomMaker;
  readonly #remover: PodRemover;
  readonly #stop = new AbortController();
  /** Whether the pods of the API have been taken that were there at the start. */
  #knowsPods = false;
  #relistedMs: number | undefined;

  constructor(context: AgentContext) {
    this.#context = context;
    const { clock } = context;
    this.#parts = buildPodParts(context, (uid) => this.#workers.enqueue(uid));
    const { onError } = this.#parts;
    this.#mirrors = this.#makeMirrors();
    this.#static = new WantedStaticPods({
      table: this.#parts.table,
      start: (pod) => this.#take(pod, true),
      drop: (entry) => this.#drop(entry),
      changed: (pod) => this.#mirrors.check(pod),
      restarted: () => this.#parts.totals.restarted(true),
    });
    this.#sources = new StaticSources(context, (pods) => {
      this.#room.keepStatic(new Set(pods.map(({ metadata }) => metadata.uid ?? "")));
      this.#static.want(pods);
    });
    this.#upkeep = new NodeUpkeep({ context, ...this.#parts });
    this.#shutdown = podsShutdown(context, this.#parts.table, (entry, failure, graceSeconds) =>
      this.#endEarly(entry, failure, graceSeconds),
    );
    this.#room = new RoomMaker({
      context,
      table: this.#parts.table,
      end: (entry, failure, graceSeconds) => this.#endEarly(entry, failure, graceSeconds),
      take: (pod, isStatic) => void (this.#stop.signal.aborted || this.#take(pod, isStatic)),
    });
    const parts = this.#parts;
    const again = (uid: string) => this.#workers.enqueue(uid);
    this.#remover = new PodRemover({ context, parts, again, knowsAll: () => this.#knowsAll });
    this.#cpus = new CpuFollower({ context, ...this.#parts });
    this.#evictor = new Evictor({
      ...{ context, onError },
      ...this.#parts,
      reclaim: (signal) => this.#upkeep.reclaim(signal),
      end: (entry, failure, graceSeconds) => this.#endEarly(entry, failure, graceSeconds),
    });
    this.#workers = new BackgroundLoop({
      clock,
      maxAtOnce: WORKERS,
      retryMs: RETRY_MS,
      reconcile: (uid, signal) => this.#work(uid, signal),
      metrics: context.queue("pod-workers"),
      onError: (error, uid) => this.#workFailed(error, uid),
    });
    const look = (_: string, signal: AbortSignal) => this.#look(signal);
    this.#relist = new BackgroundLoop({ clock, everyMs: RELIST_MS, onError, reconcile: look });
    this.#cleaning = new BackgroundLoop({
      clock,
      everyMs: CLEAN_UP_MS,
      onError,
      reconcile: () => this.#remover.cleanUp(),
    });
  }

  async start(): Promise<void> {
    const { paths, config, clock, cri, log } = this.#context;
    const { allocated, actuated, records, users, directories, view, csi, apiPods, informers } = this.#parts;
    await mkdir(paths.pods, { recursive: true, mode: 0o750 });
    await mkdir(config.podLogsDir, { recursive: true, mode: 0o755 });
    const listImages = async () =>
      await cri.listImages({}).then(
        ({ images }) => images,
        (error: unknown) => {
          log.warn({ err: error }, "the runtime does not say which images it has");
          return [];
        },
      );
    await Promise.all([allocated.open(), actuated.open(), records?.open(listImages), csi.recall()]);
    await users.load(await directories.list());
    this.#relistedMs = clock.monotonicMs();
    // What runs already is known before anything is decided about it.
    await view.relist().catch((error: unknown) => log.warn({ err: error }, "the runtime does not say what it runs"));
    await this.#sources.start();
    apiPods.addHandlers({
      added: (pod) => this.#seen(pod),
      updated: (pod) => this.#seen(pod),
      deleted: (pod) => this.#gone(pod),
    });
    informers.start();
    void apiPods.whenSynced().then(
      () => this.#takeFirst(),
      () => undefined,
    );
    this.#relist.enqueue();
    this.#cleaning.enqueue();
    this.#upkeep.start();
    this.#evictor.start();
    this.#cpus.start();
    await this.#shutdown?.start();
  }

  async stop(): Promise<void> {
    const { probes, writer, informers, allocated, actuated } = this.#parts;
    const open = [
      this.#workers,
      this.#relist,
      this.#cleaning,
      this.#upkeep,
      this.#evictor,
      this.#cpus,
      this.#sources,
      this.#mirrors,
      this.#shutdown,
      probes,
      writer,
    ];
    this.#stop.abort(new Error("the agent stops"));
    for (const each of open) each?.close();
    await Promise.allSettled([informers.stop(), allocated.close(), actuated.close()]);
  }

  pods(): readonly Pod[] {
    return [...this.#parts.table.all()].map(({ pod, status }) => ({ ...pod, status }));
  }

  async volumes(uid: string): Promise<ReadonlyMap<string, VolumeUsage>> {
    return await this.#parts.usage.volumes(uid);
  }

  findContainer(wanted: WantedContainer): FoundContainer {
    return findContainer(this.#parts, wanted);
  }

  findSandbox(namespace: string, name: string): string | undefined {
    return findSandbox(this.#parts, namespace, name);
  }

  problem(): string | undefined {
    if (this.#relistedMs === undefined) return undefined;
    const silentMs = this.#context.clock.monotonicMs() - this.#relistedMs;
    if (silentMs < MAX_SILENCE_MS) return undefined;
    return `the container runtime has not said what it runs for ${Math.floor(silentMs / 1000)} seconds`;
  }

  isShuttingDown(): boolean {
    return this.#shutdown?.isShuttingDown === true;
  }

  // what is wanted

  /** Before every source has spoken, what seems to be nobody's may be somebody's. */
  get #knowsAll(): boolean {
    return this.#knowsPods && this.#sources.haveSpoken;
  }

  /** What runs already comes before what is new since the last agent, and what is older before what is younger. */
  #takeFirst(): void {
    const { apiPods, view, table } = this.#parts;
    if (this.#stop.signal.aborted) return;
    this.#knowsPods = true;
    const pods = apiPods.cache.list();
    const uids = new Set(pods.filter(({ status }) => !hasLastPhase(status)).map(({ metadata }) => metadata.uid));
    if (this.#knowsAll) this.#context.topology.takeBack((uid) => uids.has(uid) || table.get(uid) !== undefined);
    const rank = ({ metadata }: Stored<Pod>) => (view.pod(metadata.uid) === undefined ? 1 : 0);
    const createdMs = ({ metadata }: Stored<Pod>) => Date.parse(metadata.creationTimestamp);
    for (const pod of pods.toSorted((a, b) => rank(a) - rank(b) || createdMs(a) - createdMs(b))) this.#seen(pod);
    // Only now is it known whether there is room for those that ask for more than they had.
    for (const pod of pods) this.#seen(pod);
  }

  #seen(pod: Stored<Pod>): void {
    const { table, writer } = this.#parts;
    if (!this.#knowsPods) return;
    if (isMirror(pod, this.#context.names)) {
      this.#mirrors.check(pod);
      const own = this.#staticEntry(keyText(keyOf(pod)));
      if (own !== undefined) writer.check(own.uid);
      return;
    }
    this.#parts.startTimes.shown(pod);
    const entry = table.get(pod.metadata.uid);
    if (entry === undefined) {
      this.#take(pod, false);
      return;
    }
    writer.check(entry.uid);
    if (!table.change(entry, pod)) return;
    this.#parts.objects.expectChanges(pod);
    this.#interrupt(entry);
    this.#workers.enqueue(entry.uid);
    if (entry.resizePending === undefined) this.#roomLeft();
  }

  #gone(pod: Stored<Pod>): void {
    this.#room.forget(pod.metadata.uid);
    this.#parts.startTimes.forget(pod.metadata.uid);
    const entry = this.#parts.table.get(pod.metadata.uid);
    if (isMirror(pod, this.#context.names)) this.#mirrors.check(pod);
    else if (entry !== undefined) {
      entry.pod = pod;
      this.#drop(entry);
    }
  }

  #take(pod: Pod, isStatic: boolean): void {
    const { table, view, writer, totals } = this.#parts;
    const uid = pod.metadata.uid ?? "";
    const runsAlready = view.pod(uid) !== undefined;
    if (!runsAlready && this.#room.holds(pod, isStatic)) return;
    totals.seen(pod);
    this.#parts.objects.expectChanges(pod);
    const entry = table.add(pod, { isStatic, runsAlready });
    if (entry.isRejected) writer.set(entry.uid, entry.status);
    this.#workers.enqueue(entry.uid);
    this.#cleaning.enqueue("", SHARE_MS);
  }

  #drop(entry: PodEntry): void {
    entry.isRemoved = true;
    this.#interrupt(entry);
    this.#workers.enqueue(entry.uid);
  }

  /** Nobody goes on to start what is to end; who gave a pod time to end may take some of it back. */
  #interrupt(entry: PodEntry): void {
    if (isEnding(entry)) entry.starting?.abort(new Error("the pod is to end"));
    if (entry.stopping !== undefined && graceSecondsOf(entry) < entry.stopping.graceSeconds)
      entry.stopping.interrupt.abort(new Error("the pod has less time to end than before"));
  }

  #staticEntry(key: string): PodEntry | undefined {
    for (const entry of this.#parts.table.all())
      if (entry.isStatic && !entry.isRemoved && keyText(keyOf(entry.pod)) === key) return entry;
    return undefined;
  }

  #isEndingStatic(key: string): boolean {
    for (const { isStatic, isRemoved, hasEnded, pod } of this.#parts.table.all())
      if (isStatic && isRemoved && !hasEnded && keyText(keyOf(pod)) === key) return true;
    return false;
  }

  // what is done

  async #work(uid: string, signal: AbortSignal): Promise<Outcome> {
    const { table, sync, shownAs, totals } = this.#parts;
    const entry = table.get(uid);
    if (entry === undefined) return await this.#remover.removeOrphan(uid, signal);
    if (entry.isRemoved) {
      const outcome = await this.#remover.removeEntry(entry, signal);
      if (outcome === "done" && entry.isStatic) this.#static.ended(entry);
      if (outcome === "done") this.#roomLeft();
      return outcome;
    }
    const isDeleted = entry.pod.metadata.deletionTimestamp !== undefined;
    if (entry.isRejected && !isDeleted) return await this.#remover.removeRejected(entry, signal);
    if (entry.hasEnded && !isDeleted) return "done";
    if (isEnding(entry)) {
      const outcome = await this.#traced("syncTerminatingPod", entry, () =>
        totals.work(uid, true, () => sync.end(entry, signal)),
      );
      if (outcome === "done") this.#roomLeft();
      return outcome;
    }
    table.retryResize(entry, shownAs(uid) ?? entry.pod);
    return await this.#traced("syncPod", entry, () => totals.work(uid, false, () => sync.sync(entry, signal)));
  }

  /** There may be room now for who waits for it. */
  #roomLeft(): void {
    for (const { uid } of this.#parts.table.waitingForRoom()) this.#workers.enqueue(uid);
  }

  #traced(name: string, { uid, pod }: PodEntry, work: () => Promise<Outcome>): Promise<Outcome> {
    const { name: podName = "", namespace = "" } = pod.metadata;
    const attributes = {
      [TRACE_ATTRIBUTES.podUid]: uid,
      [TRACE_ATTRIBUTES.pod]: fullName(pod),
      [TRACE_ATTRIBUTES.podName]: podName,
      [TRACE_ATTRIBUTES.namespace]: namespace,
    };
    return this.#context.tracer.span(name, { attributes }, work);
  }

  #workFailed(error: unknown, uid: string): void {
    const { recorder, log } = this.#context;
    const entry = this.#parts.table.get(uid);
    const pod = entry === undefined ? undefined : fullName(entry.pod);
    log.warn({ err: error, uid, pod }, "a pod could not be looked after; trying again");
    if (entry !== undefined) recorder.warning(entry.pod, "FailedSync", `Error syncing pod: ${messageOf(error)}`);
  }

  async #look(signal: AbortSignal): Promise<Outcome> {
    const { view, probes, totals } = this.#parts;
    const changed = await totals.relist(() => view.relist(signal));
    this.#relistedMs = this.#context.clock.monotonicMs();
    for (const uid of changed) {
      this.#workers.enqueue(uid);
      probes.look(uid);
    }
    return "done";
  }

  /** Ends a pod as failed, whatever it is about. Resolves when nothing of it runs any more. */
  async #endEarly(entry: PodEntry, failure: PodFailure, graceSeconds: number): Promise<void> {
    entry.failure ??= failure;
    entry.maxGraceSeconds = Math.min(graceSeconds, entry.maxGraceSeconds ?? graceSeconds);
    this.#interrupt(entry);
    const { signal } = this.#stop;
    while (!entry.hasEnded && !signal.aborted) {
      await this.#workers.settle(entry.uid);
      if (!entry.hasEnded) await this.#context.clock.sleep(RETRY_MS.first, signal).catch(() => undefined);
    }
  }

  #makeMirrors(): MirrorPods {
    const { client, clock, names, node, log, queue } = this.#context;
    const { apiPods } = this.#parts;
    return new MirrorPods({
      client,
      clock,
      metrics: queue("mirror-pods"),
      node: () => node.current(),
      staticPod: (key) => this.#staticEntry(key)?.pod,
      isEnding: (key) => this.#isEndingStatic(key),
      knowsStatic: () => this.#sources.haveSpoken,
      knowsMirrors: () => this.#knowsPods,
      mirror: (key) => {
        const shown = apiPods.cache.get(key);
        return shown !== undefined && isMirror(shown, names) ? shown : undefined;
      },
      onError: (error, key) => log.warn({ err: error, pod: key }, "a mirror pod could not be kept; trying again"),
    });
  }
}
