// From which NUMA nodes containers get their memory. With the policy "Static", containers of Guaranteed pods have theirs set
// aside, from as few nodes as can be; with "None" the kernel decides.

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { StartError } from "../../base/start-error.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { formatCpuSet } from "../config/cpu-set.ts";
import { readStateFile, writeStateFile } from "../state-file.ts";
import type { NumaHints } from "../topology/merge-hints.ts";
import { canLookAt, maskOf, type NumaMask, nodesOf } from "../topology/numa-mask.ts";
import type { NumaNode } from "../topology/numa-nodes.ts";
import { counted, type OnPinning } from "../topology/pinning.ts";
import type { AlignedResource } from "../topology/pod-topology.ts";
import {
  chooseNodes,
  emptyMap,
  isSameMap,
  type MemoryBlock,
  type MemoryMap,
  type MemoryNeeds,
  memoryHints,
  withAssignments,
} from "./memory-map.ts";
import { memoryNeeds, podMemoryNeeds } from "./memory-needs.ts";
import { type MemoryState, memoryStateText, parseMemoryState } from "./memory-state.ts";
import { checkReservedMemory, type MemoryReservations, reservedBytes } from "./reserved-memory.ts";

interface MemoryManagerOptions {
  readonly file: string;
  readonly config: Pick<NodeAgentConfiguration, "memoryManagerPolicy"> & MemoryReservations;
  readonly numaNodes: () => Promise<readonly NumaNode[]>;
  /** Whether a container got the memory that it asked for. */
  readonly onPinning?: OnPinning;
  readonly clock: Clock;
  readonly log: Log;
}

export class MemoryManager implements AlignedResource {
  readonly #options: MemoryManagerOptions;
  readonly #isStatic: boolean;
  readonly #assignments = new Map<string, Map<string, readonly MemoryBlock[]>>();
  readonly #writing: BackgroundLoop;
  #empty: MemoryMap = new Map();

  constructor(options: MemoryManagerOptions) {
    this.#options = options;
    const { config, clock, file, log } = options;
    this.#isStatic = config.memoryManagerPolicy === "Static";
    this.#writing = new BackgroundLoop({
      clock,
      reconcile: async () => {
        await writeStateFile(file, memoryStateText(this.#state()));
        return "done";
      },
      onError: (error) => log.warn({ err: error, file }, "the record of memory cannot be written; trying again"),
    });
  }

