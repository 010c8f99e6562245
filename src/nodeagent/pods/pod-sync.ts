// One round of looking after a pod: see what the runtime has, tell it, and do what is missing. Every round begins from
// what is there, so that it does not matter why it began or where the last one ended.

import type { Outcome } from "../../base/background-loop.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { formatDuration } from "../../meta/duration.ts";
import { hostsFile, podHostname } from "../containers/hosts-file.ts";
import { linuxResources, type NodeResources } from "../containers/linux-resources.ts";
import type { PodAddresses } from "../containers/pod-facts.ts";
import { containerHash, podLogDirectory } from "../containers/runtime-names.ts";
import type { AgentContext } from "../context.ts";
import { isGrpcError } from "../cri/cri-client.ts";
import type { FailureBackoff } from "../failure-backoff.ts";
import type { PodProbes } from "../probes/pod-probes.ts";
import { type PodVolumes, type ReadyVolume, VolumeError } from "../volumes/pod-volumes.ts";
import type { ContainerStarter, StartFacts } from "./container-starter.ts";
import { deadContainers, deadSandboxes } from "./dead-containers.ts";
import type { PodDirectories } from "./pod-directories.ts";
import { fullName, graceSecondsOf, hasLastPhase, isEnding, type PodEntry } from "./pod-entry.ts";
import { amountsOf, type PodRecord } from "./pod-records.ts";
import { type PodStatus, podStatus } from "./pod-status.ts";
import type { PodStopper } from "./pod-stopper.ts";
import { actuations } from "./resize-rules.ts";
import { hasRunningContainers, latestRun, noRuntimePod, type RuntimePod } from "./runtime-pod.ts";
import type { RuntimeView } from "./runtime-view.ts";
import type { SandboxSettings, SandboxStarter } from "./sandbox-starter.ts";
import { ContainerStartError, messageOf } from "./start-error.ts";
import type { StatusWriter } from "./status-writer.ts";
import { type KillAction, type StartAction, type SyncActions, type SyncFacts, syncActions } from "./sync-actions.ts";

export interface PodSyncDeps {
  readonly context: AgentContext;
  readonly view: RuntimeView;
  readonly probes: PodProbes;
  readonly volumes: PodVolumes;
  readonly directories: PodDirectories;
  readonly sandboxes: SandboxStarter;
  readonly containers: ContainerStarter;
  readonly stopper: PodStopper;
  readonly writer: StatusWriter;
  readonly restarts: FailureBackoff;
  readonly actuated: PodRecord;
  /** Variables by which containers of a namespace find services. */
  readonly services: (pod: Pod) => ReadonlyMap<string, string>;
  readonly readNodeHosts: () => Promise<string>;
  readonly nodeResources: () => NodeResources;
  readonly canRecursiveReadOnly: (runtimeHandler: string) => boolean;
}

/** After a failure that only time or somebody else can mend. */
const RETRY_MS = 10_000;
const NETWORK_RETRY_MS = 1_000;

export class PodSync {
  readonly #deps: PodSyncDeps;

  constructor(deps: PodSyncDeps) {
    this.#deps = deps;
  }

  /** Looks after a pod that shall run, or has just ended by itself. */
  async sync(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const { context, probes, directories } = this.#deps;
    const runtime = await this.#refresh(entry, signal);
    this.#checkDeadline(entry);
    this.tell(entry, runtime);
    if (isEnding(entry)) return await this.end(entry, signal);
    if (!entry.pod.spec.hostNetwork && !context.runtime.isNetworkReady()) {
      context.recorder.warning(entry.pod, "NetworkNotReady", "network is not ready: the container runtime says so");
      return { againInMs: NETWORK_RETRY_MS };
    }
    await directories.make(entry.uid);
    const volumes = await this.#volumes(entry, runtime);
    if (volumes === undefined) return { againInMs: RETRY_MS };
    probes.follow(entry.pod);
    const againInMs = await this.#act(entry, runtime, volumes, signal);
    const after = await this.#refresh(entry, signal);
    this.tell(entry, after);
    await this.#removeDead(after);
    if (isEnding(entry)) return await this.end(entry, signal);
    // What ended during the round is not news to the view any more: nobody else will ask for another one.
    if (hasEndedSince(runtime, after)) return { againInMs: 0 };
    return { againInMs: againInMs ?? context.config.syncFrequencyMs };
  }

