// Brings one StatefulSet a step further: its revisions, its pods with their claims, and what it says of them.

import { cloneJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { againAfterMs, type ControllerContext, done, type Outcome } from "../framework/controller.ts";
import { errorWords, isEndingNamespace } from "../pods-of-owner/error-words.ts";
import type { OwnedPods } from "../pods-of-owner/owned-pods.ts";
import { msUntilNextAvailable } from "../pods-of-owner/pod-state.ts";
import { slowStart } from "../pods-of-owner/slow-start.ts";
import { templateOf } from "../revisions/revision.ts";
import type { RevisionHistory } from "../revisions/revision-history.ts";
import { type ClaimOwner, claimOwnership, hasStaleOwner, ownerSet } from "./claim-ownership.ts";
import { planStatefulSet, type SetPlan, type SetState, sortPods } from "./plan-stateful-set.ts";
import { claimsOf, identityLabels, ordinalOf, type PodOrder, podName, podOfSet, revisionOf } from "./stateful-pod.ts";
import { nextStatus } from "./stateful-set-status.ts";

interface StatefulSetSyncParts {
  readonly context: ControllerContext;
  readonly pods: OwnedPods<StatefulSet>;
  readonly history: RevisionHistory<StatefulSet>;
  readonly claims: Informer<PersistentVolumeClaim>;
}

export class StatefulSetSync {
  readonly #parts: StatefulSetSyncParts;

  constructor(parts: StatefulSetSyncParts) {
    this.#parts = parts;
  }

  async run(set: Stored<StatefulSet>, selector: LabelSelector): Promise<Outcome> {
    const { context, pods: owned, history } = this.#parts;
    const { names, clock } = context;
    // Only pods whose names are the set's may be its own.
    const candidates = [...owned.controlledBy(set), ...owned.orphansIn(set.metadata.namespace ?? "", selector)];
    const pods = await owned.claim(
      set,
      selector,
      candidates.filter((pod) => ordinalOf(set, pod) !== undefined),
    );
    // The garbage collector decides what becomes of its pods: they are only counted.
    if (set.metadata.deletionTimestamp !== undefined) {
      const { currentRevision: current, updateRevision: update, collisionCount } = set.status;
      if (current !== undefined && update !== undefined)
        await this.#say(set, pods, { current, update, collisionCount, deleted: new Set(), nowMs: clock.nowMs() });
      return this.#untilNext(set, pods);
    }
    const { template } = set.spec;
    const { revision, all, collisionCount } = await history.present(set, selector, template, set.status.collisionCount);
    const update = { name: revision.metadata.name, template };
    const known = all.find(({ metadata }) => metadata.name === set.status.currentRevision);
    const oldTemplate = known && templateOf(known);
    const current = oldTemplate === undefined ? update : { name: known!.metadata.name, template: oldTemplate };
    const hasStaleClaim = (ordinal: number) => this.#hasStaleClaim(set, ordinal);
    const state: SetState = { set, pods, current, update, hasStaleClaim, names, nowMs: clock.nowMs() };
    const plan = planStatefulSet(state);

    let failure: { readonly error: unknown } | undefined;
    await this.#act(state, plan).catch((error: unknown) => {
      failure = { error };
    });
    await this.#say(set, pods, {
      current: current.name,
      update: update.name,
      collisionCount,
      deleted: new Set(failure === undefined ? plan.delete : []),
      nowMs: state.nowMs,
    });
    const used = new Set([current.name, update.name, ...pods.map(revisionOf)]);
    const limit = set.spec.revisionHistoryLimit ?? 10;
    await history.truncate(all, ({ metadata }) => used.has(metadata.name), { limit, counts: "unused" });
    if (failure !== undefined) throw failure.error;
    return this.#untilNext(set, pods);
  }

  async #say(
    set: Stored<StatefulSet>,
    pods: readonly Stored<Pod>[],
    parts: Parameters<typeof nextStatus>[2],
  ): Promise<void> {
    const status = nextStatus(set, pods, parts);
    if (status === undefined) return;
    const { client } = this.#parts.context;
    await client.apps.v1.statefulSets(set.metadata.namespace).status.update({ ...cloneJson(set), status });
  }

  /** A pod becomes available by waiting alone. */
  #untilNext({ spec }: Stored<StatefulSet>, pods: readonly Stored<Pod>[]): Outcome {
    const waitMs = msUntilNextAvailable(pods, spec.minReadySeconds ?? 0, this.#parts.context.clock.nowMs());
    return waitMs === undefined ? done : againAfterMs(waitMs);
  }

  async #act(state: SetState, plan: SetPlan): Promise<void> {
    const { set, pods } = state;
    for (const pod of plan.relabel) await this.#relabel(state, pod);
    for (const pod of plan.needClaims) await this.#createClaims(set, ordinalOf(set, pod)!);
    const { error } = await slowStart(plan.create.length, (at) => this.#create(state, plan.create[at]!));
    if (error !== undefined) throw error;
    const { condemned } = sortPods(state);
    const away = new Set(condemned);
    // Before pods go: their claims may have to go with them.
    for (const pod of pods) await this.#setClaimOwners(set, pod, away.has(pod));
    for (const pod of plan.delete) await this.#delete(set, pod);
  }

  async #create({ set, names }: SetState, order: PodOrder): Promise<void> {
    const { client } = this.#parts.context;
    const name = podName(set, order.ordinal);
    try {
      await this.#createClaims(set, order.ordinal);
      await client.core.v1.pods(set.metadata.namespace).create(podOfSet(set, order, names));
    } catch (error) {
      // It is there, and the cache does not show it yet; or it is somebody else's, and the name is taken.
      if (!isApiError(error, "AlreadyExists") && !isEndingNamespace(error)) this.#report(set, "create", name, error);
      throw error;
    }
    this.#report(set, "create", name);
  }

  async #delete(set: Stored<StatefulSet>, { metadata: { namespace, name, uid } }: Stored<Pod>): Promise<void> {
    try {
      await this.#parts.context.client.core.v1.pods(namespace).delete(name, { preconditions: { uid } });
    } catch (error) {
      // Gone, or another pod by now: the cache is behind.
      if (isApiError(error, "NotFound", "Conflict")) return;
      this.#report(set, "delete", name, error);
      throw error;
    }
    this.#report(set, "delete", name);
  }

  async #relabel({ set, names }: SetState, pod: Stored<Pod>): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const labels = identityLabels(set, ordinalOf(set, pod)!, names);
    try {
      await this.#parts.context.client.core.v1.pods(namespace).patch(name, { merge: { metadata: { uid, labels } } });
    } catch (error) {
      this.#report(set, "update", name, error);
      throw error;
    }
    this.#report(set, "update", name);
  }

  /** Creates all that can be; what cannot is told of each, and of the pod for all of them. */
  async #createClaims(set: Stored<StatefulSet>, ordinal: number): Promise<void> {
    const { client, events } = this.#parts.context;
    const { namespace = "", name: setName } = set.metadata;
    const pod = podName(set, ordinal);
    const problems: string[] = [];
    for (const { claim } of claimsOf(set, ordinal)) {
      const { name } = claim.metadata;
      const known = this.#parts.claims.cache.get({ namespace, name });
      if (known?.metadata.deletionTimestamp !== undefined) problems.push(`pvc ${name} is being deleted`);
      if (known !== undefined) continue;
      try {
        await client.core.v1.persistentVolumeClaims(namespace).create(claim);
        events.normal(set, "SuccessfulCreate", `create Claim ${name} Pod ${pod} in StatefulSet ${setName} success`);
      } catch (error) {
        if (isApiError(error, "AlreadyExists")) continue;
        if (isEndingNamespace(error)) throw error;
        const words = errorWords(error);
        const about = `create Claim ${name} for Pod ${pod} in StatefulSet ${setName}`;
        events.warning(set, "FailedCreate", `${about} failed error: ${words}`);
        problems.push(`failed to create PVC ${name}: ${words}`);
      }
    }
    if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`);
  }

  /** Writes who owns the claims of a pod, as the retention policy wants it. */
  async #setClaimOwners(set: Stored<StatefulSet>, pod: Stored<Pod>, isScaledAway: boolean): Promise<void> {
    const { client, events } = this.#parts.context;
    const { namespace = "", name, uid } = pod.metadata;
    for (const { claim } of claimsOf(set, ordinalOf(set, pod)!)) {
      const known = this.#parts.claims.cache.get({ namespace, name: claim.metadata.name });
      if (known === undefined) continue;
      const answer = claimOwnership({
        references: known.metadata.ownerReferences ?? [],
        policy: set.spec.persistentVolumeClaimRetentionPolicy,
        set: ownerSet(set),
        pod: { ...podOwner(name), uid },
        isScaledAway,
      });
      if (answer.type === "conflict") {
        const what = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a managing controller`;
        events.warning(set, "ConflictingController", `${what}, the retention policy is ignored for this claim`);
      }
      if (answer.type === "right" || answer.references === undefined) continue;
      const changed = cloneJson(known);
      changed.metadata.ownerReferences = answer.references;
      await client.core.v1.persistentVolumeClaims(namespace).update(changed);
    }
  }

  /** A claim that goes with an earlier pod of the same name must be gone before the next one comes. */
  #hasStaleClaim(set: Stored<StatefulSet>, ordinal: number): boolean {
    if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return false;
    const { namespace = "" } = set.metadata;
    return claimsOf(set, ordinal).some(({ claim }) => {
      const known = this.#parts.claims.cache.get({ namespace, name: claim.metadata.name });
      return hasStaleOwner(known?.metadata.ownerReferences ?? [], podOwner(podName(set, ordinal)));
    });
  }

  #report(set: Stored<StatefulSet>, verb: "create" | "update" | "delete", pod: string, error?: unknown): void {
    const { events } = this.#parts.context;
    const word = `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`;
    const about = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    if (error === undefined) events.normal(set, `Successful${word}`, `${about} successful`);
    else events.warning(set, `Failed${word}`, `${about} failed error: ${errorWords(error)}`);
  }
}

function podOwner(name: string): Omit<ClaimOwner, "uid"> {
  return { apiVersion: "v1", kind: "Pod", name };
}
