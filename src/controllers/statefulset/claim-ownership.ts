// Who owns the claims of a StatefulSet's pods, so that they go when the retention policy says so: with the set, with a pod
// that is scaled away, or never. Pure.

import type { Stored } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { OwnerReference } from "../../meta/object.ts";

/** A set or a pod. */
export interface ClaimOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface OwnershipQuestion {
  readonly references: readonly OwnerReference[];
  readonly policy: NonNullable<StatefulSet["spec"]["persistentVolumeClaimRetentionPolicy"]> | undefined;
  readonly set: ClaimOwner;
  readonly pod: ClaimOwner;
  /** The pod's number is not among those that the set wants. */
  readonly isScaledAway: boolean;
}

type OwnershipAnswer =
  | { readonly type: "right" }
  /** Somebody else controls the claim: the policy cannot be followed. `references` without ours, if there were any. */
  | { readonly type: "conflict"; readonly references: OwnerReference[] | undefined }
  | { readonly type: "wrong"; readonly references: OwnerReference[] };

export function claimOwnership(question: OwnershipQuestion): OwnershipAnswer {
  const { references, set, pod } = question;
  // Of an earlier set or pod of the same name: the garbage collector deals with it.
  if (hasStaleOwner(references, set) || hasStaleOwner(references, pod)) return { type: "right" };
  const others = references.filter(({ uid }) => uid !== set.uid && uid !== pod.uid);
  const ours = references.filter(({ uid }) => uid === set.uid || uid === pod.uid);
  const wanted = wantedOwner(question);
  const keepsAll = !deletes(question.policy?.whenDeleted) && !deletes(question.policy?.whenScaled);
  if (!keepsAll && others.some(({ controller }) => controller === true))
    return { type: "conflict", references: ours.length === 0 ? undefined : others };
  const isRight =
    wanted === undefined
      ? ours.length === 0
      : ours.length === 1 && ours[0]!.uid === wanted.uid && ours[0]!.controller === true;
  if (isRight) return { type: "right" };
  const reference = wanted && { ...wanted, controller: true, blockOwnerDeletion: true };
  return { type: "wrong", references: reference === undefined ? others : [...others, reference] };
}

/** A pod of this name and kind, but another one, owns the claim: it is about to go, and must not be used again. */
export function hasStaleOwner(
  references: readonly OwnerReference[],
  owner: Omit<ClaimOwner, "uid"> & { uid?: string },
) {
  return references.some(
    ({ apiVersion, kind, name, uid }) =>
      apiVersion === owner.apiVersion && kind === owner.kind && name === owner.name && uid !== owner.uid,
  );
}

export function ownerSet({ metadata }: Stored<StatefulSet>): ClaimOwner {
  return { apiVersion: "apps/v1", kind: "StatefulSet", name: metadata.name, uid: metadata.uid };
}

const deletes = (policy: string | undefined): boolean => policy === "Delete";

function wantedOwner({ policy, set, pod, isScaledAway }: OwnershipQuestion): ClaimOwner | undefined {
  if (deletes(policy?.whenScaled) && isScaledAway) return pod;
  return deletes(policy?.whenDeleted) ? set : undefined;
}
