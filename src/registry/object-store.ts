// Where the objects of one resource live: their keys, the engine below, the watch cache beside it.

import type { Clock } from "../base/clock.ts";
import { atOnce, inTurns, type Steps } from "../base/steps.ts";
import type { FieldPicker } from "../codec/field-picker.ts";
import type { ApiObject } from "../meta/object.ts";
import { BY_PEER, type EntryOptions, type Revision, type StorageEngine, type StoredEntry } from "../storage/engine.ts";
import { type CacheItem, WatchCache, type WatchCacheOptions } from "../storage/watch-cache.ts";
import {
  decodeStored,
  decodeStoredInSteps,
  encodeObject,
  encodeObjectInSteps,
  hasStoredOrder,
  replaceResourceVersion,
  withResourceVersion,
} from "./object-bytes.ts";
import { ObservedEngine, type StoreObserver } from "./observed-engine.ts";
import { type FieldRules, LARGE_ITEM_BYTES, partOf, Selectable, UnreadItem } from "./unread-item.ts";
import { type WrittenObjects, writtenObjects } from "./written-objects.ts";

export interface ReadableCheck {
  readonly atOnce: (object: ApiObject) => void;
  /** The same for large objects. */
  readonly inSteps: (object: ApiObject) => Steps<void>;
}

export interface ObjectStoreOptions extends FieldRules {
  readonly engine: StorageEngine;
  /** `/registry/configmaps/`. */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly clock: Clock;
  /** Brings an object that was stored under older rules into its present form (custom resources). May change it. */
  readonly onRead?: (object: ApiObject) => Steps<ApiObject>;
  /** Whether `onRead` takes long now for whatever is small too, since what it needs has to be made first. */
  readonly readsSlowly?: () => boolean;
  /** Throws when a stored value is no object of the kind: it then counts as damaged. May bring its parts into shape. */
  readonly checkReadable?: ReadableCheck;
  /** Whether a stored value is known to be as this program writes it, without reading it. */
  readonly isKnownGood?: (key: string, revision: Revision, value: Uint8Array) => boolean;
  readonly cacheOptions?: Pick<WatchCacheOptions, "snapshotRetentionMs" | "log">;
  /** Seconds after which objects that are written now vanish (events). */
  readonly ttlSeconds?: () => number;
  readonly observer?: StoreObserver | undefined;
}

