// The cluster as the scheduler knows it: nodes, the pods on them (those included that are on their way), and what pods wait
// for. One copy, changed by every event; a decision reads it as it is and nothing happens meanwhile.

import { equalJson } from "../../base/json.ts";
import type { Node } from "../../kinds/core/node.ts";
import { Domains } from "./domains.ts";
import { MatchCounts, type PlacedPod } from "./match-counts.ts";
import { NodeInfo } from "./node-info.ts";
import { NodeRows } from "./node-rows.ts";
import type { PodInfo } from "./pod-info.ts";
import { TermIndex } from "./term-index.ts";

type Labels = Readonly<Record<string, string>>;

interface Supposition {
  present(placed: PlacedPod): void;
  absent(placed: PlacedPod): void;
}

export class ClusterState {
  readonly #zoneLabel: string;
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #placed = new Map<string, PlacedPod>();
  readonly #byNamespace = new Map<string, Set<PlacedPod>>();
  /** topology key -> its domains, until a node changes */
  readonly #domains = new Map<string, Domains>();
  readonly #namespaces = new Map<string, Labels>();
  /** Pods by the name of the node on which room is being made for them. */
  readonly #nominated = new Map<string, Map<string, PodInfo>>();
  /** uid -> name of that node */
  readonly #nominations = new Map<string, string>();
  /** "namespace/claim" -> uids of pods that use it. */
  readonly #claimUsers = new Map<string, Set<string>>();
  /** How many placed pods have each priority. */
  readonly #priorities = new Map<number, number>();
  readonly matches: MatchCounts;
  /** What placed pods say of others: what they do not bear, need, and prefer (or would rather avoid). */
  readonly refusedTerms = new TermIndex();
  readonly neededTerms = new TermIndex();
  readonly preferredTerms = new TermIndex();
  #order: readonly NodeInfo[] | undefined;
  #rows = new NodeRows(0);

