// Keeps the pods of one kind of replicated objects: wiring, around the rules of how many, which, and what is said of them.

import { cloneJson } from "../../base/json.ts";
import type { Client } from "../../client/client.ts";
import { generationChanged } from "../../client/controller.ts";
import { type Informer, keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { againAfterMs, type Controller, type ControllerContext, done, type KeyQueue } from "../framework/controller.ts";
import { controllerOf } from "../pods-of-owner/claim-objects.ts";
import { errorWords } from "../pods-of-owner/error-words.ts";
import { OwnedPods, SETTLED_AFTER_MS } from "../pods-of-owner/owned-pods.ts";
import { podFromTemplate } from "../pods-of-owner/pod-from-template.ts";
import { isActive, isTerminating, msUntilNextAvailable } from "../pods-of-owner/pod-state.ts";
import { rankForDeletion } from "../pods-of-owner/rank-pods.ts";
import { planReplicas } from "./replica-plan.ts";
import { replicaStatus } from "./replica-status.ts";
import { type Replicated, wantedReplicas } from "./replicated.ts";

interface ReplicatedKind<O extends Replicated> {
  /** With an index "controller". */
  readonly owners: Informer<O>;
  readonly selectorOf: (owner: Stored<O>) => LabelSelector | undefined;
  readonly resource: (client: Client, namespace: string) => ReplicatedResource<O>;
  /** Whether the status tells of pods that end. */
  readonly countsTerminating: boolean;
}

/** The part of Resource<O> that is asked for. */
interface ReplicatedResource<O> {
  find(name: string): Promise<Stored<O> | undefined>;
  readonly status: { update(object: Draft<O>, options: { readonly answer: "unread" }): Promise<unknown> };
}

export class ReplicaController<O extends Replicated> implements Controller {
  readonly #context: ControllerContext;
  readonly #kind: ReplicatedKind<O>;
  readonly #pods: OwnedPods<O>;

  constructor(context: ControllerContext, kind: ReplicatedKind<O>) {
    this.#context = context;
    this.#kind = kind;
    this.#pods = new OwnedPods<O>({
      ...context,
      owners: kind.owners,
      selectorOf: kind.selectorOf,
      findOwner: (namespace, name) => kind.resource(context.client, namespace).find(name),
    });
  }

  watch(queue: KeyQueue): void {
    const add = (set: Stored<O>) => queue.add(keyText(keyOf(set)));
    this.#kind.owners.addHandlers({
      added: add,
      deleted: add,
      updated: (set, old) => {
        // What the controller itself says of many pods must not make it count them all again at once.
        if (generationChanged(set, old)) add(set);
        else queue.addAfter(keyText(keyOf(set)), this.#pods.gatheringMs(set));
      },
    });
    this.#pods.watch(queue);
  }

  subject(key: string): Stored<O> | undefined {
    return this.#kind.owners.cache.get(key);
  }

  async reconcile(key: string) {
    const set = this.#kind.owners.cache.get(key);
    const selector = set === undefined ? undefined : this.#kind.selectorOf(set);
    if (set === undefined || selector === undefined) return done;
    const { metadata, spec } = set;
    const settled = this.#pods.settled(set);
    const controlled = this.#pods.controlledBy(set);
    const candidates = [...controlled, ...this.#pods.orphansIn(metadata.namespace ?? "", selector)];
    const pods = await this.#pods.claim(set, selector, candidates.filter(isActive));
    let failure: { readonly error: unknown } | undefined;
    let moving = false;
    if (settled && metadata.deletionTimestamp === undefined) {
      try {
        moving = await this.#reach(set, selector, pods);
      } catch (error) {
        failure = { error };
      }
    }
    const nowMs = this.#context.clock.nowMs();
    const words = failure === undefined ? undefined : errorWords(failure.error);
    const ends = (pod: Stored<Pod>) => isTerminating(pod) && selector.matches(pod.metadata.labels);
    const terminating = this.#kind.countsTerminating ? controlled.filter(ends).length : undefined;
    const status = replicaStatus(set, { activePods: pods, terminating, failure: words, moving, nowMs });
    if (status !== undefined) {
      const { client } = this.#context;
      // With its version: counts belong to the generation that they were made for.
      const changed = { ...cloneJson(set), status } as unknown as Draft<O>;
      await this.#kind.resource(client, metadata.namespace ?? "").status.update(changed, { answer: "unread" });
    }
    if (failure !== undefined) throw failure.error;
    const waitMs = msUntilNextAvailable(pods, spec.minReadySeconds ?? 0, nowMs);
    if (waitMs !== undefined) return againAfterMs(waitMs);
    // Also for what was done just now: a pod that goes before the cache has seen it brings nobody back.
    return this.#pods.settled(set) ? done : againAfterMs(SETTLED_AFTER_MS);
  }

  /** Resolves with whether pods are on their way, to the cache or out of it. */
  async #reach(set: Stored<O>, selector: LabelSelector, pods: readonly Stored<Pod>[]): Promise<boolean> {
    const plan = planReplicas(wantedReplicas(set), pods.length);
    switch (plan.type) {
      case "nothing":
        return false;
      case "create": {
        const { template } = set.spec;
        // Such pods would be let go at once, and made again without end. The server refuses such sets; older ones may be there.
        if (!template || !selector.matches(template.metadata.labels)) {
          this.#context.events.warning(set, "FailedCreate", `Error creating: ${UNUSABLE_TEMPLATE}`);
          throw new Error(UNUSABLE_TEMPLATE);
        }
        return this.#pods.create(set, plan.count, () => podFromTemplate(template, set));
      }
      case "delete": {
        const { clock, names, gateEnabled } = this.#context;
        const options = {
          nowMs: clock.nowMs(),
          deletionCostAnnotation: gateEnabled("PodDeletionCost") ? names.podDeletionCostAnnotation : undefined,
          related: this.#relatedPods(set),
        };
        const ranked = plan.count < pods.length ? rankForDeletion(pods, options) : pods;
        await this.#pods.delete(set, ranked.slice(0, plan.count));
        return true;
      }
    }
  }

  /** Pods of all sets of the same controller: the old and new ones of a rollout stand for the same service. */
  *#relatedPods(set: Stored<O>): Generator<Stored<Pod>> {
    const controller = controllerOf(set);
    const siblings = controller === undefined ? [set] : this.#kind.owners.cache.byIndex("controller", controller.uid);
    for (const sibling of siblings) yield* this.#pods.controlledBy(sibling);
  }
}

const UNUSABLE_TEMPLATE = "the selector does not match the labels of the template";