/** Of the JSON of what is kept decoded. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

export class ObjectStore {
  readonly engine: StorageEngine;
  readonly prefix: string;
  readonly clock: Clock;
  readonly observer: StoreObserver | undefined;
  readonly #options: ObjectStoreOptions;
  readonly #writtenObjects: WrittenObjects;
  /** What this process wrote last, while those who follow hear of it. */
  #written: { readonly item: CacheItem; readonly object: ApiObject } | undefined;
  /** What was decoded to fill the cache, while somebody waits who would decode it again. */
  readonly #loaded = new Map<CacheItem, ApiObject>();
  #waiting = 0;
  #keptBytes = 0;
  readonly #selectable: Selectable;
  #cache: WatchCache | undefined;
  #closed = false;

  constructor(options: ObjectStoreOptions) {
    const { observer } = options;
    this.observer = observer;
    this.engine = observer === undefined ? options.engine : new ObservedEngine(options.engine, observer);
    this.prefix = options.prefix;
    this.clock = options.clock;
    this.#options = options;
    this.#selectable = new Selectable(options);
    this.#writtenObjects = writtenObjects(options.engine);
  }

  /** Made when somebody asks for it: most kinds of a server are never used. */
  get cache(): WatchCache {
    this.#cache ??= this.#newCache();
    return this.#cache;
  }

  /** Undefined while nobody has asked for it. */
  get cacheInUse(): WatchCache | undefined {
    return this.#cache;
  }

  /** Whoever reads or follows the objects here, now or later, fails with "Closed". */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#cache?.close();
  }

  keyOf(namespace: string, name: string): string {
    return this.#options.namespaced ? `${this.prefix}${namespace}/${name}` : `${this.prefix}${name}`;
  }

  /** The common prefix of all keys of a namespace, or of all. */
  scopeOf(namespace: string): string {
    return this.#options.namespaced && namespace !== "" ? `${this.prefix}${namespace}/` : this.prefix;
  }

  /** The objects of one namespace, with a cache of their own: for who follows few of what may be very many. */
  ofNamespace(namespace: string): ObjectStore {
    return new ObjectStore({ ...this.#options, prefix: this.scopeOf(namespace), namespaced: false });
  }

  /** The newest entry, linearizable. Its value has its resourceVersion in it where the cache has it. */
  async get(key: string): Promise<StoredEntry | undefined> {
    const { engine } = this;
    const cache = this.#cache;
    // What is brought into another form when it is read is wanted as it is stored.
    if (cache?.isReady && this.#options.onRead === undefined) {
      const newest = engine.newestKnown;
      const item = newest !== undefined && cache.revision >= newest ? cache.get(key) : undefined;
      if (item !== undefined && item.corrupt === undefined) return { key, value: item.bytes, revision: item.revision };
    }
    return engine.get(key);
  }

  /** `bytes` are those of `object`, which watchers of this process take as decoded; without it they decode. */
  create(key: string, object: ApiObject | undefined, bytes: Uint8Array, guard?: string): Promise<Revision> {
    return this.engine.create(key, bytes, this.#writeOptions(object, guard));
  }

  update(
    key: string,
    object: ApiObject | undefined,
    bytes: Uint8Array,
    expected: Revision,
    guard?: string,
  ): Promise<Revision> {
    return this.engine.update(key, bytes, expected, this.#writeOptions(object, guard));
  }

  delete(key: string, expected: Revision, last: ApiObject | undefined): Promise<Revision> {
    return this.engine.delete(key, expected, { attachment: last });
  }

  /** What a write has left decoded, for the next update. Nobody changes the object from now on. */
  keepWritten(key: string, revision: Revision, object: ApiObject, sizeBytes: number): void {
    if (this.#options.onRead === undefined) this.#writtenObjects.keep(key, revision, object, sizeBytes);
  }

  /** The object of an entry, where a write has just left it. Not to be changed. */
  takeWritten({ key, revision }: StoredEntry): ApiObject | undefined {
    return this.#writtenObjects.take(key, revision);
  }

  decode(entry: StoredEntry): ApiObject {
    const object = decodeStored(entry.value, entry.revision);
    const { onRead } = this.#options;
    return onRead === undefined ? object : atOnce(onRead(object));
  }

  /** The same for large objects. */
  *decodeInSteps(entry: StoredEntry): Steps<ApiObject> {
    const object = yield* decodeStoredInSteps(entry.value, entry.revision);
    const { onRead } = this.#options;
    return onRead === undefined ? object : yield* onRead(object);
  }

  /** Until the answer is called, objectOf knows what the cache is filled with, as far as it is not very much. */
  keepDecoded(): () => void {
    this.#waiting++;
    return () => {
      if (--this.#waiting > 0) return;
      this.#loaded.clear();
      this.#keptBytes = 0;
    };
  }

  /**
   * The object of an item of the cache; not parsed where this process has just written or read it. Of a large one that has
   * to be parsed there may be no more than `wanted`. Not to be changed.
   */
  objectOf(item: CacheItem, wanted?: FieldPicker): ApiObject {
    return this.#atHand(item) ?? partOf(item.bytes, wanted) ?? decodeStored(item.bytes, item.revision);
  }

  /** The same for one that takes long. */
  *objectInSteps(item: CacheItem, wanted?: FieldPicker): Steps<ApiObject> {
    if (!this.takesLong(item)) return this.objectOf(item, wanted);
    return partOf(item.bytes, wanted) ?? (yield* decodeStoredInSteps(item.bytes, item.revision));
  }

  /** Whether others would notice how long objectOf takes. */
  takesLong(item: CacheItem): boolean {
    return item.bytes.length > LARGE_ITEM_BYTES && this.#atHand(item) === undefined;
  }

  #atHand(item: CacheItem): ApiObject | undefined {
    const loaded = this.#loaded.get(item);
    if (loaded !== undefined) return loaded;
    const { item: written, object } = this.#written ?? {};
    if (object === undefined || written !== item) return undefined;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(item.revision) } };
  }

  #newCache(): WatchCache {
    const cache = new WatchCache({
      engine: this.engine,
      prefix: this.prefix,
      clock: this.clock,
      readItem: (key, value, revision, attachment) =>
        this.#unread(key, value, revision, attachment) ??
        this.#readItem(key, value, revision, attachment === BY_PEER ? undefined : (attachment as ApiObject)),
      readItemInSteps: (key, value, revision, attachment) => this.#readInSteps(key, value, revision, attachment),
      takesLong: (value, attachment) => this.#readsLong(value, attachment),
      rereadAt,
      ...this.#options.cacheOptions,
    });
    if (this.#closed) void cache.close();
    return cache;
  }

  /** One entry as the cache holds it. `object` is the decoded value where it is at hand. */
  #readItem(key: string, value: Uint8Array, revision: Revision, object?: ApiObject): CacheItem {
    try {
      const decoded = object ?? this.decode({ key, value, revision });
      // Asked before the check, which may bring parts into another order than their bytes have.
      const asWritten = object !== undefined || (this.#options.onRead === undefined && hasStoredOrder(decoded));
      // What this process has written, it has checked; the rest may come from anywhere.
      if (object === undefined) this.#options.checkReadable?.atOnce(decoded);
      const item = {
        key,
        revision,
        bytes: asWritten ? withResourceVersion(value, revision, "kept") : encodeObject(decoded),
        labels: decoded.metadata.labels,
        fields: this.#options.fieldsOf(decoded),
      };
      this.#written = object === undefined ? undefined : { item, object };
      if (object === undefined && this.#waiting > 0) this.#keep(item, decoded);
      return item;
    } catch (error) {
      return damaged({ key, value, revision }, error);
    }
  }

  /** One entry of a revision that the cache does not have; a large one in turns. */
  readEntry(entry: StoredEntry): CacheItem | Promise<CacheItem> {
    const { key, value, revision } = entry;
    if (!this.#readsLong(value, undefined)) return this.#readItem(key, value, revision);
    return inTurns(this.#readInSteps(key, value, revision, undefined)).catch((error) => damaged(entry, error));
  }

  /** What needs no look before somebody selects by it; undefined for everything else. */
  #unread(key: string, value: Uint8Array, revision: Revision, attachment: unknown): CacheItem | undefined {
    const { onRead, isKnownGood } = this.#options;
    const known = attachment === BY_PEER || (attachment === undefined && isKnownGood?.(key, revision, value) === true);
    if (onRead !== undefined || !known) return undefined;
    return new UnreadItem(key, revision, withResourceVersion(value, revision, "kept"), this.#selectable);
  }

  /** Whether a value has to be read that takes long: what was written here is at hand, others are not looked into yet. */
  #readsLong(value: Uint8Array, attachment: unknown): boolean {
    const { onRead, readsSlowly } = this.#options;
    if (attachment !== undefined && (attachment !== BY_PEER || onRead === undefined)) return false;
    return value.length > LARGE_ITEM_BYTES || readsSlowly?.() === true;
  }

  /** An entry that nobody has decoded. It is not kept decoded: whoever wants it decodes it in steps. */
  *#readInSteps(key: string, value: Uint8Array, revision: Revision, attachment: unknown): Steps<CacheItem> {
    const unread = this.#unread(key, value, revision, attachment);
    if (unread !== undefined) return unread;
    const { onRead, fieldsOf, checkReadable } = this.#options;
    const decoded = yield* this.decodeInSteps({ key, value, revision });
    const asWritten = onRead === undefined && hasStoredOrder(decoded);
    const bytes = asWritten ? withResourceVersion(value, revision, "kept") : yield* encodeObjectInSteps(decoded);
    const item = { key, revision, bytes, labels: decoded.metadata.labels, fields: fieldsOf(decoded) };
    yield;
    if (checkReadable !== undefined) yield* checkReadable.inSteps(decoded);
    return item;
  }

  #keep(item: CacheItem, object: ApiObject): void {
    if (this.#keptBytes + item.bytes.length > MAX_KEPT_BYTES) return;
    this.#keptBytes += item.bytes.length;
    this.#loaded.set(item, object);
  }

  #writeOptions(object: ApiObject | undefined, guard: string | undefined): EntryOptions {
    const { ttlSeconds } = this.#options;
    const options = guard === undefined ? { attachment: object } : { attachment: object, guard };
    return ttlSeconds === undefined ? options : { ...options, ttlSeconds: ttlSeconds() };
  }
}

/** The same object with another revision. */
function rereadAt(item: CacheItem, revision: Revision): CacheItem {
  const bytes = replaceResourceVersion(item.bytes, revision);
  if (item instanceof UnreadItem) return item.with(revision, bytes);
  return { ...item, revision, bytes };
}

const damaged = ({ key, value, revision }: StoredEntry, error: unknown): CacheItem => ({
  key,
  revision,
  bytes: value,
  labels: undefined,
  fields: {},
  corrupt: error as Error,
});
