// The objects of one kind that objects of another kind own: who has to look when one changes, and which ones an owner has.

import { equalJson } from "../../base/json.ts";
import { byController } from "../../client/indexes.ts";
import { type Informer, keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { type OwnerReference, parseApiVersion } from "../../meta/object.ts";
import type { KeyQueue } from "../framework/controller.ts";
import {
  type ControlledBy,
  claimObjects,
  controllerOf,
  type Owned,
  type Owner,
  type OwnershipPatch,
} from "./claim-objects.ts";
import { gatheringMs } from "./gathering.ts";

interface OwnedObjectsParts<T extends Owned, O extends Owner> {
  /** Follows what is owned. */
  readonly owned: Informer<T>;
  /** Follows the owners. */
  readonly owners: Informer<O>;
  /** What an owner wants to have; undefined when it cannot say. */
  readonly selectorOf: (owner: Stored<O>) => LabelSelector | undefined;
  /** The owner as the server has it, whatever caches show. */
  readonly findOwner: (namespace: string, name: string) => Promise<ControlledBy | undefined>;
  /** Writes owner references, as a strategic merge patch. */
  readonly patch: (object: Stored<T>, metadata: OwnershipPatch) => Promise<unknown>;
  /** Those that adopted objects get. */
  readonly finalizers?: readonly string[] | undefined;
}

const CONTROLLER = "controller";
const ORPHANS = "orphans";

export class OwnedObjects<T extends Owned, O extends Owner> {
  readonly #parts: OwnedObjectsParts<T, O>;
  /** How many objects owners had when they were last looked at, by uid. */
  readonly #sizes = new Map<string, number>();

  constructor(parts: OwnedObjectsParts<T, O>) {
    this.#parts = parts;
    parts.owned.addIndexes({
      [CONTROLLER]: byController,
      [ORPHANS]: (object) => (controllerOf(object) === undefined ? placesOf(object) : []),
    });
  }

  /** Fills the queue with owners whose objects change, and with those that may adopt one. */
  watch(queue: KeyQueue): void {
    this.#parts.owners.addHandlers({ deleted: ({ metadata }) => void this.#sizes.delete(metadata.uid) });
    this.#parts.owned.addHandlers({
      added: (object) => {
        const reference = controllerOf(object);
        if (reference === undefined) this.#enqueueTakers(queue, object);
        else this.#enqueueOwner(queue, object, reference);
      },
      updated: (object, old) => {
        const [reference, before] = [controllerOf(object), controllerOf(old)];
        if (before !== undefined && before.uid !== reference?.uid) this.#enqueueOwner(queue, old, before);
        if (reference !== undefined) this.#enqueueOwner(queue, object, reference);
        else if (before !== undefined || !equalJson(object.metadata.labels, old.metadata.labels))
          this.#enqueueTakers(queue, object);
      },
      deleted: (object) => {
        const reference = controllerOf(object);
        if (reference !== undefined) this.#enqueueOwner(queue, object, reference);
      },
    });
  }

  /** How long a look at an owner may wait that is no matter of what it asks for. */
  gatheringMs({ metadata: { uid } }: ControlledBy): number {
    return gatheringMs(this.#sizes.get(uid) ?? 0);
  }

  /** Those that name this owner as their controller, whatever their labels. */
  controlledBy({ metadata: { uid } }: ControlledBy): Stored<T>[] {
    const objects = this.#parts.owned.cache.byIndex(CONTROLLER, uid);
    this.#sizes.set(uid, objects.length);
    return objects;
  }

  /** Those of a namespace that nobody controls: all that the selector matches, and few others. */
  orphansIn(namespace: string, { requirements }: LabelSelector): Stored<T>[] {
    const label = requirements.find(({ operator, values }) => operator === "=" && values.length === 1);
    const place = label === undefined ? namespace : labelPlace(namespace, label.key, label.values[0]!);
    return this.#parts.owned.cache.byIndex(ORPHANS, place);
  }

  /** What belongs to the owner among the candidates; by default among all that it controls or that nobody does. */
  async claim(owner: Stored<O>, selector: LabelSelector, candidates?: Iterable<Stored<T>>): Promise<Stored<T>[]> {
    const { findOwner, finalizers, patch } = this.#parts;
    const { namespace = "", name } = owner.metadata;
    return claimObjects<T>({
      owner,
      selector,
      candidates: candidates ?? [...this.controlledBy(owner), ...this.orphansIn(namespace, selector)],
      findOwner: () => findOwner(namespace, name),
      patch,
      finalizers,
    });
  }

  #enqueueOwner(queue: KeyQueue, { metadata: { namespace = "" } }: Stored<T>, reference: OwnerReference): void {
    const { owners } = this.#parts;
    if (reference.kind !== owners.type.kind) return;
    if (parseApiVersion(reference.apiVersion)?.group !== owners.type.group) return;
    const owner = owners.cache.get({ namespace, name: reference.name });
    if (owner?.metadata.uid !== reference.uid) return;
    queue.addAfter(keyText(keyOf(owner)), this.gatheringMs(owner));
  }

  #enqueueTakers(queue: KeyQueue, { metadata }: Stored<T>): void {
    if (metadata.deletionTimestamp !== undefined || metadata.labels === undefined) return;
    for (const owner of this.#parts.owners.cache.list(metadata.namespace ?? ""))
      if (this.#wants(owner, metadata.labels)) queue.add(keyText(keyOf(owner)));
  }

  #wants(owner: Stored<O>, labels: Readonly<Record<string, string>>): boolean {
    try {
      return this.#parts.selectorOf(owner)?.matches(labels) === true;
    } catch {
      // It makes no sense, as its own turn says: nothing to do with others.
      return false;
    }
  }
}

/** A namespace may hold tens of thousands of pods that nobody controls: owners look only at those with a label of theirs. */
function placesOf({ metadata: { namespace = "", labels } }: Owned): string[] {
  const places = [namespace];
  for (const [key, value] of Object.entries(labels ?? {})) places.push(labelPlace(namespace, key, value));
  return places;
}

const labelPlace = (namespace: string, key: string, value: string): string => `${namespace}/${key}=${value}`;
