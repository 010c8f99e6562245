// One round of looking after a pod: see what the runtime has, tell it, and do what is missing. Every round begins from
// what is there, so that it does not matter why it began or where the last one ended.

import type { Outcome } from "../../base/background-loop.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { AgentContext } from "../context.ts";
import { isGrpcError } from "../cri/cri-client.ts";
import type { PodProbes } from "../probes/pod-probes.ts";
import { type PodVolumes, type ReadyVolume, VolumeError } from "../volumes/pod-volumes.ts";
import { deadContainers, deadSandboxes } from "./dead-containers.ts";
import { type PodActions, RETRY_MS } from "./pod-actions.ts";
import { OWN_CONDITIONS } from "./pod-conditions.ts";
import type { PodDirectories } from "./pod-directories.ts";
import { asTold, graceSecondsOf, hasLastPhase, isEnding, type PodEntry } from "./pod-entry.ts";
import type { PodRecord } from "./pod-records.ts";
import { type PodStatus, podStatus, withoutLastPhase } from "./pod-status.ts";
import type { PodStopper } from "./pod-stopper.ts";
import type { PodTotals } from "./pod-totals.ts";
import { addressesOf, hasRunningContainers, noRuntimePod, type RuntimePod } from "./runtime-pod.ts";
import type { RuntimeView } from "./runtime-view.ts";
import type { StatusWriter } from "./status-writer.ts";

interface PodSyncDeps {
  readonly context: AgentContext;
  readonly view: RuntimeView;
  readonly actions: PodActions;
  readonly probes: PodProbes;
  readonly volumes: PodVolumes;
  readonly directories: PodDirectories;
  readonly stopper: PodStopper;
  readonly writer: StatusWriter;
  /** Whether it is known which services there are: containers hear of them in variables, and only at their start. */
  readonly knowsServices: () => boolean;
  readonly actuated: Pick<PodRecord, "get">;
  readonly totals: PodTotals;
}

/** While something of the node is not ready that will be soon. */
const SOON_MS = 500;

export class PodSync {
  readonly #deps: PodSyncDeps;

  constructor(deps: PodSyncDeps) {
    this.#deps = deps;
  }

  /** Looks after a pod that shall run, or has just ended by itself; again when its time is over at the latest. */
  async sync(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const outcome = await this.#round(entry, signal);
    const leftMs = this.#msUntilDeadline(entry);
    if (typeof outcome === "string" || leftMs === undefined) return outcome;
    return { againInMs: Math.max(Math.min(outcome.againInMs, leftMs), 0) };
  }

