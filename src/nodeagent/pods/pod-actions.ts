// Does what the sync rule says: stops what has to end, makes the sandbox, starts containers, tells the runtime of other
// resources. What cannot be done is noted with its reason, and tried again later.

import type { Pod } from "../../kinds/core/pod.ts";
import { formatDuration } from "../../meta/duration.ts";
import { hostsFile, podHostname } from "../containers/hosts-file.ts";
import { linuxResources, type NodeResources } from "../containers/linux-resources.ts";
import { containerHash } from "../containers/runtime-names.ts";
import type { AgentContext } from "../context.ts";
import type { FailureBackoff } from "../failure-backoff.ts";
import type { PodProbes } from "../probes/pod-probes.ts";
import type { ReadyVolume } from "../volumes/pod-volumes.ts";
import { reportOnContainer } from "./container-events.ts";
import type { ContainerStarter, StartFacts } from "./container-starter.ts";
import type { PodDirectories } from "./pod-directories.ts";
import { asTold, fullName, graceSecondsOf, type PodEntry } from "./pod-entry.ts";
import { amountsOf, type PodRecord } from "./pod-records.ts";
import type { PodStopper } from "./pod-stopper.ts";
import type { PodTotals } from "./pod-totals.ts";
import { type Actuation, actuations, memoryProblem, resizeMessage } from "./resize-rules.ts";
import { addressesOf, hasRunningContainers, latestRun, type RuntimePod } from "./runtime-pod.ts";
import type { RuntimeView } from "./runtime-view.ts";
import type { SandboxSettings, SandboxStarter } from "./sandbox-starter.ts";
import { ContainerStartError, messageOf } from "./start-error.ts";
import { type KillAction, type StartAction, type SyncActions, type SyncFacts, syncActions } from "./sync-actions.ts";

interface PodActionsDeps {
  readonly context: AgentContext;
  readonly view: RuntimeView;
  readonly probes: PodProbes;
  readonly directories: PodDirectories;
  readonly sandboxes: SandboxStarter;
  readonly containers: ContainerStarter;
  readonly stopper: PodStopper;
  readonly restarts: FailureBackoff;
  readonly actuated: PodRecord;
  /** Variables by which containers of a namespace find services. */
  readonly services: (pod: Pod) => ReadonlyMap<string, string>;
  readonly readNodeHosts: () => Promise<string>;
  readonly nodeResources: () => NodeResources;
  readonly canRecursiveReadOnly: (runtimeHandler: string) => boolean;
  readonly totals: PodTotals;
}

interface PerformedRound {
  /** Nothing was missing: the runtime has what it had. */
  readonly isIdle: boolean;
  /** When to look again, where that is known. */
  readonly againInMs: number | undefined;
}

/** After a failure that only time or somebody else can mend. */
export const RETRY_MS = 10_000;

export class PodActions {
  readonly #deps: PodActionsDeps;

  constructor(deps: PodActionsDeps) {
    this.#deps = deps;
  }

