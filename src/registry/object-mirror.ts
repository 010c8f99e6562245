// A decoded copy of one resource that follows every change: what authorization, admission and extensions look things up
// in, without a scan or a decode per request. With an in-process engine a change is here before its writer is answered.

import { type FieldPath, FieldPicker } from "../codec/field-picker.ts";
import type { ApiObject } from "../meta/object.ts";
import type { Revision } from "../storage/engine.ts";
import type { StorageError } from "../storage/storage-error.ts";
import type { CacheEvent, CacheItem, CacheWatch, EventType } from "../storage/watch-cache.ts";
import type { ObjectStore } from "./object-store.ts";

export interface MirrorOptions<P> {
  /** What is kept of an object; by default all of it. Undefined keeps nothing. */
  readonly project?: (object: ApiObject) => P | undefined;
  /** All that `project` looks at, `metadata.resourceVersion` included: of large objects nothing else is decoded for it. */
  readonly fields?: readonly FieldPath[];
  /** Called after every change, in order, and once per object while loading. */
  readonly onChange?: (key: string, now: P | undefined, before: P | undefined) => void;
  readonly log?: (message: string, error: unknown) => void;
  /** Follows this object alone. */
  readonly only?: { readonly namespace: string; readonly name: string };
}

export class ObjectMirror<P = ApiObject> {
  readonly #store: ObjectStore;
  readonly #options: MirrorOptions<P>;
  readonly #entries = new Map<string, P>();
  /** The same by namespace, from the first time that somebody asks for one. */
  #byScope: Map<string, Map<string, P>> | undefined;
  #watch: CacheWatch | undefined;
  #loading: Promise<void> | undefined;
  #closed = false;
  readonly #picker: FieldPicker | undefined;

  constructor(store: ObjectStore, options: MirrorOptions<P> = {}) {
    this.#store = store;
    this.#options = options;
    this.#picker = options.fields && new FieldPicker(options.fields);
  }

  /** Resolves when every object is here. Safe to call often. */
  ready(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  get(namespace: string, name: string): P | undefined {
    return this.#entries.get(this.#store.keyOf(namespace, name));
  }

  /** All entries, or those of one namespace. */
  values(namespace = ""): IterableIterator<P> {
    if (namespace === "") return this.#entries.values();
    this.#byScope ??= this.#indexed();
    return (this.#byScope.get(this.#store.scopeOf(namespace)) ?? NO_ENTRIES).values();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Resolves when everything that was committed anywhere before this call is here. */
  async sync(): Promise<void> {
    await this.ready();
    const newest: Revision = await this.#store.engine.currentRevision();
    await this.#store.cache.waitUntil(newest, SYNC_TIMEOUT_MS);
  }

  close(): void {
    this.#closed = true;
    this.#watch?.close();
  }

  async #load(): Promise<void> {
    const release = this.#store.keepDecoded();
    try {
      await this.#store.cache.ready();
      this.#follow();
    } finally {
      release();
    }
  }

  #follow(): void {
    const { cache, prefix } = this.#store;
    const { only } = this.#options;
    const scope = only === undefined ? prefix : this.#store.keyOf(only.namespace, only.name);
    const snapshot = cache.snapshot();
    if (snapshot === undefined) throw new Error("the cache holds no state");
    const seen = new Set<string>();
    snapshot.visit(scope, undefined, (item) => {
      // Keys of longer names begin with the one that is followed.
      if (only !== undefined && item.key !== scope) return true;
      seen.add(item.key);
      this.#put(item);
      return true;
    });
    for (const key of [...this.#entries.keys()]) if (!seen.has(key)) this.#remove(key);
    this.#watch = cache.watch({
      scope,
      after: snapshot.revision,
      sink: {
        event: (event: CacheEvent, type: EventType) =>
          type === "DELETED" ? this.#remove(event.item.key) : this.#put(event.item),
        ended: (reason) => this.#ended(reason),
      },
    });
  }

  #ended(reason: StorageError | "closed"): void {
    if (this.#closed || reason === "closed") return;
    // History was lost: what is here stays in use until the new state has been compared with it.
    this.#loading = undefined;
    this.ready().catch((error: unknown) => {
      this.#options.log?.("a mirror could not be loaded again", error);
      this.#store.clock.setTimer(RELOAD_MS, () => this.#ended(reason));
    });
  }

  #indexed(): Map<string, Map<string, P>> {
    const byScope = new Map<string, Map<string, P>>();
    for (const [key, entry] of this.#entries) addTo(byScope, key, entry);
    return byScope;
  }

  #put(item: CacheItem): void {
    if (item.corrupt !== undefined) return;
    const object = this.#store.objectOf(item, this.#picker);
    const entry = this.#options.project === undefined ? (object as P) : this.#options.project(object);
    const before = this.#entries.get(item.key);
    if (entry === undefined) {
      if (before !== undefined) this.#remove(item.key);
      return;
    }
    this.#entries.set(item.key, entry);
    if (this.#byScope !== undefined) addTo(this.#byScope, item.key, entry);
    this.#options.onChange?.(item.key, entry, before);
  }

  #remove(key: string): void {
    const before = this.#entries.get(key);
    if (!this.#entries.delete(key)) return;
    const scope = scopeOf(key);
    const inScope = this.#byScope?.get(scope);
    inScope?.delete(key);
    if (inScope?.size === 0) this.#byScope?.delete(scope);
    this.#options.onChange?.(key, undefined, before);
  }
}

/** `/registry/pods/ns/name` -> `/registry/pods/ns/` */
const scopeOf = (key: string): string => key.slice(0, key.lastIndexOf("/") + 1);

const NO_ENTRIES: ReadonlyMap<string, never> = new Map<string, never>();

function addTo<P>(byScope: Map<string, Map<string, P>>, key: string, entry: P): void {
  const scope = scopeOf(key);
  const known = byScope.get(scope);
  if (known === undefined) byScope.set(scope, new Map([[key, entry]]));
  else known.set(key, entry);
}

const SYNC_TIMEOUT_MS = 3_000;
const RELOAD_MS = 1_000;
