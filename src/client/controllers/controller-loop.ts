// One controller at work: changes become keys in a queue, workers take keys and reconcile.

import type { ObjectKey } from "../../meta/object.ts";
import { isApiError } from "../api-error.ts";
import type { EventRecorder } from "../event-recorder.ts";
import { byController } from "../indexes.ts";
import { type Informer, type InformerOptions, keyOf, keyText, parseKeyText } from "../informer.ts";
import type { ResourceClient } from "../resource-client.ts";
import type { ApiKind, Stored } from "../resources/resource-type.ts";
import type { SharedInformers } from "../shared-informers.ts";
import { WorkQueue } from "../work-queue.ts";
import { type ControllerDefinition, done, type Outcome, type ReconcileContext } from "./controller-definition.ts";
import { OwnWrites } from "./own-writes.ts";
import { controllerKey } from "./owner-reference.ts";
import type { Predicate } from "./watch-declaration.ts";

interface ControllerLoopDeps {
  readonly definition: ControllerDefinition<object>;
  readonly client: ResourceClient;
  readonly informers: SharedInformers;
  readonly recorder: EventRecorder;
  readonly onError: (error: unknown, key: string) => void;
}

const CONTROLLER_INDEX = "controller";

export class ControllerLoop {
  readonly #deps: ControllerLoopDeps;
  readonly #client: ResourceClient;
  readonly #ownWrites: OwnWrites;
  readonly #queue: WorkQueue;
  readonly #informer: Informer<object>;
  readonly #informers = new Map<ApiKind<object>, Informer<object>>();
  readonly #handlers: { remove(): void }[] = [];
  /** The uid behind which `finalize` has cleaned up, by key, until the cache shows the object without our finalizer. */
  readonly #finalized = new Map<string, string>();

