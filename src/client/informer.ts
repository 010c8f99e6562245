// An informer: a local copy of a resource that follows every change, and tells handlers of each, in order.
// Several parts of a process share one (see shared-informers.ts), and with it one stream and one copy.

import type { Clock, Timer } from "../base/clock.ts";
import { type IndexFunction, keyOf, keyText, ObjectCache, type ObjectReader } from "./informers/object-cache.ts";
import { ObjectSharer } from "./informers/share-object.ts";
import { type Change, type FollowOptions, followResource } from "./resources/follow-resource.ts";
import type { RequestSender } from "./resources/request-sender.ts";
import type { ResourceType, Stored } from "./resources/resource-type.ts";

export { type IndexFunction, keyOf, keyText, type ObjectReader, parseKeyText } from "./informers/object-cache.ts";

export type { Stored } from "./resources/resource-type.ts";

export interface InformerOptions<T>
  extends Pick<FollowOptions<T>, "labelSelector" | "fieldSelector" | "initialState" | "silenceMs" | "onlyChanged"> {
  /** All namespaces when not given. */
  readonly namespace?: string | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /** Leaves `metadata.managedFields` out, which is often half of an object. A write without it changes nothing of it. */
  readonly withoutManagedFields?: boolean | undefined;
  /** May make objects smaller before they are kept. */
  readonly transform?: ((object: Stored<T>) => Stored<T>) | undefined;
  /** Told of failures that are tried again, and of handlers that throw. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Called one after the other, in the order of changes. They return at once: longer work goes into a queue. */
export interface InformerHandlers<T> {
  added?(object: Stored<T>): void;
  updated?(object: Stored<T>, old: Stored<T>): void;
  /** The last state that is known: where the deletion itself was missed, not the very last. */
  deleted?(object: Stored<T>): void;
  /** Changes were missed: what the state that the server tells anew makes of it follows. Its store may be an older one. */
  missed?(): void;
}

type ObjectEvent = "added" | "updated" | "deleted";

interface HandlerOptions {
  /** Nothing is said of what is there already: for who reads that from the cache, at its own pace. */
  readonly onlyChanges?: boolean | undefined;
  /** After every so many milliseconds `updated` is called for every object, with itself as the old one. */
  readonly resyncMs?: number | undefined;
}

/** An object of its own for each time, so that the same handlers may be added twice. */
interface Registered<T> {
  readonly handlers: InformerHandlers<T>;
}

interface HandlerRegistration {
  /** Nothing is called any more afterwards. */
  remove(): void;
}

export class Informer<T> {
  readonly type: ResourceType;
  readonly #sender: RequestSender;
  readonly #options: InformerOptions<T>;
  readonly #cache = new ObjectCache<T>();
  readonly #registered = new Set<Registered<T>>();
  readonly #resyncs = new Set<Timer>();
  readonly #stop = new AbortController();
  readonly #synced: Deferred = deferred();
  #isSynced = false;
  #running: Promise<void> | undefined;
  #resourceVersion = "";

  constructor(sender: RequestSender, type: ResourceType, options: InformerOptions<T>) {
    this.#sender = sender;
    this.type = type;
    this.#options = options;
    this.addIndexes(options.indexes ?? {});
  }

  /** What is there now. Objects are frozen: change a copy. */
  get cache(): ObjectReader<T> {
    return this.#cache;
  }

  /** Whether the cache has held everything once, and handlers have been told. */
  get synced(): boolean {
    return this.#isSynced;
  }

  /** Up to this version the cache has followed. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get clock(): Clock {
    return this.#sender.clock;
  }

  /** Rejects when the informer is stopped, or its client closed, before. */
  whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  addIndexes(indexes: Readonly<Record<string, IndexFunction<T>>>): void {
    for (const [name, valuesOf] of Object.entries(indexes)) this.#cache.addIndex(name, valuesOf);
  }

  /** Told of everything that is there at once (as added), and of every change from then on. */
  addHandlers(
    handlers: InformerHandlers<T>,
    { resyncMs, onlyChanges = false }: HandlerOptions = {},
  ): HandlerRegistration {
    const own: Registered<T> = { handlers };
    this.#registered.add(own);
    if (!onlyChanges) for (const object of this.#cache.list()) this.#tellOne(own, "added", object, object);
    const resync = () => {
      for (const object of this.#cache.list()) this.#tellOne(own, "updated", object, object);
    };
    const timer = resyncMs === undefined ? undefined : this.#sender.clock.every(resyncMs, resync);
    if (timer !== undefined) this.#resyncs.add(timer);
    return {
      remove: () => {
        this.#registered.delete(own);
        if (timer === undefined) return;
        timer.cancel();
        this.#resyncs.delete(timer);
      },
    };
  }

  /** Begins to follow; once more is the same. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the stream, and tells nobody any more; the cache stays as it is. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the informer was stopped"));
    this.#synced.reject(this.#stop.signal.reason);
    for (const timer of this.#resyncs) timer.cancel();
    this.#registered.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { namespace, labelSelector, fieldSelector, initialState, silenceMs, transform, onError } = this.#options;
    const { withoutManagedFields = false, onlyChanged } = this.#options;
    const sharer = new ObjectSharer();
    let last: Stored<T> | undefined;
    const share = (object: Stored<T>): Stored<T> => {
      // Most like its own last version, else like its neighbour in a list.
      last = sharer.share(object, this.#cache.get(keyText(keyOf(object))) ?? last);
      return last;
    };
    const changes = followResource<T>(
      this.#sender,
      { type: this.type, namespace },
      {
        labelSelector,
        fieldSelector,
        initialState,
        silenceMs,
        onlyChanged,
        keepTrying: true,
        signal: this.#stop.signal,
        // Whoever has a shape of its own has its own objects.
        ...(transform === undefined
          ? {
              sharing: withoutManagedFields
                ? { shape: "without managers", share: (object) => share(withoutManagers(object)) }
                : { shape: "whole", share },
            }
          : { transform: (object) => share(transform(withoutManagedFields ? withoutManagers(object) : object)) }),
        onRetry: (error) => onError?.(error),
      },
    );
    try {
      for await (const change of changes) this.#take(change);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      // There is nobody left to ask, for ever: the client was closed.
      this.#synced.reject(error);
      onError?.(error);
    }
  }

  #take(change: Change<T>): void {
    switch (change.type) {
      case "ADDED":
      case "MODIFIED":
        this.#put(keyText(keyOf(change.object)), change.object);
        break;
      case "DELETED": {
        const key = keyText(keyOf(change.object));
        if (this.#cache.delete(key) !== undefined) this.#tell("deleted", change.object);
        break;
      }
      case "SYNC":
        if (this.#isSynced) this.#tellMissed();
        this.#replace(change.items);
        break;
      case "BOOKMARK":
        break;
    }
    this.#resourceVersion = change.resourceVersion;
    if (change.type === "SYNC" && !this.#isSynced) {
      this.#isSynced = true;
      this.#synced.resolve();
    }
  }

  #put(key: string, object: Stored<T>): void {
    const old = this.#cache.get(key);
    if (old === undefined) {
      this.#cache.set(key, object);
      this.#tell("added", object);
    } else if (old.metadata.uid !== object.metadata.uid) {
      // The same name, but another object: the deletion of the first was missed.
      this.#cache.delete(key);
      this.#tell("deleted", old);
      this.#cache.set(key, object);
      this.#tell("added", object);
    } else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#cache.set(key, object);
      this.#tell("updated", object, old);
    }
  }

  #replace(items: readonly Stored<T>[]): void {
    const gone = new Set(this.#cache.keys());
    for (const item of items) gone.delete(keyText(keyOf(item)));
    for (const key of gone) {
      const old = this.#cache.delete(key)!;
      this.#tell("deleted", old);
    }
    for (const item of items) this.#put(keyText(keyOf(item)), item);
  }

  #tellMissed(): void {
    for (const { handlers } of this.#registered) {
      try {
        handlers.missed?.();
      } catch (error) {
        this.#options.onError?.(error);
      }
    }
  }

  #tell(event: ObjectEvent, object: Stored<T>, old: Stored<T> = object): void {
    for (const registered of this.#registered) this.#tellOne(registered, event, object, old);
  }

  #tellOne({ handlers }: Registered<T>, event: ObjectEvent, object: Stored<T>, old: Stored<T>): void {
    try {
      if (event === "updated") handlers.updated?.(object, old);
      else handlers[event]?.(object);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}

/** They may not even be decoded: nobody asks what they are. */
function withoutManagers<T>(object: Stored<T>): Stored<T> {
  const whole = object.metadata as unknown as Readonly<Record<string, unknown>>;
  if (!Object.hasOwn(whole, "managedFields")) return object;
  const metadata: Record<string, unknown> = {};
  for (const key of Object.keys(whole)) {
    if (key !== "managedFields" && key !== "__proto__") metadata[key] = whole[key];
  }
  return { ...object, metadata } as unknown as Stored<T>;
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(reason: unknown): void;
}

function deferred(): Deferred {
  let settle: Omit<Deferred, "promise"> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Nobody need wait for it.
  promise.catch(() => undefined);
  return { promise, ...settle! };
}
