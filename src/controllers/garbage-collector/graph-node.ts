// What the graph of owners knows of one object: who it is, whom it belongs to, and how far its end has come. Nothing else of
// it is kept. Requirements: document 1, "Deletion of an object"; owner references as upstream.

import { isObject } from "../../base/json.ts";
import { parseApiVersion } from "../../meta/object.ts";

export const ORPHAN_FINALIZER = "orphan";
export const FOREGROUND_FINALIZER = "foregroundDeletion";

/** A resource whose objects are in the graph; all its objects share one. */
export interface GraphKind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** May change while objects stay the same. */
  version: string;
}

export interface OwnerLink {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** A foreground deletion of the owner waits for the dependent. */
  readonly blocks: boolean;
}

/**
 * - `live`: nobody has asked for its end.
 * - `ending`: it ends by itself, as soon as others let it.
 * - `orphaning`: before it ends, its dependents are to be let go.
 * - `deletingDependents`: before it ends, dependents that block it are to end.
 */
export type Phase = "live" | "ending" | "orphaning" | "deletingDependents";

export interface ObservedObject {
  readonly uid: string;
  readonly kind: GraphKind;
  /** Empty for objects of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerLink[];
  readonly phase: Phase;
}

/** Metadata as a server sent it: those behind the aggregation layer may send anything. */
export interface LooseMetadata {
  readonly uid?: unknown;
  readonly namespace?: unknown;
  readonly name?: unknown;
  readonly ownerReferences?: unknown;
  readonly finalizers?: unknown;
  readonly deletionTimestamp?: unknown;
}

/** Undefined for what is no object. */
export function observe(kind: GraphKind, metadata: LooseMetadata): ObservedObject | undefined {
  const { uid, name, namespace = "" } = metadata;
  if (typeof uid !== "string" || uid === "" || typeof name !== "string" || typeof namespace !== "string")
    return undefined;
  return { uid, kind, namespace, name, owners: ownersOf(metadata), phase: phaseOf(metadata) };
}

export function ownersOf({ ownerReferences }: LooseMetadata): readonly OwnerLink[] {
  if (!Array.isArray(ownerReferences) || ownerReferences.length === 0) return NOBODY;
  return ownerReferences.filter(isReference).map(({ apiVersion, kind, name, uid, blockOwnerDeletion }) => ({
    apiVersion,
    kind,
    name,
    uid,
    blocks: blockOwnerDeletion === true,
  }));
}

export function phaseOf({ deletionTimestamp, finalizers }: LooseMetadata): Phase {
  if (deletionTimestamp === undefined || deletionTimestamp === null) return "live";
  const held = Array.isArray(finalizers) ? finalizers : [];
  if (held.includes(ORPHAN_FINALIZER)) return "orphaning";
  return held.includes(FOREGROUND_FINALIZER) ? "deletingDependents" : "ending";
}

/** Whether this is the object that a dependent of `namespace` means: the uid alone would let anybody lie about the rest. */
export function isMeant(link: OwnerLink, owner: ObservedObject, namespace: string): boolean {
  return (
    link.uid === owner.uid &&
    link.name === owner.name &&
    link.kind === owner.kind.kind &&
    parseApiVersion(link.apiVersion)?.group === owner.kind.group &&
    (owner.namespace === "" || owner.namespace === namespace)
  );
}

export function equalLinks(a: OwnerLink, b: OwnerLink): boolean {
  return (
    a.uid === b.uid && a.blocks === b.blocks && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion
  );
}

const NOBODY: readonly OwnerLink[] = [];

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: unknown;
}

function isReference(value: unknown): value is Reference {
  if (!isObject(value)) return false;
  const { apiVersion, kind, name, uid } = value;
  return [apiVersion, kind, name, uid].every((word) => typeof word === "string") && uid !== "";
}