  constructor(deps: ControllerLoopDeps) {
    this.#deps = deps;
    const { definition, client } = deps;
    this.#queue = new WorkQueue({ clock: client.clock, flowOf: (key) => parseKeyText(key).namespace ?? "" });
    this.#informer = this.#informerOf(definition.for);
    const { type, cache } = this.#informer;
    this.#ownWrites = new OwnWrites({ type, clock: client.clock, shown: (key) => cache.get(key) });
    this.#client = client.with({ onWritten: (object) => this.#ownWrites.add(object) });
    const seen = (object: Stored<object>) => this.#ownWrites.seen(object);
    this.#handlers.push(this.#informer.addHandlers({ updated: seen, deleted: seen }, { onlyChanges: true }));
    this.#follow(definition.for, definition.predicate, (object) => [keyOf(object)], definition.resyncMs);
    const forget = (object: Stored<object>) => this.#finalized.delete(keyText(keyOf(object)));
    this.#handlers.push(this.#informer.addHandlers({ deleted: forget }));
    for (const declared of definition.owns ?? []) {
      const kind = "ownedKind" in declared ? declared.ownedKind : declared;
      const predicate = "ownedKind" in declared ? declared.predicate : undefined;
      this.#follow(kind, predicate, (object) => {
        const key = controllerKey(object, this.#informer.type);
        return key === undefined ? [] : [key];
      });
      this.#informerOf(kind).addIndexes({ [CONTROLLER_INDEX]: byController });
    }
    for (const { kind, predicate, keysOf } of definition.watches ?? []) this.#follow(kind, predicate, keysOf);
  }

  /** Works until stop() is called, and until what is under way has ended. The signal tells reconciles of the end. */
  async run(signal: AbortSignal): Promise<void> {
    const workers = Array.from({ length: this.#deps.definition.concurrency ?? 1 }, () => this.#work(signal));
    await Promise.all(workers);
    for (const handlers of this.#handlers) handlers.remove();
  }

  stop(): void {
    this.#queue.close();
  }

  #informerOf(kind: ApiKind<object>): Informer<object> {
    const known = this.#informers.get(kind);
    if (known !== undefined) return known;
    const { namespace } = this.#deps.definition;
    const options: InformerOptions<object> = kind.scope === "Namespaced" ? { namespace } : {};
    const informer = this.#deps.informers.of(kind, options);
    this.#informers.set(kind, informer);
    return informer;
  }

  #follow(
    kind: ApiKind<object>,
    predicate: Predicate<object> | undefined,
    keysOf: (object: Stored<object>) => Iterable<ObjectKey>,
    resyncMs?: number,
  ): void {
    const enqueue = (object: Stored<object>) => {
      for (const key of keysOf(object)) this.#queue.add(keyText(key));
    };
    const cares = (object: Stored<object>, old?: Stored<object>) => predicate?.(object, old) ?? true;
    const handlers = {
      added: (object: Stored<object>) => {
        if (cares(object)) enqueue(object);
      },
      updated: (object: Stored<object>, old: Stored<object>) => {
        // A resync shows an object as its own old one: nothing has changed, and that is the point.
        if (object !== old && !cares(object, old)) return;
        enqueue(object);
        // What an object no longer points to must notice as well.
        if (object !== old) enqueue(old);
      },
      deleted: (object: Stored<object>) => {
        if (cares(object)) enqueue(object);
      },
    };
    this.#handlers.push(this.#informerOf(kind).addHandlers(handlers, resyncMs === undefined ? {} : { resyncMs }));
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      try {
        const outcome = await this.#reconcile(key, signal);
        this.#queue.forget(key);
        if (outcome.again === "after") this.#queue.addAfter(key, outcome.ms);
      } catch (error) {
        if (!signal.aborted) {
          // Another writer came between: the cache will show it in a moment, which is no failure worth telling of.
          if (!isApiError(error, "Conflict")) this.#deps.onError(error, key);
          this.#queue.addRateLimited(key);
        }
      } finally {
        this.#queue.done(key);
      }
    }
  }

  async #reconcile(keyInQueue: string, signal: AbortSignal): Promise<Outcome> {
    const { definition } = this.#deps;
    const object = this.#ownWrites.newest(keyInQueue);
    const context = this.#contextOf(keyInQueue, object, signal);
    if (object === undefined) return (await definition.gone?.(context)) ?? done;
    const { finalizer } = definition;
    if (finalizer === undefined) {
      return object.metadata.deletionTimestamp === undefined
        ? ((await definition.reconcile(object, context)) ?? done)
        : done;
    }
    const held = object.metadata.finalizers?.includes(finalizer) ?? false;
    if (object.metadata.deletionTimestamp === undefined) {
      const kept = held ? object : await this.#setFinalizer(object, finalizer, true);
      return (await definition.reconcile(kept, context)) ?? done;
    }
    return held ? this.#finalize(keyInQueue, object, finalizer, context) : done;
  }

  /** Once per object: a cache that is behind, or a conflict while the finalizer goes, does not clean up a second time. */
  async #finalize(
    keyInQueue: string,
    object: Stored<object>,
    finalizer: string,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const { uid } = object.metadata;
    if (this.#finalized.get(keyInQueue) !== uid) {
      const outcome = (await this.#deps.definition.finalize?.(object, context)) ?? done;
      if (outcome.again !== "never") return outcome;
      this.#finalized.set(keyInQueue, uid);
    }
    await this.#setFinalizer(object, finalizer, false);
    return done;
  }

  /** A patch of the list as it was seen: a conflict when another has changed the object since. */
  async #setFinalizer(object: Stored<object>, finalizer: string, wanted: boolean): Promise<Stored<object>> {
    const others = object.metadata.finalizers?.filter((other) => other !== finalizer) ?? [];
    const { resourceVersion } = object.metadata;
    const metadata = { resourceVersion, finalizers: wanted ? [...others, finalizer] : others };
    const resource = this.#client.resource(this.#deps.definition.for);
    try {
      return await resource.patch(keyOf(object), { merge: { metadata } as object });
    } catch (error) {
      if (!wanted && isApiError(error, "NotFound")) return object;
      throw error;
    }
  }

  #contextOf(keyInQueue: string, object: Stored<object> | undefined, signal: AbortSignal): ReconcileContext {
    const client = this.#client;
    const { recorder } = this.#deps;
    const cache = <O>(kind: ApiKind<O>) => {
      const informer = this.#informers.get(kind as ApiKind<unknown> as ApiKind<object>);
      if (informer === undefined) throw new Error(`this controller does not look at ${kind.kind}`);
      return (informer as unknown as Informer<O>).cache;
    };
    return {
      client,
      recorder,
      signal,
      key: parseKeyText(keyInQueue),
      failures: this.#queue.failuresOf(keyInQueue),
      cache,
      owned: (kind) => (object === undefined ? [] : cache(kind).byIndex(CONTROLLER_INDEX, object.metadata.uid)),
    };
  }
}