  async #round(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const { context, actions, probes, directories } = this.#deps;
    const runtime = this.#asSettled(entry) ?? (await this.#refresh(entry, signal));
    // A round that fails leaves the next one to ask.
    entry.settled = undefined;
    // Before anything is told: a container whose probe nobody knows yet would be as good as one that has none.
    probes.follow(entry.pod);
    this.#checkDeadline(entry);
    this.tell(entry, runtime);
    if (isEnding(entry)) return await this.end(entry, signal);
    if (!entry.pod.spec.hostNetwork && !context.runtime.isNetworkReady()) {
      context.recorder.warning(entry.pod, "NetworkNotReady", "network is not ready: the container runtime says so");
      return { againInMs: SOON_MS };
    }
    // A pod of the node's own starts without the API.
    if (!entry.isStatic && !this.#deps.knowsServices()) return { againInMs: SOON_MS };
    await directories.make(entry.uid);
    const performed = await this.#unlessEnding(entry, signal, async (starting) => {
      const volumes = await this.#volumes(entry, runtime, starting);
      return volumes === undefined ? "retry" : await actions.perform(entry, runtime, volumes, starting);
    });
    if (performed === "ending") return { againInMs: 0 };
    if (performed === "retry") return { againInMs: RETRY_MS };
    const { isIdle, againInMs } = performed;
    const after = isIdle ? runtime : await this.#refresh(entry, signal);
    this.tell(entry, after);
    await this.#removeDead(after);
    if (isIdle) entry.settled = after;
    if (isEnding(entry)) return await this.end(entry, signal);
    // What ended during the round is not news to the view any more: nobody else will ask for another one.
    if (hasEndedSince(runtime, after)) return { againInMs: 0 };
    const { syncFrequencyMs } = context.config;
    return { againInMs: Math.min(againInMs ?? syncFrequencyMs, syncFrequencyMs) };
  }

  /** Work of a pod that shall run, which is left off when it is to end: it may take long, and nobody needs it any more then. */
  async #unlessEnding<T>(
    entry: PodEntry,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | "ending"> {
    const starting = new AbortController();
    entry.starting = starting;
    try {
      return await work(AbortSignal.any([signal, starting.signal]));
    } catch (error) {
      if (!starting.signal.aborted) throw error;
      return "ending";
    } finally {
      delete entry.starting;
    }
  }

  /** Stops a pod for good, tells how it ended, and lets the API forget it where that was asked for. */
  async end(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const { context, probes, stopper, writer, directories, volumes } = this.#deps;
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
        await stopper.stopPod(runtime, { pod: asTold(entry), graceSeconds, signal: stop });
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
    context.devices.release(entry.uid);
    context.cpus.release(entry.uid);
    context.memory.release(entry.uid);
    await context.claims.release(entry.uid);
    this.tell(entry, runtime);
    probes.forget(entry.uid);
    await writer.flush(entry.uid);
    if (entry.isRemoved) return "done";
    await volumes.remove(entry.uid, () => directories.removeVolumes(entry.uid));
    // Where something is left in it yet, it goes with the pod.
    await context.cgroups.remove(entry.uid).catch(() => undefined);
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
    const { context, probes, writer, totals } = this.#deps;
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
      actuated: this.#deps.actuated.get(uid),
      failure,
      resizePending: entry.resizePending,
      resizing: entry.resizing,
    });
    if (status.phase === "Running" && entry.status.phase !== "Running") totals.running(pod);
    entry.status = status;
    // What the API has seen of its end stays.
    const isHeldBack = !entry.hasEnded && hasRunningContainers(runtime) && !hasLastPhase(pod.status ?? {});
    writer.set(uid, isHeldBack ? withoutLastPhase(status) : status);
    return status;
  }

  /** Nothing was missing the last time, and the runtime has had no news of the pod since. */
  #asSettled({ uid, settled }: PodEntry): RuntimePod | undefined {
    return settled !== undefined && settled === this.#deps.view.pod(uid) ? settled : undefined;
  }

  async #refresh({ uid, pod }: PodEntry, signal: AbortSignal): Promise<RuntimePod> {
    const { name = "", namespace = "" } = pod.metadata;
    return (await this.#deps.view.refresh(uid, signal)) ?? noRuntimePod(uid, name, namespace);
  }

  #checkDeadline(entry: PodEntry): void {
    const leftMs = this.#msUntilDeadline(entry);
    if (leftMs === undefined || leftMs > 0 || entry.failure !== undefined) return;
    entry.failure = {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
      isFinal: true,
    };
    this.#deps.context.recorder.normal(entry.pod, entry.failure.reason, entry.failure.message);
  }

  /** Undefined for a pod that has no deadline, or has ended. */
  #msUntilDeadline({ pod, status }: PodEntry): number | undefined {
    const { activeDeadlineSeconds } = pod.spec;
    if (activeDeadlineSeconds === undefined || !status.startTime || hasLastPhase(status)) return undefined;
    return Date.parse(status.startTime) + Number(activeDeadlineSeconds) * 1000 - this.#deps.context.clock.nowMs();
  }

  async #volumes(
    entry: PodEntry,
    runtime: RuntimePod,
    signal: AbortSignal,
  ): Promise<Map<string, ReadyVolume> | undefined> {
    const { context, volumes } = this.#deps;
    const report = ({ volume, message }: VolumeError) => {
      const text = `MountVolume.SetUp failed for volume "${volume}" : ${message}`;
      context.recorder.warning(entry.pod, "FailedMount", text);
    };
    try {
      const addresses = addressesOf(runtime, context.node.hostIps());
      return await volumes.prepare(entry.pod, addresses, { onStale: report, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof VolumeError)) throw error;
      report(error);
      return undefined;
    }
  }

  async #removeDead(runtime: RuntimePod): Promise<void> {
    const { cri } = this.#deps.context;
    for (const { id } of deadContainers(runtime)) await unlessGone(cri.removeContainer({ containerId: id }));
    for (const { id } of deadSandboxes(runtime)) await unlessGone(cri.removePodSandbox({ podSandboxId: id }));
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

/** The agent's own as it told them, and those of others as they have written them since. */
function othersConditions(pod: Pod, told: PodStatus): Pick<PodStatus, "conditions"> {
  const isOwn = ({ type }: { readonly type: string }) => OWN_CONDITIONS.includes(type);
  const own = (told.conditions ?? []).filter(isOwn);
  return { conditions: [...own, ...(pod.status.conditions ?? []).filter((condition) => !isOwn(condition))] };
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
