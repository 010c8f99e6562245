// The pods of the objects of one kind: who has to look at them when a pod changes, which ones an owner has, and creating
// and deleting them so that a cache that lags behind never leads to a second time.

import type { Clock } from "../../base/clock.ts";
import { equalJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Client } from "../../client/client.ts";
import type { EventRecorder } from "../../client/event-recorder.ts";
import { Expectations } from "../../client/expectations.ts";
import { byController } from "../../client/indexes.ts";
import { type Informer, keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { type OwnerReference, parseApiVersion } from "../../meta/object.ts";
import type { KeyQueue } from "../framework/controller.ts";
import { type ControlledBy, claimObjects, controllerOf, type Owner } from "./claim-objects.ts";
import { errorWords } from "./error-words.ts";
import type { PodDraft } from "./pod-from-template.ts";
import { slowStart } from "./slow-start.ts";

export interface OwnedPodsParts<O extends Owner> {
  readonly client: Client;
  readonly informers: SharedInformers;
  readonly events: EventRecorder;
  readonly clock: Clock;
  /** Follows the objects that own pods. */
  readonly owners: Informer<O>;
  /** Which pods an owner wants; undefined when it cannot say. */
  readonly selectorOf: (owner: Stored<O>) => LabelSelector | undefined;
  /** The owner as the server has it, whatever caches show. */
  readonly findOwner: (namespace: string, name: string) => Promise<ControlledBy | undefined>;
  /** Those that adopted pods get. */
  readonly finalizers?: readonly string[];
}

/** So long after its last write, an owner that has not seen all of it need not wait any more: settled() says so then. */
export const SETTLED_AFTER_MS = 5 * 60_000;

const CONTROLLER = "controller";
const ORPHANS = "orphans";
/** Many deletions at once gain nothing. */
const MAX_DELETIONS_AT_ONCE = 64;

export class OwnedPods<O extends Owner> {
  readonly #parts: OwnedPodsParts<O>;
  readonly #pods: Informer<Pod>;
  /** By the uid of the owner, so that another one of the same name begins anew. */
  readonly #expectations: Expectations;

  constructor(parts: OwnedPodsParts<O>) {
    this.#parts = parts;
    this.#expectations = new Expectations(parts.clock, SETTLED_AFTER_MS);
    this.#pods = parts.informers.of(kinds.core.v1.pods, {
      indexes: {
        [CONTROLLER]: byController,
        [ORPHANS]: (pod) => (controllerOf(pod) === undefined ? [pod.metadata.namespace ?? ""] : []),
      },
    });
  }

  /** Fills the queue with owners whose pods change. */
  watch(queue: KeyQueue): void {
    const { owners } = this.#parts;
    owners.addHandlers({ deleted: ({ metadata }) => this.#expectations.forget(metadata.uid) });
    this.#pods.addHandlers({
      added: (pod) => {
        const reference = controllerOf(pod);
        if (reference === undefined) return this.#enqueueTakers(queue, pod);
        this.#noteSeen(pod, reference);
        this.#enqueueOwner(queue, pod, reference);
      },
      updated: (pod, old) => {
        const [reference, before] = [controllerOf(pod), controllerOf(old)];
        if (before !== undefined && before.uid !== reference?.uid) this.#enqueueOwner(queue, old, before);
        if (reference === undefined) {
          if (before !== undefined || !equalJson(pod.metadata.labels, old.metadata.labels))
            this.#enqueueTakers(queue, pod);
          return;
        }
        if (pod.metadata.deletionTimestamp !== undefined)
          this.#expectations.deletionSeen(reference.uid, pod.metadata.uid);
        this.#enqueueOwner(queue, pod, reference);
      },
      deleted: (pod) => {
        const reference = controllerOf(pod);
        if (reference === undefined) return;
        this.#expectations.deletionSeen(reference.uid, pod.metadata.uid);
        this.#enqueueOwner(queue, pod, reference);
      },
    });
  }

  /** Whether the cache shows all that was done for this owner. As long as it does not, nothing may be created or deleted. */
  settled({ metadata: { uid } }: ControlledBy): boolean {
    return this.#expectations.met(uid);
  }

  /** The pods that name this owner as their controller, whatever their labels. */
  controlledBy({ metadata: { uid } }: ControlledBy): Stored<Pod>[] {
    return this.#pods.cache.byIndex(CONTROLLER, uid);
  }

  /** The pods of a namespace that nobody controls. */
  orphansIn(namespace: string): Stored<Pod>[] {
    return this.#pods.cache.byIndex(ORPHANS, namespace);
  }

  /** What belongs to the owner among these pods; by default among all that it controls or that nobody does. */
  async claim(owner: Stored<O>, selector: LabelSelector, candidates?: Iterable<Stored<Pod>>): Promise<Stored<Pod>[]> {
    const { client, findOwner, finalizers } = this.#parts;
    const { namespace = "", name } = owner.metadata;
    return claimObjects<Pod>({
      owner,
      selector,
      candidates: candidates ?? [...this.controlledBy(owner), ...this.orphansIn(namespace)],
      findOwner: () => findOwner(namespace, name),
      patch: async (pod, metadata) => {
        await client.core.v1.pods(namespace).patch(pod.metadata.name, { strategic: { metadata } });
      },
      ...(finalizers === undefined ? {} : { finalizers }),
    });
  }

  /**
   * Creates pods, few at first. Fails with the first refusal, once what was begun has ended; a namespace that ends makes
   * no pods, without that being a failure.
   */
  async create(owner: Stored<O>, count: number, draft: (index: number) => PodDraft): Promise<void> {
    const { uid } = owner.metadata;
    this.#expectations.expectCreations(uid, count);
    const { skipped, error } = await slowStart(count, async (index) => {
      try {
        await this.createOne(owner, draft(index));
      } catch (error) {
        this.#expectations.creationSeen(uid);
        throw error;
      }
    });
    for (let left = skipped; left > 0; left -= 1) this.#expectations.creationSeen(uid);
    if (error !== undefined && !isEndingNamespace(error)) throw error;
  }

  /** Creates one pod and says so, without expecting to see it: for names that nobody can take twice. */
  async createOne(owner: Stored<O>, draft: PodDraft): Promise<Stored<Pod>> {
    const { client, events } = this.#parts;
    try {
      const pod = await client.core.v1.pods(owner.metadata.namespace).create(draft);
      events.normal(owner, "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
      return pod;
    } catch (error) {
      if (!isEndingNamespace(error)) events.warning(owner, "FailedCreate", `Error creating: ${errorWords(error)}`);
      throw error;
    }
  }

  /** Deletes pods of the owner. Fails with the first refusal, once all have been tried; those that are gone are no failure. */
  async delete(owner: Stored<O>, pods: readonly Stored<Pod>[]): Promise<void> {
    const { uid } = owner.metadata;
    this.#expectations.expectDeletions(
      uid,
      pods.map(({ metadata }) => metadata.uid),
    );
    let failure: { readonly error: unknown } | undefined;
    for (let first = 0; first < pods.length; first += MAX_DELETIONS_AT_ONCE) {
      const batch = pods.slice(first, first + MAX_DELETIONS_AT_ONCE);
      const results = await Promise.allSettled(batch.map((pod) => this.deleteOne(owner, pod)));
      for (const [at, result] of results.entries()) {
        if (result.status === "fulfilled" && result.value) continue;
        this.#expectations.deletionSeen(uid, batch[at]!.metadata.uid);
        if (result.status === "rejected") failure ??= { error: result.reason };
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  /** Deletes one pod and says so, without expecting to see it go. False when it was gone already. */
  async deleteOne(owner: Stored<O>, { metadata: { namespace, name, uid } }: Stored<Pod>): Promise<boolean> {
    const { client, events } = this.#parts;
    try {
      await client.core.v1.pods(namespace).delete(name, { preconditions: { uid } });
      events.normal(owner, "SuccessfulDelete", `Deleted pod: ${name}`);
      return true;
    } catch (error) {
      // A conflict: the name is another pod's by now.
      if (isApiError(error, "NotFound", "Conflict")) return false;
      events.warning(owner, "FailedDelete", `Error deleting: ${errorWords(error)}`);
      throw error;
    }
  }

  #noteSeen(pod: Stored<Pod>, { uid }: OwnerReference): void {
    // After a restart pods appear that already end.
    if (pod.metadata.deletionTimestamp === undefined) this.#expectations.creationSeen(uid);
    else this.#expectations.deletionSeen(uid, pod.metadata.uid);
  }

  #enqueueOwner(queue: KeyQueue, { metadata: { namespace = "" } }: Stored<Pod>, reference: OwnerReference): void {
    const { owners } = this.#parts;
    if (reference.kind !== owners.type.kind) return;
    if (parseApiVersion(reference.apiVersion)?.group !== owners.type.group) return;
    const owner = owners.cache.get({ namespace, name: reference.name });
    if (owner?.metadata.uid === reference.uid) queue.add(keyText(keyOf(owner)));
  }

  /** Those that may adopt a pod. */
  #enqueueTakers(queue: KeyQueue, { metadata }: Stored<Pod>): void {
    if (metadata.deletionTimestamp !== undefined || metadata.labels === undefined) return;
    const { owners, selectorOf } = this.#parts;
    for (const owner of owners.cache.list(metadata.namespace ?? ""))
      if (selectorOf(owner)?.matches(metadata.labels)) queue.add(keyText(keyOf(owner)));
  }
}

function isEndingNamespace(error: unknown): boolean {
  return isApiError(error) && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
