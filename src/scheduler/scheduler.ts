// The scheduler: takes one pod after the other, finds a node for it, and binds it there. What it decides counts at once, so
// that the next pod sees it; the server is told meanwhile, and what it refuses is taken back.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { nextTurn } from "../base/next-turn.ts";
import { inTurns, type Steps } from "../base/steps.ts";
import { ApiError, isApiError } from "../client/api-error.ts";
import { kinds } from "../client/built-in-kinds.ts";
import type { Client } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { SharedInformers } from "../client/shared-informers.ts";
import { type Choice, NodeChooser, type Refusals } from "./choose-node.ts";
import { DeviceCache } from "./device-cache.ts";
import { claimsOfPod } from "./devices/pod-claims.ts";
import { chooseWithExtenders } from "./extenders/choose-with-extenders.ts";
import type { Extender } from "./extenders/extender.ts";
import { Extenders } from "./extenders/extenders.ts";
import { FILTER_NAMES } from "./filters/all-filters.ts";
import { type FilterName, type Surroundings, topologyLabels } from "./filters/filter.ts";
import { RoomFinder } from "./find-room.ts";
import { fitMessage } from "./fit-message.ts";
import type { Preemption, Victims } from "./preemption.ts";
import { isLong, type NodePlans, NodePreparation } from "./prepare-node.ts";
import { defaultProfile } from "./profiles/default-profile.ts";
import type { Profile } from "./profiles/profile.ts";
import { type QueuedPod, SchedulingQueue } from "./queue/scheduling-queue.ts";
import { Reports } from "./reports.ts";
import { SCHEDULER_GATES, type SchedulerGates } from "./scheduler-gates.ts";
import { type SchedulerMetrics, schedulerMetrics } from "./scheduler-metrics.ts";
import type { SchedulerOptions } from "./scheduler-options.ts";
import { ClusterState } from "./state/cluster-state.ts";
import type { NodeInfo } from "./state/node-info.ts";
import type { PodInfo } from "./state/pod-info.ts";
import { VolumeCache } from "./volume-cache.ts";
import { watchCluster } from "./watch-cluster.ts";

export interface SchedulerParts {
  readonly client: Client;
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly options: Pick<SchedulerOptions, "percentageOfNodesToScore"> & Partial<SchedulerOptions>;
  /** Pods of other names are not ours; the default one when not given. */
  readonly profiles?: readonly Profile[] | undefined;
  /** Other servers that are asked about pods. */
  readonly extenders?: readonly Extender[] | undefined;
  /** Between attempts of a pod; from one to ten seconds when not given. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number } | undefined;
  /** As released when not given. */
  readonly gates?: SchedulerGates | undefined;
  readonly metrics?: SchedulerMetrics | undefined;
}

