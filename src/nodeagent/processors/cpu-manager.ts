// Which processors containers run on. With the policy "static", containers of Guaranteed pods that ask for whole processors
// have them for themselves, and all others share the rest. With "none" the kernel decides.

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { StartError } from "../../base/start-error.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { type CpuSet, cpuSet, formatCpuSet, parseCpuSet, union, without } from "../config/cpu-set.ts";
import { isOn } from "../config/policy-options.ts";
import { milliOf } from "../containers/linux-resources.ts";
import { readStateFile, writeStateFile } from "../state-file.ts";
import { AdmissionError } from "../topology/admission-error.ts";
import type { NumaHints } from "../topology/merge-hints.ts";
import type { NumaMask } from "../topology/numa-mask.ts";
import { counted, type OnPinning } from "../topology/pinning.ts";
import type { AlignedResource } from "../topology/pod-topology.ts";
import { cpuHints, socketsNear } from "./cpu-hints.ts";
import { type CpuState, cpuStateText, parseCpuState } from "./cpu-state.ts";
import type { Cpu, CpuTopology } from "./cpu-topology.ts";
import { takeOverNodes } from "./share-over-nodes.ts";
import { takeCpus } from "./take-cpus.ts";

interface CpuManagerOptions {
  readonly file: string;
  readonly config: Pick<
    NodeAgentConfiguration,
    "cpuManagerPolicy" | "cpuManagerPolicyOptions" | "reservedSystemCPUs" | "systemReserved" | "kubeReserved"
  >;
  readonly topology: () => Promise<CpuTopology>;
  /** Whether a container got the processors that it asked for. */
  readonly onPinning?: OnPinning;
  readonly clock: Clock;
  readonly log: Log;
}

export class CpuManager implements AlignedResource {
  readonly #options: CpuManagerOptions;
  readonly #isStatic: boolean;
  readonly #exclusive = new Map<string, Map<string, CpuSet>>();
  readonly #writing: BackgroundLoop;
  #topology: CpuTopology = [];
  #reserved: CpuSet = [];
  #shared: CpuSet = [];

  constructor(options: CpuManagerOptions) {
    this.#options = options;
    const { config, clock, file, log } = options;
    this.#isStatic = config.cpuManagerPolicy === "static";
    this.#writing = new BackgroundLoop({
      clock,
      reconcile: async () => {
        await writeStateFile(file, cpuStateText(this.#state()));
        return "done";
      },
      onError: (error) => log.warn({ err: error, file }, "the record of processors cannot be written; trying again"),
    });
  }

