// The rule of garbage collection: what becomes of an object, given how its owners stand. Pure.

import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type OwnerLink } from "./graph-node.ts";

/**
 * - `solid`: it is there.
 * - `waiting`: it is there and ends as soon as its dependents have ended.
 * - `absent`: surely not there.
 * - `undecided`: nobody can say at present, or ever.
 */
export type Standing = "solid" | "waiting" | "absent" | "undecided";

export interface JudgedOwner {
  readonly link: OwnerLink;
  readonly standing: Standing;
}

export interface JudgedObject {
  readonly owners: readonly JudgedOwner[];
  readonly finalizers: readonly string[];
  readonly hasDependents: boolean;
  /** One of its own dependents waits for its dependents: a circle of owners. */
  readonly inCircle: boolean;
}

export type Verdict =
  | { readonly type: "keep" }
  /** Those owners are forgotten: others still hold the object. */
  | { readonly type: "leave-owners"; readonly owners: readonly OwnerLink[] }
  | {
      readonly type: "delete";
      readonly propagationPolicy: "Orphan" | "Foreground" | "Background";
      /** The object stops blocking its owners first, else a circle of them would wait for itself for ever. */
      readonly unblockOwners: boolean;
    };

const KEEP: Verdict = { type: "keep" };

export function judgeObject({ owners, finalizers, hasDependents, inCircle }: JudgedObject): Verdict {
  const having = (standing: Standing) => owners.filter((owner) => owner.standing === standing);
  if (owners.length === 0 || having("undecided").length > 0) return KEEP;
  const left = [...having("absent"), ...having("waiting")];
  if (having("solid").length > 0)
    return left.length === 0 ? KEEP : { type: "leave-owners", owners: left.map(({ link }) => link) };
  if (having("waiting").length > 0 && hasDependents)
    return { type: "delete", propagationPolicy: "Foreground", unblockOwners: inCircle };
  // What was asked for earlier, for the object itself, still counts.
  const propagationPolicy = finalizers.includes(ORPHAN_FINALIZER)
    ? "Orphan"
    : finalizers.includes(FOREGROUND_FINALIZER)
      ? "Foreground"
      : "Background";
  return { type: "delete", propagationPolicy, unblockOwners: false };
}
