// A node as the scheduler sees it, with the pods on it and their sum. Changes with every pod; nothing is added up twice.

import type { Node } from "../../kinds/core/node.ts";
import type { Taint } from "../../kinds/core/pod/toleration.ts";
import { type Amounts, addAmounts, amountsOf, noAmounts } from "./amounts.ts";
import type { NodeRows } from "./node-rows.ts";
import type { HostPort, PodInfo } from "./pod-info.ts";

const ANY_ADDRESS = "0.0.0.0";

export class NodeInfo {
  readonly name: string;
  /** Undefined while pods name a node that is not there. */
  node: Node | undefined;
  labels: Readonly<Record<string, string>> = {};
  isUnschedulable = false;
  /** Those that keep pods away, and those that only should. */
  hardTaints: readonly Taint[] = [];
  softTaints: readonly Taint[] = [];
  allocatable: Amounts = noAmounts();
  maxPods = 0;
  /** Bytes by name of the image. */
  images: ReadonlyMap<string, number> = new Map();
  readonly requested: Amounts = noAmounts();
  readonly guessed: Amounts = noAmounts();
  /** By uid. */
  readonly pods = new Map<string, PodInfo>();
  /** How many pods use each. */
  readonly #ports = new Map<string, number>();
  /** Among all nodes; below zero for one that is not there. */
  place = -1;
  #rows: NodeRows | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** From now on the row there says what this node is. */
  setRow(rows: NodeRows, place: number): void {
    this.#rows = rows;
    this.place = place;
    rows.write(place, this);
  }

  leaveRow(): void {
    this.#rows = undefined;
    this.place = -1;
  }

  setNode(node: Node | undefined): void {
    this.node = node;
    const taints = node?.spec.taints ?? [];
    this.labels = node?.metadata.labels ?? {};
    this.isUnschedulable = node?.spec.unschedulable === true;
    this.hardTaints = taints.filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute");
    this.softTaints = taints.filter(({ effect }) => effect === "PreferNoSchedule");
    this.allocatable = amountsOf(node?.status.allocatable);
    this.maxPods = this.allocatable.others?.get("pods") ?? 0;
    const images = new Map<string, number>();
    for (const { names, sizeBytes } of node?.status.images ?? [])
      for (const name of names ?? []) images.set(name, sizeBytes ?? 0);
    this.images = images;
    this.#rows?.write(this.place, this);
  }

  add(pod: PodInfo): void {
    this.pods.set(pod.uid, pod);
    addAmounts(this.requested, pod.requests, 1);
    addAmounts(this.guessed, pod.guessedRequests, 1);
    for (const port of pod.ports) this.#countPort(port, 1);
    this.#rows?.write(this.place, this);
  }

  remove(pod: PodInfo): void {
    if (!this.pods.delete(pod.uid)) return;
    addAmounts(this.requested, pod.requests, -1);
    addAmounts(this.guessed, pod.guessedRequests, -1);
    for (const port of pod.ports) this.#countPort(port, -1);
    this.#rows?.write(this.place, this);
  }

  /** An address for all stands in the way of each, and each in the way of it. */
  hasPortConflict(ports: readonly HostPort[]): boolean {
    if (this.#ports.size === 0) return false;
    return ports.some(({ ip, protocol, port }) => {
      if (ip === ANY_ADDRESS) return this.#ports.has(`${protocol}/${port}`);
      return this.#ports.has(`${protocol}/${port}/${ANY_ADDRESS}`) || this.#ports.has(`${protocol}/${port}/${ip}`);
    });
  }

  #countPort({ ip, protocol, port }: HostPort, change: 1 | -1): void {
    for (const key of [`${protocol}/${port}`, `${protocol}/${port}/${ip}`]) {
      const count = (this.#ports.get(key) ?? 0) + change;
      if (count > 0) this.#ports.set(key, count);
      else this.#ports.delete(key);
    }
  }
}
