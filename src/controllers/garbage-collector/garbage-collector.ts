// Controller: ends what belongs only to owners that have ended, and carries foreground deletions and orphaning through.
// Requirements: document 1, "Deletion of an object"; propagation policies as upstream.

import { isApiError } from "../../client/api-error.ts";
import type { Stored } from "../../client/informer.ts";
import type { Resource } from "../../client/resource-client.ts";
import { type ApiObject, apiVersionOf, type OwnerReference } from "../../meta/object.ts";
import {
  type ControllerContext,
  type ControllerDefinition,
  done,
  type KeyQueue,
  type Outcome,
} from "../framework/controller.ts";
import { AbsentOwners } from "./absent-owners.ts";
import {
  FOREGROUND_FINALIZER,
  type ObservedObject,
  ORPHAN_FINALIZER,
  type OwnerLink,
  ownersOf,
  phaseOf,
} from "./graph-node.ts";
import { type JudgedOwner, judgeObject, type Standing } from "./judge-object.ts";
import { KindFollower } from "./kind-follower.ts";
import { OwnerGraph } from "./owner-graph.ts";

/** Dependents that are let go side by side. */
const AT_ONCE = 8;
/** How often a deletion is tried with a newer version when others write to an object whose owners stay the same. */
const MAX_ATTEMPTS = 5;

export const garbageCollector: ControllerDefinition = {
  name: "garbage-collector-controller",
  aliases: ["garbagecollector"],
  account: "generic-garbage-collector",
  missing: ({ enableGarbageCollector }) => (enableGarbageCollector ? undefined : "--enable-garbage-collector"),
  workers: ({ concurrentGcSyncs }) => concurrentGcSyncs,
  build: (context) => {
    const collector = new GarbageCollector(context);
    return {
      watch: (queue) => collector.fill(queue),
      start: (signal) => collector.start(signal),
      reconcile: (key, signal) => collector.reconcile(key, signal),
    };
  },
};