  /** Stops a pod for good, tells how it ended, and lets the API forget it where that was asked for. */
  async end(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const { context, probes, stopper, writer, directories } = this.#deps;
    const { pod } = entry;
    probes.endRestarts(entry.uid);
    let runtime = await this.#refresh(entry, signal);
    if (hasRunningContainers(runtime) || runtime.sandboxes.some(({ ready }) => ready)) {
      this.tell(entry, runtime);
      const interrupt = new AbortController();
      const graceSeconds = graceSecondsOf(entry);
      entry.stopping = { graceSeconds, interrupt };
      try {
        const stop = AbortSignal.any([signal, interrupt.signal]);
        await stopper.stopPod(runtime, { pod: { ...pod, status: entry.status }, graceSeconds, signal: stop });
      } catch (error) {
        // Less time was given meanwhile: the next round goes by that.
        if (interrupt.signal.aborted) return { againInMs: 0 };
        throw error;
      } finally {
        delete entry.stopping;
      }
      runtime = await this.#refresh(entry, signal);
    }
    if (hasRunningContainers(runtime)) throw new Error("containers of the pod still run");
    entry.hasEnded = true;
    this.tell(entry, runtime);
    probes.forget(entry.uid);
    await writer.flush(entry.uid);
    if (entry.isRemoved) return "done";
    await directories.removeVolumes(entry.uid);
    if (pod.metadata.deletionTimestamp === undefined || entry.isStatic) return "done";
    await deleteFromApi(context, pod);
    return "done";
  }

  /** Stops and removes what is left of a pod that nobody knows any more. */
  async remove(runtime: RuntimePod, entry: PodEntry | undefined, signal: AbortSignal): Promise<void> {
    const { context, stopper, view } = this.#deps;
    const { cri } = context;
    if (hasRunningContainers(runtime) || runtime.sandboxes.some(({ ready }) => ready))
      await stopper.stopPod(runtime, {
        pod: entry?.pod,
        graceSeconds: entry === undefined ? 1 : graceSecondsOf(entry),
        signal,
      });
    for (const { id } of runtime.containers) await unlessGone(cri.removeContainer({ containerId: id }));
    for (const { id } of runtime.sandboxes) await unlessGone(cri.removePodSandbox({ podSandboxId: id }));
    await view.refresh(runtime.uid, signal);
  }

  /** Works the status out from what the runtime has, and hands it on. */
  tell(entry: PodEntry, runtime: RuntimePod): PodStatus {
    const { context, probes, writer } = this.#deps;
    const { pod, uid, isStatic, waiting, failure } = entry;
    if (entry.isRejected) return entry.status;
    const status = podStatus({
      pod,
      runtime,
      told: { ...entry.status, ...othersConditions(pod, entry.status) },
      waiting,
      runtimeName: context.runtime.name,
      isStarted: (run) => probes.isStarted(uid, run.name, run.id),
      isReady: (run) => probes.isReady(uid, run.name, run.id),
      hostIPs: context.node.hostIps(),
      nowMs: context.clock.nowMs(),
      isEnding: entry.hasEnded && isEnding(entry),
      isStatic,
      failure,
      resizePending: entry.resizePending,
    });
    entry.status = status;
    writer.set(uid, status);
    return status;
  }

  async #refresh({ uid, pod }: PodEntry, signal: AbortSignal): Promise<RuntimePod> {
    const { name = "", namespace = "" } = pod.metadata;
    return (await this.#deps.view.refresh(uid, signal)) ?? noRuntimePod(uid, name, namespace);
  }