  /** Takes over what an earlier agent has written. Fails with StartError where that does not fit. */
  async start(): Promise<void> {
    const { config, numaNodes } = this.#options;
    const known = await this.#read();
    if (this.#isStatic) {
      const nodes = await numaNodes();
      if (!canLookAt(nodes.map(({ id }) => id)))
        throw new StartError("memoryManagerPolicy: Static cannot be used on a machine with so many NUMA nodes");
      const memoryBytes = nodes.reduce((sum, node) => sum + node.memoryBytes, 0);
      checkReservedMemory(config, { memoryBytes, nodes: nodes.map(({ id }) => id) });
      this.#empty = emptyMap(nodes, reservedBytes(config));
      for (const [uid, sets] of known?.assignments ?? []) this.#assignments.set(uid, new Map(sets));
      const expected = withAssignments(this.#empty, this.#assignments);
      if (known !== undefined && (expected === undefined || !isSameMap(known.machine, expected)))
        throw new StartError(
          `[memorymanager] the expected machine state is different from the real one, ${this.#advice}`,
        );
    }
    // On a disk that is full, the node is needed all the more: the file is written when there is room.
    await this.#writing.settle();
  }

  async stop(): Promise<void> {
    await this.#writing.idle();
    this.#writing.close();
  }

  hints(pod: Pod, container: Container | undefined): NumaHints {
    if (!this.#gives(pod)) return new Map();
    const needs = container === undefined ? podMemoryNeeds(pod) : memoryNeeds(container);
    const sets = this.#assignments.get(pod.metadata.uid ?? "");
    const known = container === undefined ? [...(sets?.values() ?? [])][0] : sets?.get(container.name);
    if (known !== undefined) return knownHints(known, needs);
    const hints = memoryHints(this.#map(), needs, (mask, resource) => this.#reusable(pod, container, mask, resource));
    return new Map([...needs.keys()].map((resource) => [resource, hints]));
  }

  allocate(pod: Pod, container: Container, wanted: NumaMask | undefined): void {
    if (!this.#gives(pod)) return;
    const uid = pod.metadata.uid ?? "";
    const sets = this.#assignments.get(uid) ?? new Map<string, readonly MemoryBlock[]>();
    const needs = memoryNeeds(container);
    if (sets.has(container.name) || needs.size === 0) return;
    const reusable = (mask: NumaMask, resource: string) => this.#reusable(pod, container, mask, resource);
    const mask = counted(this.#options.onPinning, () => chooseNodes(this.#map(), needs, wanted, reusable));
    const numaAffinity = nodesOf(mask);
    for (const [type, size] of needs) this.#takeBack(sets, endedBefore(pod, container), mask, type, size);
    sets.set(
      container.name,
      [...needs].map(([type, size]) => ({ numaAffinity, type, size })),
    );
    this.#assignments.set(uid, sets);
    this.#writing.enqueue();
  }

  undoFor(podUid: string): () => void {
    const before = this.#assignments.get(podUid);
    const copy = before === undefined ? undefined : new Map(before);
    return () => {
      if (copy === undefined) this.#assignments.delete(podUid);
      else this.#assignments.set(podUid, copy);
      this.#writing.enqueue();
    };
  }

  holders(): readonly string[] {
    return [...this.#assignments.keys()];
  }

  /** The pod has ended: others may have its memory. */
  release(uid: string): void {
    if (this.#assignments.delete(uid)) this.#writing.enqueue();
  }

  /** The nodes of a container's memory as the runtime is told them: "0-1"; empty where the kernel decides. */
  nodesOf(uid: string, container: string): string {
    return formatCpuSet(this.blocksOf(uid, container)[0]?.numaAffinity ?? []);
  }

  /** What the container has for itself. */
  blocksOf(uid: string, container: string): readonly MemoryBlock[] {
    return this.#assignments.get(uid)?.get(container) ?? [];
  }

  /** What containers may have for themselves, node by node. */
  allocatable(): MemoryBlock[] {
    return [...this.#empty].flatMap(([id, { memoryMap }]) =>
      [...memoryMap].map(([type, { allocatable: size }]) => ({ numaAffinity: [id], type, size })),
    );
  }

  /** Pods with resources of their own as a whole are left to the kernel, as upstream does. */
  #gives({ spec }: Pod): boolean {
    return this.#isStatic && qosClassOf(spec) === "Guaranteed" && spec.resources === undefined;
  }

  #map(): MemoryMap {
    return withAssignments(this.#empty, this.#assignments) ?? this.#empty;
  }

  /** What containers of the start have on just these nodes: they have ended when this one begins. */
  #reusable(pod: Pod, container: Container | undefined, mask: NumaMask, resource: string): number {
    if (container === undefined) return 0;
    const sets = this.#assignments.get(pod.metadata.uid ?? "");
    const blocks = endedBefore(pod, container).flatMap((name) => sets?.get(name) ?? []);
    return blocks
      .filter(({ type, numaAffinity }) => type === resource && maskOf(numaAffinity) === mask)
      .reduce((sum, { size }) => sum + size, 0);
  }

  /** What is used again is written down once, for the container that has it last. */
  #takeBack(
    sets: Map<string, readonly MemoryBlock[]>,
    names: readonly string[],
    mask: NumaMask,
    resource: string,
    bytes: number,
  ): void {
    let left = bytes;
    for (const name of names) {
      const blocks = sets.get(name) ?? [];
      sets.set(
        name,
        blocks.map((block) => {
          if (block.type !== resource || maskOf(block.numaAffinity) !== mask) return block;
          const taken = Math.min(block.size, left);
          left -= taken;
          return { ...block, size: block.size - taken };
        }),
      );
    }
  }

  #state(): MemoryState {
    const { memoryManagerPolicy: policyName } = this.#options.config;
    return { policyName, machine: this.#map(), assignments: this.#assignments };
  }

  get #advice(): string {
    return `please drain this node and delete the memory manager checkpoint file "${this.#options.file}" before restarting`;
  }

  async #read(): Promise<MemoryState | undefined> {
    const { file, config } = this.#options;
    const text = await readStateFile(file);
    if (text === undefined) return undefined;
    const state = parseMemoryState(text);
    if (state === undefined)
      throw new StartError(`could not restore state from checkpoint: it is corrupted, ${this.#advice}`);
    if (state.policyName !== config.memoryManagerPolicy)
      throw new StartError(
        `[memorymanager] configured policy "${config.memoryManagerPolicy}" differs from state checkpoint policy "${state.policyName}", ${this.#advice}`,
      );
    return state;
  }
}

/** What is given already is where it is; given in other amounts it is nowhere. */
function knownHints(blocks: readonly MemoryBlock[], needs: MemoryNeeds): NumaHints {
  const isSame = blocks.length === needs.size && blocks.every(({ type, size }) => needs.get(type) === size);
  if (!isSame) return new Map();
  return new Map(blocks.map(({ type, numaAffinity }) => [type, [{ mask: maskOf(numaAffinity), isPreferred: true }]]));
}

/** Containers of the start that have ended when this one begins; none where it is one of them that comes first. */
function endedBefore({ spec }: Pod, container: Container): string[] {
  const initial = spec.initContainers ?? [];
  const index = initial.findIndex(({ name }) => name === container.name);
  return (index === -1 ? initial : initial.slice(0, index))
    .filter(({ restartPolicy }) => restartPolicy !== "Always")
    .map(({ name }) => name);
}