class GarbageCollector {
  readonly #context: ControllerContext;
  readonly #absent = new AbsentOwners();
  readonly #graph = new OwnerGraph((object) => this.#look(object));
  readonly #follower: KindFollower;
  #queue: KeyQueue | undefined;
  #started = false;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#follower = new KindFollower({
      client: context.client,
      informers: context.informers,
      clock: context.clock,
      log: context.log,
      graph: this.#graph,
      onSeen: (object) => this.#absent.deleteObject(object),
      onGone: (object) => this.#absent.addObject(object),
      onMissed: () => this.#absent.clear(),
      onFailure: () => context.metrics.kindsNotFollowed(),
    });
  }

  fill(queue: KeyQueue): void {
    this.#queue = queue;
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#follower.start(signal);
    this.#started = true;
    // Until now owners were missing only because they had not been read yet.
    for (const object of this.#graph.objects()) if (this.#graph.needsLook(object)) this.#look(object);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    const object = this.#graph.get(key.slice(key.indexOf("/") + 1));
    if (object === undefined) return done;
    switch (object.phase) {
      case "ending":
        break;
      case "orphaning":
        await this.#letDependentsGo(object, signal);
        break;
      case "deletingDependents":
        if (this.#graph.blockingCount(object.uid) === 0) await this.#removeFinalizer(object, FOREGROUND_FINALIZER);
        break;
      case "live":
        if (this.#graph.needsLook(object)) await this.#collect(object);
        break;
    }
    return done;
  }

  #look({ namespace, uid }: ObservedObject): void {
    if (this.#started) this.#queue?.add(`${namespace}/${uid}`);
  }

  async #collect(object: ObservedObject): Promise<void> {
    const latest = await this.#newest(object);
    if (latest === undefined || phaseOf(latest.metadata) !== "live") return;
    const { finalizers = [] } = latest.metadata;
    const owners: JudgedOwner[] = [];
    for (const link of ownersOf(latest.metadata)) owners.push({ link, standing: await this.#standingOf(link, object) });
    const verdict = judgeObject({
      owners,
      finalizers,
      hasDependents: this.#graph.hasDependents(object.uid),
      inCircle: this.#isInCircle(object),
    });
    switch (verdict.type) {
      case "keep":
        return;
      case "leave-owners":
        await this.#writeOwners(object, latest, without(latest.metadata.ownerReferences, verdict.owners));
        return;
      case "delete": {
        const { propagationPolicy, unblockOwners } = verdict;
        const current = unblockOwners
          ? await this.#writeOwners(object, latest, unblocking(latest.metadata.ownerReferences))
          : latest;
        if (current !== undefined) await this.#delete(object, current, propagationPolicy);
      }
    }
  }

  async #standingOf(link: OwnerLink, dependent: ObservedObject): Promise<Standing> {
    const known = this.#graph.standingOf(link, dependent.namespace);
    if (known !== "unseen") return known;
    this.#reportForeignOwner(link, dependent);
    if (this.#absent.has(link, dependent.namespace)) return "absent";
    const served = this.#follower.kinds?.resolve(link.apiVersion, link.kind);
    // A kind that nobody serves now may come back, with its objects: seenAll() then asks again.
    if (served === undefined) return "undecided";
    // Nobody can say which namespace is meant.
    if (served.namespaced && dependent.namespace === "") return "undecided";
    const namespace = served.namespaced ? dependent.namespace : "";
    const owner = await this.#context.client.named({ ...served, metadataOnly: true }, namespace).find(link.name);
    if (owner !== undefined && owner.metadata.uid === link.uid)
      return phaseOf(owner.metadata) === "deletingDependents" ? "waiting" : "solid";
    this.#absent.add(link, namespace);
    return "absent";
  }

  /** Owners in other namespaces are none: their dependents are told, since they may be about to end. */
  #reportForeignOwner(link: OwnerLink, dependent: ObservedObject): void {
    const owner = this.#graph.get(link.uid);
    if (owner === undefined || owner.namespace === "" || owner.namespace === dependent.namespace) return;
    const { apiVersion, kind, name, uid } = link;
    const { namespace } = dependent;
    const described = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    this.#context.events.warning(
      referenceTo(dependent),
      "OwnerRefInvalidNamespace",
      `ownerRef ${described} does not exist in namespace ${JSON.stringify(namespace)}`.slice(0, MAX_MESSAGE_CHARS),
    );
  }

  #isInCircle({ uid }: ObservedObject): boolean {
    for (const { phase } of this.#graph.dependentsOf(uid)) if (phase === "deletingDependents") return true;
    return false;
  }

  async #letDependentsGo(owner: ObservedObject, signal: AbortSignal): Promise<void> {
    const queue = [...this.#graph.dependentsOf(owner.uid)];
    let failure: { readonly error: unknown } | undefined;
    const worker = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined && !signal.aborted; next = queue.pop()) {
        try {
          await this.#letGo(next, owner);
        } catch (error) {
          // The others are let go all the same: each is one less for the next attempt.
          failure ??= { error };
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    signal.throwIfAborted();
    if (failure !== undefined) throw failure.error;
    await this.#removeFinalizer(owner, ORPHAN_FINALIZER);
  }

  async #letGo(dependent: ObservedObject, owner: ObservedObject): Promise<void> {
    const latest = await this.#newest(dependent);
    const references = latest?.metadata.ownerReferences;
    if (latest === undefined || references === undefined) return;
    const left = references.filter(({ uid }) => uid !== owner.uid);
    if (left.length < references.length) await this.#writeOwners(dependent, latest, left);
  }

  async #removeFinalizer(object: ObservedObject, finalizer: string): Promise<void> {
    const latest = await this.#newest(object);
    if (latest === undefined || latest.metadata.deletionTimestamp === undefined) return;
    const { finalizers = [], resourceVersion } = latest.metadata;
    const left = finalizers.filter((each) => each !== finalizer);
    if (left.length === finalizers.length) return;
    await this.#patch(object, { resourceVersion, finalizers: left });
  }

  async #delete(
    object: ObservedObject,
    latest: Stored<ApiObject>,
    propagationPolicy: "Orphan" | "Foreground" | "Background",
  ): Promise<void> {
    const { uid } = object;
    let current: Stored<ApiObject> | undefined = latest;
    for (let attempt = 1; current !== undefined; attempt += 1) {
      const { resourceVersion } = current.metadata;
      try {
        const preconditions = { uid, resourceVersion };
        await this.#resourceOf(object).delete(object.name, { propagationPolicy, preconditions });
        return;
      } catch (error) {
        if (isApiError(error, "NotFound")) return this.#forget(object);
        if (!isApiError(error, "Conflict") || attempt >= MAX_ATTEMPTS) throw error;
        const newer = await this.#newest(object);
        const same = newer !== undefined && isOwnedAlike(newer, latest);
        // With other owners the judgement is another one: the key comes back with what the graph then knows.
        if (newer !== undefined && !same) throw error;
        current = newer;
      }
    }
  }

  #writeOwners(
    object: ObservedObject,
    latest: Stored<ApiObject>,
    ownerReferences: OwnerReference[],
  ): Promise<Stored<ApiObject> | undefined> {
    return this.#patch(object, { resourceVersion: latest.metadata.resourceVersion, ownerReferences });
  }

  /** Undefined when the object has gone. With its version: a new object of the same name is not meant. */
  async #patch(
    object: ObservedObject,
    metadata: Partial<ApiObject["metadata"]>,
  ): Promise<Stored<ApiObject> | undefined> {
    try {
      return await this.#resourceOf(object).patch(object.name, { merge: { metadata } });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      this.#forget(object);
      return undefined;
    }
  }

  /** The object as it is now; undefined when it has gone, also when another one bears its name. */
  async #newest(object: ObservedObject): Promise<Stored<ApiObject> | undefined> {
    const latest = await this.#resourceOf(object).find(object.name);
    if (latest?.metadata.uid === object.uid) return latest;
    this.#forget(object);
    return undefined;
  }

  /** The news of its end is on its way; its dependents need not wait for it. */
  #forget(object: ObservedObject): void {
    this.#absent.addObject(object);
    this.#graph.remove(object.uid);
  }

  #resourceOf({ kind, namespace }: ObservedObject): Resource<ApiObject> {
    return this.#context.client.named({ ...kind, metadataOnly: true }, namespace);
  }
}

/** References hold text of users, of any length. */
const MAX_MESSAGE_CHARS = 1_024;

function referenceTo({ kind, namespace, name, uid }: ObservedObject) {
  const apiVersion = apiVersionOf(kind.group, kind.version);
  return { apiVersion, kind: kind.kind, metadata: { name, uid, ...(namespace === "" ? {} : { namespace }) } };
}

const idOf = ({ apiVersion, kind, name, uid }: Pick<OwnerLink, "apiVersion" | "kind" | "name" | "uid">): string =>
  JSON.stringify([apiVersion, kind, name, uid]);

function without(references: readonly OwnerReference[] = [], owners: readonly OwnerLink[]): OwnerReference[] {
  const left = new Set(owners.map(idOf));
  return references.filter((reference) => !left.has(idOf(reference)));
}

const unblocking = (references: readonly OwnerReference[] = []): OwnerReference[] =>
  references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));

function isOwnedAlike(a: Stored<ApiObject>, b: Stored<ApiObject>): boolean {
  const idsOf = ({ metadata }: Stored<ApiObject>) => JSON.stringify(ownersOf(metadata).map(idOf));
  return idsOf(a) === idsOf(b) && phaseOf(a.metadata) === "live";
}