  /** Takes over what an earlier agent has written. Fails with StartError where that does not fit. */
  async start(): Promise<void> {
    const { topology } = this.#options;
    const known = await this.#read();
    if (this.#isStatic) {
      this.#topology = await topology();
      this.#reserved = this.#reservedCpus();
      this.#checkSockets();
      const isStrict = this.#isOn("strict-cpu-reservation");
      const all = this.#all();
      const usable = isStrict ? without(all, this.#reserved) : all;
      this.#shared = known === undefined || known.shared.length === 0 ? usable : known.shared;
      for (const [uid, sets] of known?.exclusive ?? []) this.#exclusive.set(uid, new Map(sets));
      this.#check(usable, isStrict);
    }
    // On a disk that is full, the node is needed all the more: the file is written when there is room.
    await this.#writing.settle();
  }

  async stop(): Promise<void> {
    await this.#writing.idle();
    this.#writing.close();
  }

  hints(pod: Pod, container: Container | undefined): NumaHints {
    if (!this.#isStatic || qosClassOf(pod.spec) !== "Guaranteed") return new Map();
    const count = container === undefined ? podCount(pod) : countOf(container);
    if (count === 0) return new Map();
    const sets = this.#exclusive.get(pod.metadata.uid ?? "");
    const known = container === undefined ? union(...(sets?.values() ?? [])) : (sets?.get(container.name) ?? []);
    // What is given already is where it is; given in another number it is nowhere.
    if (known.length > 0 && known.length !== count) return new Map([["cpu", []]]);
    const reusable = known.length > 0 || container === undefined ? [] : this.#reusable(pod, container);
    const free = known.length > 0 ? known : union(without(this.#shared, this.#reserved), reusable);
    const alignsBySocket = this.#isOn("align-by-socket");
    return new Map([["cpu", cpuHints(this.#topology, { free, reusable, count, alignsBySocket })]]);
  }

  allocate(pod: Pod, container: Container, mask: NumaMask | undefined): void {
    if (!this.#isStatic || qosClassOf(pod.spec) !== "Guaranteed") return;
    const uid = pod.metadata.uid ?? "";
    const sets = this.#exclusive.get(uid) ?? new Map<string, CpuSet>();
    const count = countOf(container);
    if (count === 0 || sets.has(container.name)) return;
    const cpus = counted(this.#options.onPinning, () => this.#take(count, this.#reusable(pod, container), mask));
    this.#exclusive.set(uid, sets.set(container.name, cpus));
    this.#shared = without(this.#shared, cpus);
    this.#writing.enqueue();
  }

  undoFor(podUid: string): () => void {
    const sets = this.#exclusive.get(podUid);
    const before = sets === undefined ? undefined : new Map(sets);
    const shared = this.#shared;
    return () => {
      this.#shared = shared;
      if (before === undefined) this.#exclusive.delete(podUid);
      else this.#exclusive.set(podUid, before);
      this.#writing.enqueue();
    };
  }

  holders(): readonly string[] {
    return [...this.#exclusive.keys()];
  }

  /** The pod has ended: others may have its processors. */
  release(uid: string): void {
    const sets = this.#exclusive.get(uid);
    if (sets === undefined) return;
    this.#exclusive.delete(uid);
    this.#shared = union(this.#shared, ...sets.values());
    this.#writing.enqueue();
  }

  /** What the runtime is told; empty where the kernel decides. */
  cpusOf(uid: string, container: string): string {
    return formatCpuSet(this.#exclusive.get(uid)?.get(container) ?? this.#shared);
  }

  /** What the container has for itself. */
  exclusiveOf(uid: string, container: string): CpuSet {
    return this.#exclusive.get(uid)?.get(container) ?? [];
  }

  /** How many containers have for themselves, and how many are left for all others. */
  counts(): { readonly exclusive: number; readonly shared: number } {
    const sets = [...this.#exclusive.values()].flatMap((each) => [...each.values()]);
    return { exclusive: union(...sets).length, shared: without(this.#shared, this.#reserved).length };
  }

  /** What containers may have for themselves. */
  allocatable(): CpuSet {
    return without(this.#all(), this.#reserved);
  }

  /** What containers of the start had, and no later one has, is free again when the next begins. Sidecars keep theirs. */
  #reusable({ metadata, spec }: Pod, before: Container): CpuSet {
    const sets = this.#exclusive.get(metadata.uid ?? "");
    let reusable: CpuSet = [];
    for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
      if (container.name === before.name) break;
      const cpus = sets?.get(container.name) ?? [];
      const ends = (spec.initContainers ?? []).includes(container) && container.restartPolicy !== "Always";
      reusable = ends ? union(reusable, cpus) : without(reusable, cpus);
    }
    return reusable;
  }

  /** Those near the nodes of memory first, then others. */
  #take(count: number, reusable: CpuSet, mask: NumaMask | undefined): CpuSet {
    if (this.#isOn("full-pcpus-only")) this.#checkWholeCores(count, reusable);
    const free = union(without(this.#shared, this.#reserved), reusable);
    const near = mask === undefined ? free : this.#near(mask, free);
    const first = this.#choose(near, Math.min(count, near.length), reusable) ?? [];
    const others = this.#choose(without(free, first), count - first.length, reusable);
    if (others === undefined)
      throw new Error(`not enough cpus available to satisfy request: requested=${count}, available=${free.length}`);
    return union(first, others);
  }

  #near(mask: NumaMask, free: CpuSet): CpuSet {
    const sockets = this.#isOn("align-by-socket") ? socketsNear(this.#topology, mask) : new Set<number>();
    const isNear = ({ numaNode, socket }: Cpu) => (mask & (1 << numaNode)) !== 0 || sockets.has(socket);
    const near = new Set(this.#topology.filter(isNear).map(({ id }) => id));
    return free.filter((cpu) => near.has(cpu));
  }

  #choose(free: CpuSet, count: number, preferred: CpuSet): CpuSet | undefined {
    const spreadsOverCores = this.#isOn("distribute-cpus-across-cores");
    const rules = { spreadsOverCores, keepsToCaches: this.#isOn("prefer-align-cpus-by-uncorecache") };
    if (!this.#isOn("distribute-cpus-across-numa"))
      return takeCpus(this.#topology, free, count, { ...rules, preferred });
    const groupSize = this.#isOn("full-pcpus-only") ? this.#threadsPerCore() : 1;
    return takeOverNodes(this.#topology, free, { count, groupSize, rules });
  }

  #isOn(option: string): boolean {
    return isOn(this.#options.config.cpuManagerPolicyOptions, option);
  }

  #threadsPerCore(): number {
    const cores = new Set(this.#topology.map(({ core }) => core)).size;
    return cores === 0 ? 1 : this.#topology.length / cores;
  }

  /** Whole cores can be given only as long as there are some that the system has no part in. */
  #checkWholeCores(count: number, reusable: CpuSet): void {
    const perCore = this.#threadsPerCore();
    if (count % perCore !== 0)
      throw new AdmissionError(
        "SMTAlignmentError",
        `SMT Alignment Error: requested ${count} cpus not multiple cpus per core = ${perCore}`,
      );
    const reserved = new Set(this.#topology.filter(({ id }) => this.#reserved.includes(id)).map(({ core }) => core));
    const ofSystem = this.#topology.filter(({ core }) => reserved.has(core)).map(({ id }) => id);
    const available = without(union(this.#shared, reusable), ofSystem).length;
    if (count > available)
      throw new AdmissionError(
        "SMTAlignmentError",
        `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${available}, requested CPUs = ${count}, CPUs per core = ${perCore}`,
      );
  }

  #checkSockets(): void {
    const nodes = new Set(this.#topology.map(({ numaNode }) => numaNode)).size;
    if (this.#isOn("align-by-socket") && socketsNear(this.#topology, undefined).size > nodes)
      throw new StartError("cpuManagerPolicyOptions[align-by-socket]: this machine has more sockets than NUMA nodes");
  }

  #all(): CpuSet {
    return cpuSet(this.#topology.map(({ id }) => id));
  }

  /** Those that are named, or as many as are reserved. */
  #reservedCpus(): CpuSet {
    const { reservedSystemCPUs, systemReserved, kubeReserved } = this.#options.config;
    if (reservedSystemCPUs) return parseCpuSet(reservedSystemCPUs) ?? [];
    const milli = milliOf(systemReserved["cpu"]) + milliOf(kubeReserved["cpu"]);
    if (milli === 0)
      throw new StartError(
        "cpuManagerPolicy: static needs processors for the system: set reservedSystemCPUs, systemReserved or kubeReserved",
      );
    const reserved = takeCpus(this.#topology, this.#all(), Math.ceil(milli / 1000));
    if (reserved === undefined) throw new StartError("cpuManagerPolicy: more processors are reserved than there are");
    return reserved;
  }

  #state(): CpuState {
    const { cpuManagerPolicy: policyName } = this.#options.config;
    return { policyName, shared: this.#shared, exclusive: this.#exclusive };
  }

  async #read(): Promise<CpuState | undefined> {
    const { file, config } = this.#options;
    const text = await readStateFile(file);
    if (text === undefined) return undefined;
    const state = parseCpuState(text);
    const advice = `please drain this node and delete the CPU manager checkpoint file "${file}" before restarting`;
    if (state === undefined)
      throw new StartError(`could not restore state from checkpoint: it is corrupted, ${advice}`);
    if (state.policyName !== config.cpuManagerPolicy)
      throw new StartError(
        `configured policy "${config.cpuManagerPolicy}" differs from state checkpoint policy "${state.policyName}", ${advice}`,
      );
    return state;
  }

  /** The machine may have other processors than when the file was written. */
  #check(usable: CpuSet, isStrict: boolean): void {
    const { file } = this.#options;
    const known = union(this.#shared, ...[...this.#exclusive.values()].flatMap((sets) => [...sets.values()]));
    const hasReserved = isStrict || this.#reserved.every((cpu) => this.#shared.includes(cpu));
    if (formatCpuSet(known) === formatCpuSet(usable) && hasReserved) return;
    throw new StartError(
      `current set of available CPUs "${formatCpuSet(usable)}" doesn't match with CPUs in state "${formatCpuSet(known)}"; drain this node and delete "${file}"`,
    );
  }
}

/** Whole processors that the container asks for; 0 where it shares. */
function countOf({ resources }: Pick<Container, "resources">): number {
  const milli = milliOf(resources.requests?.["cpu"]);
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

/** The most that the pod has for itself at one time. */
function podCount({ spec }: Pod): number {
  let [sidecars, most] = [0, 0];
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") sidecars += countOf(container);
    else most = Math.max(most, sidecars + countOf(container));
  }
  return Math.max(
    most,
    (spec.containers ?? []).reduce((sum, each) => sum + countOf(each), sidecars),
  );
}
