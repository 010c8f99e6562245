// What is asked of node after node for every pod, in one piece of memory: of objects all over the heap each would be fetched
// by itself. A row for each node, in the order of ClusterState.nodes, of as many bytes as a processor fetches at once:
//
//   CPU, memory of the node | of its pods, as they say | of its pods, as guessed | free storage, free places for pods
//   4000, 8 Gi              | 100, 128 Mi              | 200, 328 Mi             | 100 Gi, 109

import type { Amounts } from "./amounts.ts";

const WIDTH = 8;
/** Of the flags: no taint and no mark keeps pods away. */
const OPEN = 1;
const HAS_SOFT_TAINTS = 2;
const HAS_IMAGES = 4;

/** What a row is made of. */
interface RowFacts {
  readonly allocatable: Amounts;
  readonly requested: Amounts;
  readonly guessed: Amounts;
  readonly maxPods: number;
  readonly pods: { readonly size: number };
  readonly isUnschedulable: boolean;
  readonly hardTaints: readonly unknown[];
  readonly softTaints: readonly unknown[];
  readonly images: { readonly size: number };
}

export class NodeRows {
  readonly #numbers: Float64Array;
  readonly #flags: Uint8Array;

  constructor(size: number) {
    this.#numbers = new Float64Array(size * WIDTH);
    this.#flags = new Uint8Array(size);
  }

  /** As the node is now. */
  write(place: number, node: RowFacts): void {
    const { allocatable, requested, guessed } = node;
    const numbers = this.#numbers;
    const at = place * WIDTH;
    numbers[at] = allocatable.cpu;
    numbers[at + 1] = allocatable.memory;
    numbers[at + 2] = requested.cpu;
    numbers[at + 3] = requested.memory;
    numbers[at + 4] = guessed.cpu;
    numbers[at + 5] = guessed.memory;
    numbers[at + 6] = allocatable.ephemeralStorage - requested.ephemeralStorage;
    numbers[at + 7] = node.maxPods - node.pods.size;
    const isOpen = !node.isUnschedulable && node.hardTaints.length === 0;
    this.#flags[place] =
      (isOpen ? OPEN : 0) |
      (node.softTaints.length > 0 ? HAS_SOFT_TAINTS : 0) |
      (node.images.size > 0 ? HAS_IMAGES : 0);
  }

  /** Whether nothing keeps pods away and there is room for these amounts, of which `others` are not looked at. */
  isOpenFor(place: number, { cpu, memory, ephemeralStorage }: Amounts): boolean {
    if ((this.#flags[place]! & OPEN) === 0) return false;
    const numbers = this.#numbers;
    const at = place * WIDTH;
    if (numbers[at + 7]! <= 0) return false;
    if (cpu > 0 && cpu > numbers[at]! - numbers[at + 2]!) return false;
    if (memory > 0 && memory > numbers[at + 1]! - numbers[at + 3]!) return false;
    return ephemeralStorage <= 0 || ephemeralStorage <= numbers[at + 6]!;
  }

  hasSoftTaints(place: number): boolean {
    return (this.#flags[place]! & HAS_SOFT_TAINTS) !== 0;
  }

  hasImages(place: number): boolean {
    return (this.#flags[place]! & HAS_IMAGES) !== 0;
  }

  cpu(place: number): number {
    return this.#numbers[place * WIDTH]!;
  }

  memory(place: number): number {
    return this.#numbers[place * WIDTH + 1]!;
  }

  requestedCpu(place: number): number {
    return this.#numbers[place * WIDTH + 2]!;
  }

  requestedMemory(place: number): number {
    return this.#numbers[place * WIDTH + 3]!;
  }

  guessedCpu(place: number): number {
    return this.#numbers[place * WIDTH + 4]!;
  }

  guessedMemory(place: number): number {
    return this.#numbers[place * WIDTH + 5]!;
  }
}
