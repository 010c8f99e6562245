// The pods that the agent looks after, and the decisions that are about all of them together: which new one the node takes,
// and which gets more resources than it had.

import { release } from "node:os";
import { equalJson } from "../../base/json.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { AgentContext } from "../context.ts";
import { isCriticalPod } from "../eviction/critical-pod.ts";
import { hasAppArmor } from "../kernel/app-armor.ts";
import { AdmissionError } from "../topology/admission-error.ts";
import type { WaitingReason } from "./container-statuses.ts";
import { type AdmissionFacts, admissionProblem, missingResources, requestedAmounts } from "./node-admission.ts";
import { hasLastPhase, newEntry, type PodEntry } from "./pod-entry.ts";
import { amountsOf, type PodRecord } from "./pod-records.ts";
import { rejectedStatus } from "./pod-status.ts";
import { podsToPreempt } from "./preemption.ts";
import { resizeProblem, withAmounts } from "./resize-rules.ts";

export class PodTable {
  readonly #context: AgentContext;
  readonly #allocated: PodRecord;
  readonly #entries = new Map<string, PodEntry>();
  readonly #onRejection: (reason: string) => void;
  readonly #hasAppArmor = hasAppArmor();

  /** While the machine is about to shut down no pod is taken. */
  isShuttingDown = false;

  /** `onRejection` hears why the node does not take a pod. */
  constructor(context: AgentContext, allocated: PodRecord, onRejection: (reason: string) => void = () => undefined) {
    this.#context = context;
    this.#allocated = allocated;
    this.#onRejection = onRejection;
  }

  get(uid: string): PodEntry | undefined {
    return this.#entries.get(uid);
  }

  all(): Iterable<PodEntry> {
    return this.#entries.values();
  }

  /** Those that the node has taken and that have not ended. */
  active(): PodEntry[] {
    return [...this.#entries.values()].filter(
      ({ isRejected, hasEnded, status }) => !isRejected && !hasEnded && !hasLastPhase(status),
    );
  }

  /** The newest of the name: what is left of one that was deleted may still be here when the next one comes. */
  named(namespace: string, name: string): PodEntry | undefined {
    return [...this.#entries.values()].findLast(
      ({ pod: { metadata } }) => metadata.name === name && metadata.namespace === namespace,
    );
  }

  /**
   * Takes a pod up, or notes why the node does not. What runs already was taken by an earlier agent, and keeps what it had from
   * it: whether it gets more is decided with the next change.
   */
  add(pod: Pod, { isStatic, runsAlready }: { readonly isStatic: boolean; readonly runsAlready: boolean }): PodEntry {
    const entry = newEntry(pod, isStatic);
    const isNew = !hasLastPhase(entry.status) && pod.metadata.deletionTimestamp === undefined;
    if (isNew && !runsAlready) this.#admit(entry);
    else if (isNew) this.#place(entry);
    this.#entries.set(entry.uid, entry);
    if (entry.isRejected) return entry;
    const had = this.#allocated.get(entry.uid);
    entry.pod = had === undefined ? this.#allocate(entry, pod) : withAmounts(pod, had);
    return entry;
  }

  /** Says whether there is something to do about it: the status alone is the agent's own word. */
  change(entry: PodEntry, pod: Pod): boolean {
    const before = entry.pod;
    entry.pod = entry.isRejected ? pod : this.#allocate(entry, pod);
    const [old, now] = [before.metadata, pod.metadata];
    return !(
      entry.resizePending === undefined &&
      equalJson(before.spec, entry.pod.spec) &&
      equalJson(old.labels, now.labels) &&
      equalJson(old.annotations, now.annotations) &&
      old.deletionTimestamp === now.deletionTimestamp &&
      old.deletionGracePeriodSeconds === now.deletionGracePeriodSeconds &&
      equalJson(gatesOf(before), gatesOf(pod))
    );
  }

  /** Asks again for resources that there was no room for; `wanted` is the pod as it asks. */
  retryResize(entry: PodEntry, wanted: Pod): void {
    if (entry.resizePending?.reason === "Deferred") entry.pod = this.#allocate(entry, wanted);
  }

  /** Those that ask for more than there was room for, the most important first. */
  waitingForRoom(): PodEntry[] {
    return this.active()
      .filter(({ resizePending }) => resizePending?.reason === "Deferred")
      .sort((a, b) => (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0));
  }

  delete(uid: string): void {
    this.#entries.delete(uid);
  }