  #checkDeadline(entry: PodEntry): void {
    const { activeDeadlineSeconds } = entry.pod.spec;
    const { startTime } = entry.status;
    if (activeDeadlineSeconds === undefined || !startTime || hasLastPhase(entry.status)) return;
    if (this.#deps.context.clock.nowMs() < Date.parse(startTime) + Number(activeDeadlineSeconds) * 1000) return;
    entry.failure ??= {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    };
  }

  async #volumes(entry: PodEntry, runtime: RuntimePod): Promise<Map<string, ReadyVolume> | undefined> {
    const { context, volumes } = this.#deps;
    try {
      return await volumes.prepare(entry.pod, this.#addresses(runtime));
    } catch (error) {
      if (!(error instanceof VolumeError)) throw error;
      const message = `MountVolume.SetUp failed for volume "${error.volume}" : ${error.message}`;
      context.recorder.warning(entry.pod, "FailedMount", message);
      return undefined;
    }
  }

  #addresses({ sandboxes }: RuntimePod): PodAddresses {
    const hostIPs = this.#deps.context.node.hostIps();
    const [newest] = sandboxes;
    return { hostIPs, podIPs: newest?.hostNetwork ? hostIPs : (newest?.ips ?? []) };
  }

  /** Does what is missing. Returns when to look again, where that is known. */
  async #act(
    entry: PodEntry,
    runtime: RuntimePod,
    volumes: ReadonlyMap<string, ReadyVolume>,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { stopper } = this.#deps;
    const actions = syncActions(this.#facts(entry, runtime));
    const { pod } = entry;
    if (actions.killPod) await this.#killPod(entry, runtime, actions, signal);
    for (const { run, message, probe } of actions.kill) {
      const graceSeconds = graceAfterProbe(pod, run.name, probe) ?? graceSecondsOf(entry);
      await stopper.stopContainer(run, { pod, graceSeconds, message, signal });
    }
    await this.#actuate(entry, runtime, signal);
    if (actions.start.length === 0) return undefined;
    const settings = await this.#settings(entry);
    if (settings === undefined) return RETRY_MS;
    const sandboxId = await this.#sandbox(entry, actions, settings);
    if (sandboxId === undefined) return RETRY_MS;
    const current = actions.sandboxAttempt === undefined ? runtime : await this.#refresh(entry, signal);
    const facts = await this.#startFacts(entry, current, sandboxId, settings, volumes);
    let againInMs: number | undefined;
    for (const action of actions.start) {
      const waitMs = await this.#start(entry, current, facts, action, signal);
      if (waitMs !== undefined) againInMs = Math.min(waitMs, againInMs ?? waitMs);
    }
    return againInMs;
  }

  /** Tells the runtime of resources that have changed while containers run. */
  async #actuate(entry: PodEntry, runtime: RuntimePod, signal: AbortSignal): Promise<void> {
    const { context, actuated, stopper, nodeResources } = this.#deps;
    const { pod, uid } = entry;
    const due = actuations(pod, actuated.get(uid), runtime);
    if (due.length === 0) return;
    for (const { container, run, restarts } of due) {
      if (restarts) {
        const message = `Container ${container.name} resize requires restart`;
        await stopper.stopContainer(run, { pod, graceSeconds: graceSecondsOf(entry), message, signal });
      } else {
        const linux = linuxResources(pod, container, nodeResources());
        await context.cri.updateContainerResources({ containerId: run.id, linux });
      }
    }
    actuated.set(uid, amountsOf(pod));
    context.recorder.normal(pod, "ResizeCompleted", "Pod resize completed");
  }

  #facts({ pod, uid }: PodEntry, runtime: RuntimePod): SyncFacts {
    const { probes } = this.#deps;
    const failed = runtime.containers.flatMap(({ id, name }): [string, "liveness" | "startup"][] => {
      const probe = probes.failed(uid, name, id);
      return probe === undefined ? [] : [[id, probe]];
    });
    return {
      pod,
      runtime,
      failedProbes: new Map(failed),
      isStarted: (run) => probes.isStarted(uid, run.name, run.id),
      hashOf: containerHash,
    };
  }

  async #killPod(entry: PodEntry, runtime: RuntimePod, actions: SyncActions, signal: AbortSignal): Promise<void> {
    const { context, stopper } = this.#deps;
    if (!hasRunningContainers(runtime) && !runtime.sandboxes.some(({ ready }) => ready)) return;
    if (actions.sandboxAttempt !== undefined)
      context.recorder.normal(entry.pod, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    await stopper.stopPod(runtime, { pod: entry.pod, graceSeconds: graceSecondsOf(entry), signal });
  }

  async #settings(entry: PodEntry): Promise<SandboxSettings | undefined> {
    const { context, sandboxes } = this.#deps;
    try {
      const settings = await sandboxes.settings(entry.pod);
      if (settings.dns.problem !== undefined)
        context.recorder.warning(entry.pod, "DNSConfigForming", settings.dns.problem);
      return settings;
    } catch (error) {
      this.#sandboxFailed(entry, error);
      return undefined;
    }
  }

  async #sandbox(entry: PodEntry, actions: SyncActions, settings: SandboxSettings): Promise<string | undefined> {
    const { sandboxes } = this.#deps;
    if (actions.sandboxAttempt === undefined) return actions.sandbox?.id;
    try {
      return await sandboxes.start(sandboxes.configOf(entry.pod, settings, actions.sandboxAttempt), settings);
    } catch (error) {
      this.#sandboxFailed(entry, error);
      return undefined;
    }
  }

  #sandboxFailed({ pod }: PodEntry, error: unknown): void {
    const { context } = this.#deps;
    context.recorder.warning(pod, "FailedCreatePodSandBox", `Failed to create pod sandbox: ${messageOf(error)}`);
    context.log.warn({ err: error, pod: fullName(pod) }, "a sandbox could not be made");
  }

  async #startFacts(
    { pod, uid }: PodEntry,
    runtime: RuntimePod,
    sandboxId: string,
    settings: SandboxSettings,
    volumes: ReadonlyMap<string, ReadyVolume>,
  ): Promise<StartFacts> {
    const { context, directories, sandboxes, services, readNodeHosts, canRecursiveReadOnly } = this.#deps;
    const addresses = this.#addresses(runtime);
    const sandbox = runtime.sandboxes.find(({ id }) => id === sandboxId);
    const host = { ips: addresses.podIPs, ...podHostname(pod, context.config.clusterDomain ?? "") };
    const hosts = hostsFile(pod, host, pod.spec.hostNetwork ? await readNodeHosts() : "");
    return {
      pod,
      sandboxId,
      sandboxConfig: sandboxes.configOf(pod, settings, sandbox?.attempt ?? 0),
      runtimeHandler: settings.runtimeHandler,
      addresses,
      volumes,
      services: services(pod),
      users: settings.users,
      hostsFile: await directories.writeHosts(uid, hosts),
      canRecursiveReadOnly: canRecursiveReadOnly(settings.runtimeHandler),
      runningId: (name) => {
        const run = latestRun(runtime, name);
        return run?.state === "running" ? run.id : undefined;
      },
    };
  }

  /** Returns when to try again, where that is known. */
  async #start(
    entry: PodEntry,
    runtime: RuntimePod,
    facts: StartFacts,
    action: StartAction,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { containers, actuated } = this.#deps;
    const { name } = action.container;
    const waitMs = this.#backoff(entry, runtime, action);
    if (waitMs > 0) return waitMs;
    try {
      await containers.start(facts, action, this.#nextRestart(entry, runtime, name), signal);
      entry.waiting.delete(name);
      actuated.set(entry.uid, amountsOf(entry.pod));
      return undefined;
    } catch (error) {
      if (!(error instanceof ContainerStartError)) throw error;
      entry.waiting.set(name, { reason: error.reason, message: error.message });
      return RETRY_MS;
    }
  }

  /** How long a container that ended is left alone yet. */
  #backoff(entry: PodEntry, runtime: RuntimePod, { container, sort }: StartAction): number {
    const { restarts, context } = this.#deps;
    const run = latestRun(runtime, container.name);
    if (run?.state !== "exited" || sort === "ephemeral") return 0;
    const key = `${entry.uid}_${container.name}_${containerHash(container)}`;
    const endedMs = run.finishedAtMs || run.createdAtMs;
    const leftMs = restarts.leftMs(key, endedMs);
    if (leftMs === 0) {
      restarts.next(key, endedMs);
      return 0;
    }
    const wait = formatDuration(BigInt(Math.round(restarts.waitMs(key))) * 1_000_000n);
    const message = `back-off ${wait} restarting failed container=${container.name} pod=${fullName(entry.pod)}`;
    entry.waiting.set(container.name, { reason: "CrashLoopBackOff", message });
    const told = `Back-off restarting failed container ${container.name} in pod ${fullName(entry.pod)}`;
    context.recorder.warning(entry.pod, "BackOff", told);
    return leftMs;
  }

  /** Counts on from the newest run that is known, to the runtime or from what was told. */
  #nextRestart({ status }: PodEntry, runtime: RuntimePod, name: string): number {
    const run = latestRun(runtime, name);
    if (run !== undefined) return run.restartCount + 1;
    const told = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(
      (each) => each.name === name,
    );
    return told?.lastState?.terminated === undefined && told?.state?.terminated === undefined
      ? (told?.restartCount ?? 0)
      : told.restartCount + 1;
  }

  async #removeDead(runtime: RuntimePod): Promise<void> {
    const { cri } = this.#deps.context;
    for (const { id } of deadContainers(runtime)) await unlessGone(cri.removeContainer({ containerId: id }));
    for (const { id } of deadSandboxes(runtime)) await unlessGone(cri.removePodSandbox({ podSandboxId: id }));
  }

  /** Where the logs of a pod lie. */
  logDirectory(pod: Pod): string {
    return podLogDirectory(this.#deps.context.config.podLogsDir, pod);
  }
}

