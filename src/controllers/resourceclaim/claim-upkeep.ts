// What becomes of a claim when the pods that it is reserved for are done with it. Pure.

import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import type { Names } from "../../meta/names.ts";
import { controllerOf } from "../pods-of-owner/claim-objects.ts";
import { isPodDone } from "./pod-claims.ts";

type Consumer = NonNullable<ResourceClaim["status"]["reservedFor"]>[number];

interface ClaimUpkeep {
  /** The status to write; undefined when it stays. */
  readonly status: ResourceClaim["status"] | undefined;
  /** Nothing is allocated any more, or will not be after that write: the claim need not be held. */
  readonly releases: boolean;
  /** Nobody will use it again. */
  readonly deletes: boolean;
}

/** `podOf` is the pod of a name, as it is now. */
export function claimUpkeep(
  claim: Stored<ResourceClaim>,
  podOf: (name: string) => Stored<Pod> | undefined,
  names: Names,
): ClaimUpkeep {
  const { metadata, status } = claim;
  const reserved = status.reservedFor ?? [];
  const valid = reserved.filter((consumer) => isInUse(consumer, podOf));
  const isHeld = metadata.finalizers?.includes(names.claimProtectionFinalizer) === true;
  const isFree = valid.length === 0;
  const frees = isHeld && isFree && (reserved.length > 0 || metadata.deletionTimestamp !== undefined);
  const changed = valid.length < reserved.length || (frees && status.allocation !== undefined);
  return {
    status: changed ? nextStatus(status, valid, frees) : undefined,
    releases: frees,
    deletes: isFree && metadata.deletionTimestamp === undefined && isOwnerDone(claim, podOf),
  };
}

/** The pods that have to be looked up to judge a claim: which uids the claim knows under each name. */
export function podsNamedBy(claim: Stored<ResourceClaim>): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>();
  const add = ({ name, uid }: { readonly name: string; readonly uid: string }): void => {
    named.set(name, (named.get(name) ?? new Set()).add(uid));
  };
  for (const consumer of claim.status.reservedFor ?? []) if (isPodReference(consumer)) add(consumer);
  const owner = controllerOf(claim);
  if (owner?.kind === "Pod") add(owner);
  return named;
}

function nextStatus(
  status: ResourceClaim["status"],
  valid: readonly Consumer[],
  frees: boolean,
): ResourceClaim["status"] {
  const { reservedFor: _reserved, allocation, ...rest } = status;
  return {
    ...rest,
    ...(valid.length === 0 ? {} : { reservedFor: [...valid] }),
    ...(allocation === undefined || frees ? {} : { allocation }),
  };
}

const isPodReference = ({ apiGroup = "", resource }: Consumer): boolean => apiGroup === "" && resource === "pods";

/** Consumers that are no pods are somebody else's business. */
function isInUse(consumer: Consumer, podOf: (name: string) => Stored<Pod> | undefined): boolean {
  if (!isPodReference(consumer)) return true;
  const pod = podOf(consumer.name);
  return pod?.metadata.uid === consumer.uid && !isPodDone(pod);
}

/** A pod that is gone takes its claims along: the garbage collector deletes them. */
function isOwnerDone(claim: Stored<ResourceClaim>, podOf: (name: string) => Stored<Pod> | undefined): boolean {
  const owner = controllerOf(claim);
  if (owner?.kind !== "Pod" || owner.apiVersion !== "v1") return false;
  const pod = podOf(owner.name);
  return pod !== undefined && (pod.metadata.uid !== owner.uid || isPodDone(pod));
}