/** Requests to the server side by side. */
const MAX_IN_FLIGHT = 64;
/** So long others may have to wait for their turn of the event loop. */
const MAX_BUSY_MS = 8;

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #metrics: SchedulerMetrics;
  readonly #informers: SharedInformers;
  readonly #queue: SchedulingQueue;
  readonly #state: ClusterState;
  readonly #volumes: VolumeCache;
  readonly #devices: DeviceCache;
  readonly #preparation: NodePreparation;
  readonly #surroundings: Surroundings;
  readonly #chooser: NodeChooser;
  readonly #extenders: Extenders;
  readonly #roomFinder: RoomFinder;
  /** By the name of the scheduler. */
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #usualProfile: Profile;
  readonly #events: ReadonlyMap<string, EventRecorder>;
  readonly #reports: Reports;
  readonly #stop = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  /** Pods that wait for their volumes or devices may wait for long: they take nobody's place. */
  readonly #preparing = new Set<Promise<void>>();
  #running: Promise<void> = Promise.resolve();
  /** Told when a request has ended. */
  #room: (() => void) | undefined;

  /** Nothing is asked of the server yet. */
  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#metrics = parts.metrics ?? schedulerMetrics(new Metrics({ release: "" }));
    const { client, clock, random, log, options } = parts;
    const labels = topologyLabels(client.names);
    const profiles = parts.profiles ?? [defaultProfile(options.percentageOfNodesToScore)];
    this.#profiles = new Map(profiles.map((profile) => [profile.schedulerName, profile]));
    this.#usualProfile = profiles[0]!;
    const profileOf = (info: PodInfo): Profile => this.#profileOf(info);
    this.#informers = new SharedInformers(client, {
      withoutManagedFields: true,
      onError: (error) => log.debug({ err: error }, "the scheduler lost a stream, trying again"),
    });
    this.#queue = new SchedulingQueue({
      clock,
      isGated: (info) => this.#isGated(info),
      onIncoming: this.#metrics.incoming,
      maxUnschedulableMs: options.podMaxInUnschedulablePodsDurationMs,
      backoff: parts.backoff,
      triesEarly: (parts.gates ?? SCHEDULER_GATES).SchedulerPopFromBackoffQ,
    });
    this.#state = new ClusterState({ zoneLabel: labels.zone });
    this.#volumes = new VolumeCache(this.#informers, client.names, (event) => this.#queue.changed("volumes", event));
    this.#devices = new DeviceCache(
      { informers: this.#informers, names: client.names, gates: parts.gates ?? SCHEDULER_GATES, clock },
      {
        devices: (event) => this.#queue.changed("devices", event),
        classes: (event) => this.#queue.changed("device classes", event),
        claim: (key, event) => this.#queue.claimChanged(key, event),
      },
    );
    this.#preparation = new NodePreparation({
      client,
      clock,
      log,
      volumes: this.#volumes,
      nodes: this.#informers.of(kinds.core.v1.nodes),
      devices: this.#devices,
      metrics: this.#metrics,
      signal: this.#stop.signal,
      profileOf,
      onDevicesAwaited: (info, nodeName) => this.#reports.awaitsDevices(info, nodeName),
    });
    watchCluster({
      informers: this.#informers,
      state: this.#state,
      queue: this.#queue,
      clock,
      metrics: this.#metrics,
      isOurs: (name) => this.#profiles.has(name),
    });
    const evaluations = new Map(profiles.map((profile) => [profile, new Float64Array(FILTER_NAMES.length)]));
    for (const [{ schedulerName: profile }, counts] of evaluations)
      this.#metrics.setEvaluations({ profile, phase: "Filter", plugins: FILTER_NAMES, counts });
    this.#metrics.setSnapshot(() => this.#snapshot());
    this.#surroundings = {
      state: this.#state,
      volumes: this.#volumes,
      devices: this.#devices,
      labels,
      filtersOf: (info) => this.#profileOf(info).filters,
      evaluationsOf: (info) => evaluations.get(this.#profileOf(info))!,
    };
    this.#chooser = new NodeChooser({
      surroundings: this.#surroundings,
      random,
      meter: { clock, metrics: this.#metrics },
      profileOf,
    });
    this.#extenders = new Extenders({ extenders: parts.extenders ?? [], log, signal: this.#stop.signal });
    this.#roomFinder = new RoomFinder({
      client,
      clock,
      random,
      surroundings: this.#surroundings,
      devices: this.#devices,
      budgets: this.#informers.of(kinds.policy.v1.podDisruptionBudgets),
      extenders: this.#extenders,
      profileOf,
      onWrite: (write) => this.#track(write, this.#inFlight),
    });
    const onError = (error: unknown): void => log.debug({ err: error }, "an event could not be written");
    this.#events = new Map(
      profiles.map(({ schedulerName: controller }) => [controller, new EventRecorder({ client, controller, onError })]),
    );
    const eventsOf = (info: PodInfo): EventRecorder => this.#events.get(profileOf(info).schedulerName)!;
    this.#reports = new Reports({ client, eventsOf, clock, metrics: this.#metrics });
  }

  /** Reads the cluster and follows it, while another process places its pods: this one can begin at once. */
  async prepare(): Promise<void> {
    this.#informers.start();
  }

  /** Resolves when the scheduler works. Rejects when it is stopped before. */
  async start(): Promise<void> {
    this.#informers.start();
    await this.#informers.whenServedSynced(({ group, version, resource }) => {
      this.#parts.log.info({ group, version, resource }, "a resource is not served: the scheduler goes without it");
    });
    this.#running = this.#run();
  }

  /** Whether a pod can be placed now, or a request is under way. Pods that wait for something do not count. */
  get busy(): boolean {
    return this.#queue.sizes.active > 0 || this.#inFlight.size > 0;
  }

  /** Resolves when nothing runs any more. The client stays open. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the scheduler was stopped"));
    this.#queue.close();
    await this.#running;
    await Promise.all([...this.#inFlight, ...this.#preparing]);
    this.#extenders.close();
    await this.#informers.stop();
    await Promise.all([...this.#events.values()].map((events) => events.close()));
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts;
    let busySinceMs = clock.monotonicMs();
    for (let pod = await this.#queue.take(); pod !== undefined; pod = await this.#queue.take()) {
      if (pod.info.claims.length > 0) await this.#readDrivers();
      if (this.#stop.signal.aborted) return;
      const searching = this.#schedule(pod, clock.monotonicMs(), busySinceMs + MAX_BUSY_MS);
      if (searching !== undefined) {
        await searching;
        busySinceMs = clock.monotonicMs();
      }
      if (this.#inFlight.size >= MAX_IN_FLIGHT) await this.#untilRoom();
      if (clock.monotonicMs() - busySinceMs < MAX_BUSY_MS) continue;
      await nextTurn();
      busySinceMs = clock.monotonicMs();
    }
  }

  /** Once, before the first pod that has volumes. */
  async #readDrivers(): Promise<void> {
    const reading = this.#volumes.drivers.read();
    if (reading === undefined) return;
    this.#track(reading, this.#inFlight);
    await Promise.allSettled([reading]);
  }

  /** Almost every pod is decided upon at once; else it resolves when the pod is. */
  #schedule(pod: QueuedPod, startMs: number, pauseMs: number): Promise<void> | undefined {
    if (this.#extenders.concern(pod.info)) {
      const deciding = this.#scheduleWithExtenders(pod, startMs);
      this.#track(deciding, this.#inFlight);
      return deciding;
    }
    try {
      const search = this.#chooser.chooseInSteps(pod.info);
      for (let step = search.next(); ; step = search.next()) {
        if (step.done === true) this.#decided(pod, step.value, startMs);
        else if (this.#parts.clock.monotonicMs() < pauseMs) continue;
        else return this.#scheduleInTurns(pod, search, startMs);
        return undefined;
      }
    } catch (error) {
      // A bug, or an object that nobody thought of: one pod must not stop the others.
      this.#wentWrong(pod, error, startMs, { isKnown: true });
      return undefined;
    }
  }

  async #scheduleInTurns(pod: QueuedPod, search: Steps<Choice>, startMs: number): Promise<void> {
    const { changes } = this.#queue;
    try {
      this.#decidedLater(pod, await this.#inTurns(search), startMs, changes);
    } catch (error) {
      this.#wentWrong(pod, error, startMs, { isKnown: true });
    }
  }

  /** The pods after this one wait meanwhile, as upstream's do. */
  async #scheduleWithExtenders(pod: QueuedPod, startMs: number): Promise<void> {
    const { changes } = this.#queue;
    const { info } = pod;
    try {
      const choice = await chooseWithExtenders(info, {
        chooser: this.#chooser,
        extenders: this.#extenders,
        run: (steps) => this.#inTurns(steps),
      });
      const isAsked = choice.type === "none" && this.#extenders.mayPreempt(info);
      const preemption = isAsked ? await this.#roomFinder.findWithExtenders(info, choice.refusals) : undefined;
      this.#decidedLater(pod, choice, startMs, changes, preemption);
    } catch (error) {
      this.#wentWrong(pod, error, startMs, { isKnown: true });
    }
  }

  async #inTurns<T>(search: Steps<T>): Promise<T> {
    const { clock } = this.#parts;
    let busySinceMs = Number.NEGATIVE_INFINITY;
    return inTurns(search, async () => {
      if (clock.monotonicMs() - busySinceMs < MAX_BUSY_MS) return;
      await nextTurn();
      busySinceMs = clock.monotonicMs();
    });
  }

  /** The cluster may have changed meanwhile; `changes`: those before it began. */
  #decidedLater(pod: QueuedPod, choice: Choice, startMs: number, changes: number, preemption?: Preemption): void {
    if (choice.type === "node" && !this.#chooser.stillFits(pod.info, choice.node)) {
      this.#queue.backOff(pod);
      return;
    }
    this.#decided(pod, choice, startMs, preemption);
    // What would have helped may have happened.
    if (choice.type === "none" && this.#queue.changes !== changes) this.#queue.retry(pod.info.uid);
  }

  #decided(pod: QueuedPod, choice: Choice, startMs: number, preemption?: Preemption): void {
    this.#metrics.searched(this.#secondsSince(startMs));
    if (choice.type === "node") this.#assume(pod, choice.node, startMs);
    else this.#refused(pod, choice.refusals, startMs, preemption);
  }

  #assume(pod: QueuedPod, node: NodeInfo, startMs: number): void {
    const { info } = pod;
    const plans = this.#preparation.promise(info, node);
    this.#state.place(info, node.name);
    this.#state.forgetNomination(info.uid);
    const among = isLong(plans) ? this.#preparing : this.#inFlight;
    this.#track(this.#bind(pod, node.name, plans, startMs), among);
  }

  async #bind(pod: QueuedPod, nodeName: string, plans: NodePlans, startMs: number): Promise<void> {
    const { client, clock } = this.#parts;
    const { info } = pod;
    let isAsked = false;
    let doing = "";
    try {
      await this.#preparation.fulfil(plans, info, nodeName);
      isAsked = true;
      const askedMs = clock.monotonicMs();
      await this.#metrics.called(
        "pod_binding",
        () => clock.monotonicMs(),
        async () => {
          if (await this.#extenders.bind(info, nodeName)) return;
          doing = 'running Bind plugin "DefaultBinder": ';
          await client.core.v1.pods(info.namespace).bind(info.name, nodeName, { uid: info.uid });
        },
      );
      this.#reports.scheduled(info, nodeName);
      const { schedulerName } = this.#profileOf(info);
      this.#metrics.passed(schedulerName, "Bind", "Success", this.#secondsSince(askedMs));
      this.#metrics.attempted(schedulerName, "scheduled", this.#secondsSince(startMs));
      this.#metrics.scheduled(pod.attempts, this.#secondsSince(pod.sinceMs));
      this.#queue.remove(info.uid);
    } catch (error) {
      // The server may have bound it all the same, and the informer know: then it stays.
      const isOnItsWay = !info.pod.spec.nodeName && this.#state.placeOf(info.uid)?.info === info;
      if (isOnItsWay) this.#state.remove(info.uid);
      // Without an answer nobody knows whether it is bound: saying that it is not may be wrong, and so may taking back.
      const isKnown = !isAsked || error instanceof ApiError;
      if (isKnown) await this.#preparation.takeBack(plans, info);
      if (plans.devices !== undefined) this.#queue.changed("devices");
      this.#queue.changed("pod gone");
      if (isApiError(error, "NotFound")) this.#queue.remove(info.uid);
      else this.#wentWrong(pod, error, startMs, { isKnown, doing });
    } finally {
      this.#preparation.done(plans);
    }
  }

  /** `known`: who can leave for it, where that was found out before. */
  #refused(pod: QueuedPod, refusals: Refusals, startMs: number, known?: Preemption): void {
    const { info } = pod;
    const { schedulerName } = this.#profileOf(info);
    const preemptingMs = this.#parts.clock.monotonicMs();
    const preemption = known ?? this.#roomFinder.find(info, refusals);
    const found = preemption.type === "none" ? "Unschedulable" : "Success";
    this.#metrics.passed(schedulerName, "PostFilter", found, this.#secondsSince(preemptingMs));
    this.#metrics.attempted(schedulerName, "unschedulable", this.#secondsSince(startMs));
    // It waits before its victims go: their end is what wakes it.
    this.#queue.failed(pod, refusals.filters);
    if (preemption.type === "none") {
      const message = fitMessage(refusals, preemption.why);
      if (!preemption.keepsNomination) this.#state.forgetNomination(info.uid);
      const nomination = preemption.keepsNomination ? undefined : "";
      this.#track(this.#reports.notScheduled(info, "Unschedulable", message, nomination), this.#inFlight);
      return;
    }
    const { victims } = preemption;
    this.#metrics.preempted(victims.pods.length);
    const outranked = this.#state.nominatedTo(victims.node.name).filter(({ priority }) => priority < info.priority);
    this.#state.nominate(info, victims.node.name);
    const reported = this.#reports.notScheduled(info, "Unschedulable", fitMessage(refusals, ""), victims.node.name);
    this.#track(reported, this.#inFlight);
    this.#track(this.#preempt(info, victims, outranked), this.#inFlight);
  }

  #profileOf({ pod }: PodInfo): Profile {
    return this.#profiles.get(pod.spec.schedulerName ?? "") ?? this.#usualProfile;
  }

  #isGated(info: PodInfo): boolean {
    if ((info.pod.spec.schedulingGates?.length ?? 0) > 0) return true;
    if (!this.#profileOf(info).allocatesDevices) return false;
    return info.deviceClaims.length > 0 && "missing" in claimsOfPod(info, this.#devices);
  }

  async #preempt(info: PodInfo, victims: Victims, outranked: readonly PodInfo[]): Promise<void> {
    const startMs = this.#parts.clock.monotonicMs();
    for (const { uid } of outranked) this.#state.forgetNomination(uid);
    try {
      await this.#reports.preempt(victims, info);
      this.#metrics.victimsAsked("success", this.#secondsSince(startMs));
    } catch (error) {
      this.#metrics.victimsAsked("error", this.#secondsSince(startMs));
      // Who was not asked to leave stays: nothing would wake the pod.
      this.#queue.retry(info.uid);
      throw error;
    }
    for (const other of outranked) await this.#reports.clearNomination(other);
  }

  /** `isKnown`: the pod certainly has no node; `doing`: what has failed, in upstream's words. */
  #wentWrong(
    pod: QueuedPod,
    error: unknown,
    startMs: number,
    { isKnown, doing = "" }: { readonly isKnown: boolean; readonly doing?: string },
  ): void {
    if (this.#stop.signal.aborted) return;
    this.#metrics.attempted(this.#profileOf(pod.info).schedulerName, "error", this.#secondsSince(startMs));
    const message = doing + (error instanceof Error ? error.message : String(error));
    // A conflict says that the pod has changed: what it is now is on its way.
    const isNews = !isApiError(error, "Conflict");
    this.#parts.log[isNews ? "warn" : "debug"]({ err: error, pod: pod.info.key }, "a pod could not be scheduled");
    this.#queue.backOff(pod);
    if (!isNews || !isKnown) return;
    // Others may have the room meanwhile that was made for it.
    this.#state.forgetNomination(pod.info.uid);
    const reported = this.#reports.notScheduled(pod.info, "SchedulerError", message.slice(0, MAX_MESSAGE), "");
    this.#track(reported, this.#inFlight);
  }

  #snapshot() {
    return {
      queue: this.#queue.sizes,
      nodes: this.#state.nodes.length,
      pods: this.#state.podCount,
      assumed: this.#inFlight.size + this.#preparing.size,
      unschedulable: this.#unschedulable(),
    };
  }

  *#unschedulable(): Iterable<readonly [FilterName, string, number]> {
    for (const [filter, pods] of this.#queue.refusals())
      for (const profile of this.#profiles.values())
        yield [filter, profile.schedulerName, pods.filter((info) => this.#profileOf(info) === profile).length];
  }

  #secondsSince(startMs: number): number {
    return (this.#parts.clock.monotonicMs() - startMs) / 1000;
  }

  #track(work: Promise<void>, among: Set<Promise<void>>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#parts.log.warn({ err: error }, "the scheduler could not write");
      })
      .finally(() => {
        among.delete(tracked);
        this.#room?.();
        this.#room = undefined;
      });
    among.add(tracked);
  }

  #untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }
}

const MAX_MESSAGE = 1024;