function hasEndedSince(before: RuntimePod, after: RuntimePod): boolean {
  const ended = new Set(before.containers.filter(({ state }) => state === "exited").map(({ id }) => id));
  for (const { id, ready } of before.sandboxes) if (!ready) ended.add(id);
  return (
    after.containers.some(({ id, state }) => state === "exited" && !ended.has(id)) ||
    after.sandboxes.some(({ id, ready }) => !ready && !ended.has(id))
  );
}

/** Conditions that others have written since. */
function othersConditions(pod: Pod, told: PodStatus): Pick<PodStatus, "conditions"> {
  const own = told.conditions ?? [];
  const types = new Set(own.map(({ type }) => type));
  const others = (pod.status.conditions ?? []).filter(({ type }) => !types.has(type) || type.includes("/"));
  const replaced = new Set(others.map(({ type }) => type));
  return { conditions: [...own.filter(({ type }) => !replaced.has(type)), ...others] };
}

function graceAfterProbe({ spec }: Pod, name: string, probe: KillAction["probe"]): number | undefined {
  if (probe === undefined) return undefined;
  const container = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].find((each) => each.name === name);
  const seconds = container?.[`${probe}Probe`]?.terminationGracePeriodSeconds;
  return seconds === undefined ? undefined : Number(seconds);
}

async function deleteFromApi({ client }: AgentContext, { metadata }: Pod): Promise<void> {
  const { namespace, name = "", uid = "" } = metadata;
  try {
    await client.core.v1.pods(namespace).delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isGrpcError(error, "NotFound")) throw error;
  });
}
