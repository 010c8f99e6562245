// The pods of the objects of one kind: who has to look at them when a pod changes, which ones an owner has, and creating
// and deleting them so that a cache that lags behind never leads to a second time.

import type { Clock } from "../../base/clock.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Client } from "../../client/client.ts";
import type { EventRecorder } from "../../client/event-recorder.ts";
import { Expectations } from "../../client/expectations.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { KeyQueue } from "../framework/controller.ts";
import { type ControlledBy, controllerOf, type Owner } from "./claim-objects.ts";
import { errorWords, isEndingNamespace } from "./error-words.ts";
import { OwnedObjects } from "./owned-objects.ts";
import type { PodDraft } from "./pod-from-template.ts";
import { slowStart } from "./slow-start.ts";

interface OwnedPodsParts<O extends Owner> {
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

/** Many deletions at once gain nothing. */
const MAX_DELETIONS_AT_ONCE = 64;

export class OwnedPods<O extends Owner> {
  readonly #parts: OwnedPodsParts<O>;
  readonly #pods: Informer<Pod>;
  readonly #owned: OwnedObjects<Pod, O>;
  /** By the uid of the owner, so that another one of the same name begins anew. */
  readonly #expectations: Expectations;

  constructor(parts: OwnedPodsParts<O>) {
    const { client, informers, clock } = parts;
    this.#parts = parts;
    this.#expectations = new Expectations(clock, SETTLED_AFTER_MS);
    this.#pods = informers.of(kinds.core.v1.pods);
    this.#owned = new OwnedObjects({
      ...parts,
      owned: this.#pods,
      patch: ({ metadata: { namespace, name } }, metadata) =>
        client.core.v1.pods(namespace).patch(name, { strategic: { metadata } }),
    });
  }

  /** Fills the queue with owners whose pods change. */
  watch(queue: KeyQueue): void {
    const { owners } = this.#parts;
    owners.addHandlers({ deleted: ({ metadata }) => this.#expectations.forget(metadata.uid) });
    const ends = (pod: Stored<Pod>) => {
      const controller = controllerOf(pod);
      if (controller !== undefined) this.#expectations.deletionSeen(controller.uid, pod.metadata.uid);
    };
    this.#pods.addHandlers({
      added: (pod) => {
        const controller = controllerOf(pod);
        // One that ends already may be the very one that is waited for, where a watch was lost meanwhile.
        if (controller !== undefined) this.#expectations.creationSeen(controller.uid);
        if (pod.metadata.deletionTimestamp !== undefined) ends(pod);
      },
      updated: (pod) => {
        if (pod.metadata.deletionTimestamp !== undefined) ends(pod);
      },
      deleted: ends,
    });
    this.#owned.watch(queue);
  }

  /** Whether the cache shows all that was done for this owner. As long as it does not, nothing may be created or deleted. */
  settled({ metadata: { uid } }: ControlledBy): boolean {
    return this.#expectations.met(uid);
  }

  /** How long a look at an owner may wait that is no matter of what it asks for. */
  gatheringMs(owner: ControlledBy): number {
    return this.#owned.gatheringMs(owner);
  }

  /** The pods that name this owner as their controller, whatever their labels. */
  controlledBy(owner: ControlledBy): Stored<Pod>[] {
    return this.#owned.controlledBy(owner);
  }

  /** The pods of a namespace that nobody controls. */
  orphansIn(namespace: string, selector: LabelSelector): Stored<Pod>[] {
    return this.#owned.orphansIn(namespace, selector);
  }

  /** What belongs to the owner among the candidates; by default among all that it controls or that nobody does. */
  claim(owner: Stored<O>, selector: LabelSelector, candidates?: Iterable<Stored<Pod>>): Promise<Stored<Pod>[]> {
    return this.#owned.claim(owner, selector, candidates);
  }

  /**
   * Creates pods, few at first, and resolves with whether all were. Fails with the first refusal, once what was begun has
   * ended; a namespace that ends makes no pods, without that being a failure.
   */
  async create(owner: Stored<O>, count: number, draft: (index: number) => PodDraft): Promise<boolean> {
    const { uid } = owner.metadata;
    this.#expectations.expectCreations(uid, count);
    const { skipped, error } = await slowStart(count, async (index) => {
      try {
        await this.#createOne(owner, draft(index));
      } catch (error) {
        this.#expectations.creationSeen(uid);
        throw error;
      }
    });
    for (let left = skipped; left > 0; left -= 1) this.#expectations.creationSeen(uid);
    if (error !== undefined && !isEndingNamespace(error)) throw error;
    return error === undefined;
  }

  async #createOne(owner: Stored<O>, draft: PodDraft): Promise<void> {
    const { client, events } = this.#parts;
    try {
      const pod = await client.core.v1.pods(owner.metadata.namespace).create(draft);
      events.normal(owner, "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
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
      const results = await Promise.allSettled(batch.map((pod) => this.#deleteOne(owner, pod)));
      for (const [at, result] of results.entries()) {
        if (result.status === "fulfilled" && result.value) continue;
        this.#expectations.deletionSeen(uid, batch[at]!.metadata.uid);
        if (result.status === "rejected") failure ??= { error: result.reason };
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  /** False when it was gone already. */
  async #deleteOne(owner: Stored<O>, { metadata: { namespace, name, uid } }: Stored<Pod>): Promise<boolean> {
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
}