  /** Does what is missing. */
  async perform(
    entry: PodEntry,
    runtime: RuntimePod,
    volumes: ReadonlyMap<string, ReadyVolume>,
    signal: AbortSignal,
  ): Promise<PerformedRound> {
    const { stopper, actuated } = this.#deps;
    const actions = syncActions(this.#facts(entry, runtime));
    const { pod } = entry;
    const due = actuations(pod, actuated.get(entry.uid), runtime);
    const isIdle = !actions.killPod && actions.kill.length + due.length + actions.start.length === 0;
    if (actions.killPod) await this.#killPod(entry, runtime, actions, signal);
    for (const { run, message, probe } of actions.kill) {
      const graceSeconds = graceAfterProbe(pod, run.name, probe) ?? graceSecondsOf(entry);
      await stopper.stopContainer(run, { pod: asTold(entry), graceSeconds, message, signal });
    }
    // A runtime that does not take other resources starts containers all the same.
    const problem = await this.#actuate(entry, due, signal).catch((error: unknown) => ({ error }));
    const againInMs = await this.#startAll(entry, runtime, actions, volumes, signal);
    if (problem !== undefined) throw problem.error;
    return { isIdle, againInMs };
  }

  /** Returns when to look again, where that is known. */
  async #startAll(
    entry: PodEntry,
    runtime: RuntimePod,
    actions: SyncActions,
    volumes: ReadonlyMap<string, ReadyVolume>,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    if (actions.start.length === 0) return undefined;
    const settings = await this.#settings(entry);
    if (settings === undefined) return RETRY_MS;
    const sandboxId = await this.#sandbox(entry, actions, settings, signal);
    if (sandboxId === undefined) return RETRY_MS;
    const current =
      actions.sandboxAttempt === undefined ? runtime : ((await this.#deps.view.refresh(entry.uid, signal)) ?? runtime);
    const facts = await this.#startFacts(entry, current, sandboxId, settings, volumes);
    let againInMs: number | undefined;
    for (const action of actions.start) {
      const waitMs = await this.#start(entry, current, facts, action, signal);
      if (waitMs !== undefined) againInMs = Math.min(waitMs, againInMs ?? waitMs);
    }
    return againInMs;
  }

  /** Tells the runtime of resources that have changed while containers run. */
  async #actuate(entry: PodEntry, due: readonly Actuation[], signal: AbortSignal): Promise<void> {
    const { context, actuated } = this.#deps;
    const { pod, uid } = entry;
    if (due.length === 0) {
      delete entry.resizing;
      return;
    }
    entry.resizing = {};
    try {
      await this.#actuateAll(entry, due, signal);
    } catch (error) {
      entry.resizing = { reason: "Error", message: messageOf(error) };
      throw error;
    }
    delete entry.resizing;
    actuated.set(uid, amountsOf(pod));
    context.recorder.normal(pod, "ResizeCompleted", resizeMessage(pod));
  }

  async #actuateAll(entry: PodEntry, due: readonly Actuation[], signal: AbortSignal): Promise<void> {
    const { context, stopper, nodeResources } = this.#deps;
    const { pod } = entry;
    const problem = memoryProblem(due, await this.#usedBytes(due));
    if (problem !== undefined) throw new Error(problem);
    // A group cannot allow less than a group below it: what grows is told to the pod's first, what shrinks last.
    const isTold = await context.cgroups.ensure(pod).then(
      () => true,
      () => false,
    );
    for (const { container, run, restarts } of due) {
      if (restarts) {
        const message = `Container ${container.name} resize requires restart`;
        await stopper.stopContainer(run, { pod: asTold(entry), graceSeconds: graceSecondsOf(entry), message, signal });
      } else {
        const linux = linuxResources(pod, container, nodeResources());
        await context.cri.updateContainerResources({ containerId: run.id, linux });
      }
    }
    if (!isTold) await context.cgroups.ensure(pod);
  }

  /** Of containers that shall have less memory; a runtime that does not say is taken to know what it does. */
  async #usedBytes(due: readonly Actuation[]): Promise<Map<string, number>> {
    const { cri } = this.#deps.context;
    const used = new Map<string, number>();
    for (const { run, lessBytes } of due) {
      if (lessBytes === undefined) continue;
      const { stats } = await cri.containerStats({ containerId: run.id });
      const bytes = stats?.memory?.usageBytes?.value || stats?.memory?.workingSetBytes?.value;
      if (bytes) used.set(run.id, bytes);
    }
    return used;
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
    await stopper.stopPod(runtime, { pod: asTold(entry), graceSeconds: graceSecondsOf(entry), signal });
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

  async #sandbox(
    entry: PodEntry,
    actions: SyncActions,
    settings: SandboxSettings,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { sandboxes, totals } = this.#deps;
    const { sandboxAttempt } = actions;
    if (sandboxAttempt === undefined) return actions.sandbox?.id;
    try {
      await this.#deps.context.cgroups.ensure(entry.pod);
      const config = sandboxes.configOf(entry.pod, settings, sandboxAttempt);
      const start = () => sandboxes.start(config, settings, signal);
      return await totals.sandbox(entry.pod, settings.runtimeHandler, start);
    } catch (error) {
      signal.throwIfAborted();
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
    const addresses = addressesOf(runtime, context.node.hostIps());
    const sandbox = runtime.sandboxes.find(({ id }) => id === sandboxId);
    const host = { ips: addresses.podIPs, ...podHostname(pod, context.config.clusterDomain ?? "") };
    const hosts = hostsFile(context.names, pod, host, pod.spec.hostNetwork ? await readNodeHosts() : "");
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
      // Of the others the runtime knows what it was told.
      const own = amountsOf(entry.pod)[name];
      if (own !== undefined) actuated.set(entry.uid, { ...actuated.get(entry.uid), [name]: own });
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
    // One that was killed in this round counts by the run before it.
    const run = runtime.containers.find(({ name, state }) => name === container.name && state === "exited");
    if (run === undefined || sort === "ephemeral") return 0;
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
    const report = { type: "Warning", reason: "BackOff", message: told } as const;
    reportOnContainer(context.recorder, entry.pod, container.name, report);
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
}

function graceAfterProbe({ spec }: Pod, name: string, probe: KillAction["probe"]): number | undefined {
  if (probe === undefined) return undefined;
  const container = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].find((each) => each.name === name);
  const seconds = container?.[`${probe}Probe`]?.terminationGracePeriodSeconds;
  return seconds === undefined ? undefined : Number(seconds);
}
