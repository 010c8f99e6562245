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
import { milliOf } from "../containers/linux-resources.ts";
import { readStateFile, writeStateFile } from "../state-file.ts";
import { type CpuState, cpuStateText, parseCpuState } from "./cpu-state.ts";
import type { CpuTopology } from "./cpu-topology.ts";
import { takeCpus } from "./take-cpus.ts";

interface CpuManagerOptions {
  readonly file: string;
  readonly config: Pick<
    NodeAgentConfiguration,
    "cpuManagerPolicy" | "cpuManagerPolicyOptions" | "reservedSystemCPUs" | "systemReserved" | "kubeReserved"
  >;
  readonly topology: () => Promise<CpuTopology>;
  readonly clock: Clock;
  readonly log: Log;
}

/** There are not enough free processors for a pod. */
export class CpuError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export class CpuManager {
  readonly #options: CpuManagerOptions;
  readonly #isStatic: boolean;
  readonly #wholeCores: boolean;
  readonly #exclusive = new Map<string, Map<string, CpuSet>>();
  readonly #writing: BackgroundLoop;
  #topology: CpuTopology = [];
  #reserved: CpuSet = [];
  #shared: CpuSet = [];

  constructor(options: CpuManagerOptions) {
    this.#options = options;
    const { config, clock, file, log } = options;
    this.#isStatic = config.cpuManagerPolicy === "static";
    this.#wholeCores = config.cpuManagerPolicyOptions["full-pcpus-only"] === "true";
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
    const { config, file, topology } = this.#options;
    const known = await this.#read();
    if (this.#isStatic) {
      this.#topology = await topology();
      this.#reserved = this.#reservedCpus();
      const isStrict = config.cpuManagerPolicyOptions["strict-cpu-reservation"] === "true";
      const all = this.#all();
      const usable = isStrict ? without(all, this.#reserved) : all;
      this.#shared = known === undefined || known.shared.length === 0 ? usable : known.shared;
      for (const [uid, sets] of known?.exclusive ?? []) this.#exclusive.set(uid, new Map(sets));
      this.#check(usable, isStrict);
    }
    await writeStateFile(file, cpuStateText(this.#state()));
  }

  async stop(): Promise<void> {
    await this.#writing.idle();
    this.#writing.close();
  }

  /** Sets processors aside for a pod that the node takes. Fails with CpuError; then nothing is set aside. */
  admit(pod: Pod): void {
    if (!this.#isStatic || qosClassOf(pod.spec) !== "Guaranteed") return;
    const uid = pod.metadata.uid ?? "";
    const before = new Map(this.#exclusive.get(uid));
    const shared = this.#shared;
    try {
      this.#allocate(pod, uid);
    } catch (error) {
      this.#shared = shared;
      if (before.size === 0) this.#exclusive.delete(uid);
      else this.#exclusive.set(uid, before);
      throw error;
    }
    this.#writing.enqueue();
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

  /** What containers may have for themselves. */
  allocatable(): CpuSet {
    return without(this.#all(), this.#reserved);
  }

  #allocate(pod: Pod, uid: string): void {
    const sets = new Map(this.#exclusive.get(uid));
    this.#exclusive.set(uid, sets);
    // What containers of the start had is free again when the others begin.
    let reusable: CpuSet = [];
    const initial = pod.spec.initContainers ?? [];
    for (const container of [...initial, ...(pod.spec.containers ?? [])]) {
      const known = sets.get(container.name);
      const cpus = known ?? this.#take(container, reusable);
      if (cpus.length === 0) continue;
      sets.set(container.name, cpus);
      this.#shared = without(this.#shared, cpus);
      const ends = initial.includes(container) && container.restartPolicy !== "Always";
      reusable = ends ? union(reusable, cpus) : without(reusable, cpus);
    }
    if (sets.size === 0) this.#exclusive.delete(uid);
  }

  #take({ resources }: Container, reusable: CpuSet): CpuSet {
    const milli = milliOf(resources.requests?.["cpu"]);
    if (milli === 0 || milli % 1000 !== 0) return [];
    const count = milli / 1000;
    this.#checkWholeCores(count);
    const free = union(without(this.#shared, this.#reserved), reusable);
    const taken = takeCpus(this.#topology, free, count, reusable);
    if (taken === undefined)
      throw new CpuError(
        "UnexpectedAdmissionError",
        `Allocate failed due to not enough cpus available to satisfy request: requested=${count}, available=${free.length}, which is unexpected`,
      );
    return taken;
  }

  #checkWholeCores(count: number): void {
    const cores = new Set(this.#topology.map(({ core }) => core)).size;
    const perCore = cores === 0 ? 1 : this.#topology.length / cores;
    if (this.#wholeCores && count % perCore !== 0)
      throw new CpuError(
        "SMTAlignmentError",
        `SMT Alignment Error: requested ${count} cpus not multiple cpus per core = ${perCore}`,
      );
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
