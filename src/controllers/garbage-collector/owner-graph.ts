// Who owns whom, over all kinds: every change of an object says which others have to be looked at. Both directions are
// indexed by uid. After a Deployment d with the ReplicaSet r, and a pod p whose ReplicaSet x nobody has seen:
//
//   nodes       d, r, p
//   dependents  d: {r}, blocking 1     x: {p}, blocking 1
//   missing     x

import { equalLinks, type GraphKind, isMeant, type ObservedObject, type OwnerLink, type Phase } from "./graph-node.ts";

/** What the graph alone says of an owner: `unseen` has to be asked for. */
type KnownStanding = "solid" | "waiting" | "unseen";

export class OwnerGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #byKind = new Map<GraphKind, Set<Node>>();
  readonly #dependents = new Map<string, Dependents>();
  /** Owners that somebody refers to and that are not there. */
  readonly #missing = new Set<string>();
  readonly #look: (object: ObservedObject) => void;

  /** `look` is told of every object for which something may have to be done now. */
  constructor(look: (object: ObservedObject) => void) {
    this.#look = look;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): ObservedObject | undefined {
    return this.#nodes.get(uid);
  }

  objects(): IterableIterator<ObservedObject> {
    return this.#nodes.values();
  }

  ofKind(kind: GraphKind): Iterable<ObservedObject> {
    return this.#byKind.get(kind) ?? [];
  }

  dependentsOf(uid: string): Iterable<ObservedObject> {
    return this.#dependents.get(uid)?.nodes ?? [];
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** How many objects hold up a foreground deletion of this one. */
  blockingCount(uid: string): number {
    return this.#dependents.get(uid)?.blocking ?? 0;
  }

  standingOf(link: OwnerLink, namespace: string): KnownStanding {
    const owner = this.#nodes.get(link.uid);
    if (owner === undefined || !isMeant(link, owner, namespace)) return "unseen";
    return owner.phase === "deletingDependents" ? "waiting" : "solid";
  }

  /** Whether anything may have to be done for the object, as far as the graph knows. */
  needsLook({ phase, owners, namespace }: ObservedObject): boolean {
    if (phase === "ending") return false;
    if (phase !== "live") return true;
    return owners.some((link) => this.standingOf(link, namespace) !== "solid");
  }

  put(object: ObservedObject): void {
    const known = this.#nodes.get(object.uid);
    if (known === undefined) this.#add(object);
    else this.#change(known, object);
  }

  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    const kin = this.#byKind.get(node.kind);
    kin?.delete(node);
    if (kin?.size === 0) this.#byKind.delete(node.kind);
    this.#unlink(node);
    this.#lookAtWaiting(node.owners);
    const own = this.#dependents.get(uid);
    if (own === undefined) return;
    this.#missing.add(uid);
    for (const dependent of own.nodes) this.#look(dependent);
  }

  /** Everything of this kind has been seen: those who wait for one that is not there have to ask. */
  seenAll({ group, kind }: Pick<GraphKind, "group" | "kind">): void {
    const isOfKind = (link: OwnerLink) => link.kind === kind && groupOf(link.apiVersion) === group;
    for (const uid of this.#missing) {
      for (const dependent of this.dependentsOf(uid)) {
        if (dependent.owners.some((link) => link.uid === uid && isOfKind(link))) this.#look(dependent);
      }
    }
  }

  #add(object: ObservedObject): void {
    const node: Node = { ...object };
    this.#nodes.set(node.uid, node);
    const kin = this.#byKind.get(node.kind);
    if (kin === undefined) this.#byKind.set(node.kind, new Set([node]));
    else kin.add(node);
    this.#missing.delete(node.uid);
    this.#link(node);
    if (this.needsLook(node)) this.#look(node);
    for (const dependent of this.dependentsOf(node.uid)) if (this.needsLook(dependent)) this.#look(dependent);
  }

  #change(node: Node, { owners, phase }: ObservedObject): void {
    const before = node.owners;
    const owned = before.length !== owners.length || before.some((link, i) => !equalLinks(link, owners[i]!));
    const moved = node.phase !== phase;
    node.phase = phase;
    if (owned) {
      this.#unlink(node);
      node.owners = owners;
      this.#link(node);
      this.#lookAtWaiting(before);
    }
    if ((owned || moved) && this.needsLook(node)) this.#look(node);
    if (moved && phase === "deletingDependents")
      for (const dependent of this.dependentsOf(node.uid)) this.#look(dependent);
  }

  #link(node: Node): void {
    if (node.owners.length === 0) return;
    for (const [uid, blocks] of blockedBy(node)) {
      const entry = this.#dependents.get(uid) ?? { nodes: new Set(), blocking: 0 };
      if (entry.nodes.size === 0) {
        this.#dependents.set(uid, entry);
        if (!this.#nodes.has(uid)) this.#missing.add(uid);
      }
      entry.nodes.add(node);
      if (blocks) entry.blocking += 1;
    }
    // Dependents of one owner mostly say the same of it: one copy will do.
    node.owners = node.owners.map((link) => this.#shared(link));
  }

  #unlink(node: Node): void {
    for (const [uid, blocks] of blockedBy(node)) {
      const entry = this.#dependents.get(uid);
      if (entry === undefined) continue;
      entry.nodes.delete(node);
      if (blocks) entry.blocking -= 1;
      if (entry.nodes.size > 0) continue;
      this.#dependents.delete(uid);
      this.#missing.delete(uid);
    }
  }

  #shared(link: OwnerLink): OwnerLink {
    const entry = this.#dependents.get(link.uid);
    if (entry === undefined) return link;
    entry.link ??= link;
    return equalLinks(entry.link, link) ? entry.link : link;
  }

  /** One that waited for a dependent may be free to go. */
  #lookAtWaiting(links: readonly OwnerLink[]): void {
    for (const { uid } of links) {
      const owner = this.#nodes.get(uid);
      if (owner?.phase === "deletingDependents" && this.blockingCount(uid) === 0) this.#look(owner);
    }
  }
}

/** Only the graph changes it. */
interface Node extends ObservedObject {
  owners: readonly OwnerLink[];
  phase: Phase;
}

interface Dependents {
  readonly nodes: Set<Node>;
  blocking: number;
  /** How the first of them refers to the owner. */
  link?: OwnerLink;
}

/** The owners of a node once each, and whether it blocks them. */
function blockedBy({ owners }: ObservedObject): Iterable<readonly [uid: string, blocks: boolean]> {
  if (owners.length <= 1) return owners.map(({ uid, blocks }) => [uid, blocks] as const);
  const blocked = new Map<string, boolean>();
  for (const { uid, blocks } of owners) blocked.set(uid, blocks || blocked.get(uid) === true);
  return blocked;
}

const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
