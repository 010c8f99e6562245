// Which of the objects that a selector finds belong to an owner: those that it controls and that nobody controls. It
// adopts the latter, and lets go of those that the selector does not find any more.

import { isApiError } from "../../client/api-error.ts";
import { ownerReferenceTo } from "../../client/controller.ts";
import type { Stored } from "../../client/informer.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { ObjectMeta, OwnerReference } from "../../meta/object.ts";

export interface Owned {
  readonly metadata: ObjectMeta;
}

/** The reference to the one owner that controls an object. */
export function controllerOf({ metadata }: Owned): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export interface Owner {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** The owner, as a cache or the server gives it. */
export type ControlledBy = Stored<Owner>;

type ClaimVerdict =
  /** Is the owner's already. */
  | "keep"
  | "adopt"
  | "release"
  /** Is another's, or nobody's business. */
  | "leave";

export function judgeClaim(object: Owned, owner: ControlledBy, selector: LabelSelector): ClaimVerdict {
  const { metadata } = object;
  const controller = controllerOf(object);
  const ownerEnds = owner.metadata.deletionTimestamp !== undefined;
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return "leave";
    if (selector.matches(metadata.labels)) return "keep";
    // While the owner ends, the garbage collector decides what becomes of its objects.
    return ownerEnds ? "leave" : "release";
  }
  if (ownerEnds || metadata.deletionTimestamp !== undefined) return "leave";
  return selector.matches(metadata.labels) ? "adopt" : "leave";
}

export interface ClaimOptions<T> {
  readonly owner: ControlledBy;
  readonly selector: LabelSelector;
  readonly candidates: Iterable<Stored<T>>;
  /** The owner as it is now, not as a cache shows it; undefined when there is none. */
  readonly findOwner: () => Promise<ControlledBy | undefined>;
  /** Writes owner references. */
  readonly patch: (object: Stored<T>, metadata: OwnershipPatch) => Promise<unknown>;
  /** Those that adopted objects get beside the reference. */
  readonly finalizers?: readonly string[] | undefined;
}

/** A strategic merge patch of metadata; the uid makes it fail on another object of the same name. */
export interface OwnershipPatch {
  readonly uid: string;
  readonly ownerReferences: Record<string, unknown>[];
  readonly finalizers?: string[];
}

/** What belongs to the owner now. Fails when an object could neither be adopted nor has gone. */
export async function claimObjects<T extends Owned>(options: ClaimOptions<T>): Promise<Stored<T>[]> {
  const { owner, selector, candidates } = options;
  const claimed: Stored<T>[] = [];
  let mayAdopt: Promise<void> | undefined;
  let failure: unknown;
  for (const object of candidates) {
    const verdict = judgeClaim(object, owner, selector);
    if (verdict === "keep") claimed.push(object);
    if (verdict !== "adopt" && verdict !== "release") continue;
    try {
      if (verdict === "release") await release(object, options);
      else {
        mayAdopt ??= checkOwnerLives(options);
        await mayAdopt;
        if (await adopt(object, options)) claimed.push(object);
      }
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return claimed;
}

/** A cache may show an owner that has gone, or is about to: it must not take anything with it. */
async function checkOwnerLives<T>({ owner, findOwner }: ClaimOptions<T>): Promise<void> {
  const { uid, name } = owner.metadata;
  const live = await findOwner();
  if (live?.metadata.uid !== uid) throw new Error(`${owner.kind} ${name} with uid ${uid} is gone: nothing is adopted`);
  if (live.metadata.deletionTimestamp !== undefined) throw new Error(`${owner.kind} ${name} ends: nothing is adopted`);
}

async function adopt<T extends Owned>(object: Stored<T>, options: ClaimOptions<T>): Promise<boolean> {
  const { owner, finalizers, patch } = options;
  try {
    await patch(object, {
      uid: object.metadata.uid,
      ownerReferences: [{ ...ownerReferenceTo(owner) }],
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
    });
    return true;
  } catch (error) {
    if (isApiError(error, "NotFound")) return false;
    throw error;
  }
}

async function release<T extends Owned>(object: Stored<T>, { owner, patch }: ClaimOptions<T>): Promise<void> {
  try {
    await patch(object, {
      uid: object.metadata.uid,
      ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
    });
  } catch (error) {
    // Gone, or another object by now (its uid may not change): either way it is let go.
    if (!isApiError(error, "NotFound", "Invalid", "Conflict")) throw error;
  }
}