  /** The pods that have to go before the node can take this one, where it cannot do without it. */
  inTheWayOf(pod: Pod, isStatic: boolean): PodEntry[] {
    const isEnding = hasLastPhase(pod.status ?? {}) || pod.metadata.deletionTimestamp !== undefined;
    if (isEnding || !isCriticalPod(pod, isStatic)) return [];
    const active = this.#counted().filter(({ failure }) => failure === undefined);
    const facts = this.#facts(isStatic);
    const missing = missingResources(pod, facts);
    const victims = missing.size === 0 ? [] : podsToPreempt({ pod, isStatic }, active, missing, requestedAmounts);
    if (victims === undefined || victims.length === 0) return [];
    // Pods end for it only where it is taken afterwards.
    const others = active.filter((entry) => !victims.includes(entry)).map((entry) => entry.pod);
    return admissionProblem(pod, { ...facts, others }) === undefined ? victims : [];
  }

  /** Those whose place is taken: the API has given away that of one that was deleted by force, whatever runs of it yet. */
  #counted(): PodEntry[] {
    return this.active().filter(({ isRemoved }) => !isRemoved);
  }

  #facts(isStatic: boolean): AdmissionFacts {
    const { node, nodeName, config, pressure, names } = this.#context;
    return {
      node: node.current(),
      nodeName,
      allocatable: this.#allocatable(),
      others: this.#counted().map(({ pod }) => pod),
      kernelRelease: release(),
      hasAppArmor: this.#hasAppArmor,
      allowedSysctls: config.allowedUnsafeSysctls,
      isStatic,
      isShuttingDown: this.isShuttingDown,
      pressures: pressure.reported(),
      memoryPressureTaint: names.memoryPressureTaint,
      osLabel: names.osLabel,
    };
  }

  #admit(entry: PodEntry): void {
    const { recorder, clock } = this.#context;
    const problem = admissionProblem(entry.pod, this.#facts(entry.isStatic));
    const refused = problem ?? this.#place(entry);
    if (refused === undefined) return;
    entry.isRejected = true;
    entry.status = rejectedStatus(entry.pod, refused, clock.nowMs());
    recorder.warning(entry.pod, refused.reason, refused.message);
    this.#onRejection(refused.reason);
  }

  /** Says why the pod cannot have what it takes for itself. One that runs already runs on without it. */
  #place(entry: PodEntry): WaitingReason | undefined {
    const { topology } = this.#context;
    const isWanted = (uid: string) => this.#entries.get(uid)?.isRemoved !== true;
    // What pods have that were deleted by force, and still end, goes to those that cannot be taken without it.
    const refused = this.#tryToPlace(entry);
    return refused !== undefined && topology.takeBack(isWanted) ? this.#tryToPlace(entry) : refused;
  }

  #tryToPlace({ pod }: PodEntry): WaitingReason | undefined {
    try {
      this.#context.topology.admit(pod);
      return undefined;
    } catch (error) {
      if (error instanceof AdmissionError) return error;
      throw error;
    }
  }

  /** The pod with what the node gives it: what it asks for, or what it had. */
  #allocate(entry: PodEntry, pod: Pod): Pod {
    const had = this.#allocated.get(entry.uid);
    const wanted = amountsOf(pod);
    delete entry.resizePending;
    if (had !== undefined && !equalJson(had, wanted)) {
      const current = withAmounts(pod, had);
      const others = this.#counted().filter(({ uid }) => uid !== entry.uid);
      const problem = resizeProblem(pod, current, {
        allocatable: this.#allocatable(),
        most: this.#context.node.mostAllocatable(),
        others: others.map((other) => other.pod),
        isStatic: entry.isStatic,
        pinned: this.#pinned(),
      });
      if (problem !== undefined) {
        entry.resizePending = problem;
        return current;
      }
    }
    this.#allocated.set(entry.uid, wanted);
    return pod;
  }

  /** What is given to containers for themselves stays as it is while they run, unless a gate says otherwise. */
  #pinned(): ReadonlyMap<"cpu" | "memory", string> {
    const { config, gates } = this.#context;
    const pinned = new Map<"cpu" | "memory", string>();
    if (config.cpuManagerPolicy === "static" && !gates.enabled("InPlacePodVerticalScalingExclusiveCPUs"))
      pinned.set("cpu", config.cpuManagerPolicy);
    if (config.memoryManagerPolicy === "Static" && !gates.enabled("InPlacePodVerticalScalingExclusiveMemory"))
      pinned.set("memory", config.memoryManagerPolicy);
    return pinned;
  }

  /** Without devices of plug-ins: of those only who gives them out knows how many there are. */
  #allocatable(): Record<string, string> {
    const { node, config, devices } = this.#context;
    const measured = Object.entries(node.allocatable()).filter(([name]) => !devices.has(name));
    return { ...Object.fromEntries(measured), pods: String(config.maxPods) };
  }
}

/** The conditions that gates of readiness name. */
function gatesOf({ spec, status }: Pod): readonly unknown[] {
  const gates = new Set((spec.readinessGates ?? []).map(({ conditionType }) => conditionType));
  return (status.conditions ?? []).filter(({ type }) => gates.has(type)).map((gate) => [gate.type, gate.status]);
}