  constructor({ zoneLabel }: { readonly zoneLabel: string }) {
    this.#zoneLabel = zoneLabel;
    this.matches = new MatchCounts((namespace) => this.#byNamespace.get(namespace) ?? []);
  }

  /** All nodes that are there, zone after zone in turn, so that a look at some of them sees all zones. */
  get nodes(): readonly NodeInfo[] {
    this.#order ??= this.#putInOrder();
    return this.#order;
  }

  /** One for each of `nodes`, by its place among them. */
  get rows(): NodeRows {
    this.#order ??= this.#putInOrder();
    return this.#rows;
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : info;
  }

  /** The domains of a topology in which there are nodes. */
  domainsOf(topologyKey: string): Domains {
    let domains = this.#domains.get(topologyKey);
    if (domains === undefined) {
      domains = new Domains(topologyKey, this.nodes);
      this.#domains.set(topologyKey, domains);
    }
    return domains;
  }

  setNode(node: Node): void {
    this.#changeNode(this.#nodeInfo(node.metadata.name ?? ""), node);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.#changeNode(info, undefined);
    if (info.pods.size === 0) this.#nodes.delete(name);
  }

  /** On nodes, and on their way there. */
  get podCount(): number {
    return this.#placed.size;
  }

  /** Where the pod is or will be; undefined when it is nowhere. */
  placeOf(uid: string): PlacedPod | undefined {
    return this.#placed.get(uid);
  }

  /** Puts a pod on a node, or a newer state of it. */
  place(info: PodInfo, nodeName: string): void {
    this.remove(info.uid);
    const placed = { info, node: this.#nodeInfo(nodeName) };
    this.#placed.set(info.uid, placed);
    this.#change(placed, 1);
  }

  remove(uid: string): void {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return;
    this.#placed.delete(uid);
    this.#change(placed, -1);
    const { node } = placed;
    if (node.node === undefined && node.pods.size === 0) this.#nodes.delete(node.name);
  }

  /** How it would be with some pods more or fewer: everything is as before when `look` has returned. */
  supposing<T>(look: (suppose: Supposition) => T): T {
    const undo: (() => void)[] = [];
    const suppose = (placed: PlacedPod, by: 1 | -1): void => {
      this.#change(placed, by);
      undo.push(() => this.#change(placed, by === 1 ? -1 : 1));
    };
    try {
      return look({ present: (placed) => suppose(placed, 1), absent: (placed) => suppose(placed, -1) });
    } finally {
      for (const each of undo.reverse()) each();
    }
  }

  podsIn(namespace: string): Iterable<PlacedPod> {
    return this.#byNamespace.get(namespace) ?? [];
  }

  hasPriorityBelow(priority: number): boolean {
    for (const each of this.#priorities.keys()) if (each < priority) return true;
    return false;
  }

  /** Whether a pod other than this one uses the claim. */
  isClaimInUse(namespace: string, claim: string, exceptUid: string): boolean {
    const users = this.#claimUsers.get(`${namespace}/${claim}`);
    return users !== undefined && (users.size > 1 || !users.has(exceptUid));
  }

  setNamespace(name: string, labels: Labels | undefined): void {
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
  }

  readonly labelsOfNamespace = (name: string): Labels | undefined => this.#namespaces.get(name);

  namespacesWhere(matches: (labels: Labels) => boolean): string[] {
    return [...this.#namespaces].filter(([, labels]) => matches(labels)).map(([name]) => name);
  }

  /** Room is being made for the pod on a node; undefined: nowhere. */
  nominate(info: PodInfo, nodeName: string | undefined): void {
    this.forgetNomination(info.uid);
    if (nodeName === undefined || nodeName === "") return;
    let pods = this.#nominated.get(nodeName);
    if (pods === undefined) {
      pods = new Map();
      this.#nominated.set(nodeName, pods);
    }
    pods.set(info.uid, info);
    this.#nominations.set(info.uid, nodeName);
  }

  forgetNomination(uid: string): void {
    const nodeName = this.#nominations.get(uid);
    if (nodeName === undefined) return;
    this.#nominations.delete(uid);
    const pods = this.#nominated.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#nominated.delete(nodeName);
  }

  get hasNominations(): boolean {
    return this.#nominations.size > 0;
  }

  nominationOf(uid: string): string | undefined {
    return this.#nominations.get(uid);
  }

  nominatedTo(nodeName: string): readonly PodInfo[] {
    const pods = this.#nominated.get(nodeName);
    return pods === undefined ? [] : [...pods.values()];
  }

  #nodeInfo(name: string): NodeInfo {
    let info = this.#nodes.get(name);
    if (info === undefined) {
      info = new NodeInfo(name);
      this.#nodes.set(name, info);
    }
    return info;
  }

  #putInOrder(): readonly NodeInfo[] {
    const present = [...this.#nodes.values()].filter(({ node }) => node !== undefined);
    const order = inTurn(present, this.#zoneLabel);
    this.#rows = new NodeRows(order.length);
    for (const [place, node] of order.entries()) node.setRow(this.#rows, place);
    return order;
  }

  /** With other labels its pods are in other domains. */
  #changeNode(info: NodeInfo, node: Node | undefined): void {
    const isSame = info.node !== undefined && node !== undefined && equalJson(info.labels, node.metadata.labels ?? {});
    if (isSame) {
      info.setNode(node);
      return;
    }
    const placed = [...info.pods.values()].map((pod) => ({ info: pod, node: info }));
    for (const each of placed) this.#count(each, -1);
    info.setNode(node);
    for (const each of placed) this.#count(each, 1);
    info.leaveRow();
    this.#order = undefined;
    this.#domains.clear();
  }

  #change(placed: PlacedPod, by: 1 | -1): void {
    const { info, node } = placed;
    if (by === 1) {
      node.add(info);
      let namespace = this.#byNamespace.get(info.namespace);
      if (namespace === undefined) {
        namespace = new Set();
        this.#byNamespace.set(info.namespace, namespace);
      }
      namespace.add(placed);
    } else {
      node.remove(info);
      const namespace = this.#byNamespace.get(info.namespace);
      namespace?.delete(placed);
      if (namespace?.size === 0) this.#byNamespace.delete(info.namespace);
    }
    for (const { name } of info.claims) this.#useClaim(`${info.namespace}/${name}`, info.uid, by);
    const count = (this.#priorities.get(info.priority) ?? 0) + by;
    if (count > 0) this.#priorities.set(info.priority, count);
    else this.#priorities.delete(info.priority);
    this.#count(placed, by);
  }

  /** What depends on the labels of the node. */
  #count(placed: PlacedPod, by: 1 | -1): void {
    const { info, node } = placed;
    for (const term of info.antiAffinity) this.refusedTerms.change(term, 1, node, by);
    for (const term of info.affinity) this.neededTerms.change(term, 1, node, by);
    for (const { term, weight } of info.preferences) this.preferredTerms.change(term, weight, node, by);
    this.matches.change(placed, by);
  }

  #useClaim(key: string, uid: string, by: 1 | -1): void {
    const users = this.#claimUsers.get(key) ?? new Set();
    if (by === 1) users.add(uid);
    else users.delete(uid);
    if (users.size === 0) this.#claimUsers.delete(key);
    else this.#claimUsers.set(key, users);
  }
}

function inTurn(nodes: readonly NodeInfo[], zoneLabel: string): readonly NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const zone = node.labels[zoneLabel] ?? "";
    const same = zones.get(zone);
    if (same === undefined) zones.set(zone, [node]);
    else same.push(node);
  }
  if (zones.size <= 1) return nodes;
  const order: NodeInfo[] = [];
  for (let turn = 0; order.length < nodes.length; turn += 1)
    for (const zone of zones.values()) if (turn < zone.length) order.push(zone[turn]!);
  return order;
}
