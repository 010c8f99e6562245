// A decoded copy of one resource that follows every change: what authorization, admission and extensions look things up
// in, without a scan or a decode per request. With an in-process engine a change is here before its writer is answered. Large
// objects of other processes are decoded in turns, and so is everything at the beginning: each is here when it was read.

import { atOnceWhileShort, Pace, type Steps } from "../base/steps.ts";
import { type FieldPath, FieldPicker } from "../codec/field-picker.ts";
import type { ApiObject } from "../meta/object.ts";
import type { Revision } from "../storage/engine.ts";
import type { CacheEvent, CacheItem, CacheSnapshot, CacheWatch, EventType } from "../storage/watch-cache.ts";
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

/** Everything is being read. */
interface Load<P> {
  /** What happens meanwhile, in its order; undefined where an object has gone. */
  readonly arrived: Map<string, CacheItem | undefined>;
  /** The keys of all that there is. */
  readonly seen: Set<string>;
  /** What takes the place of what is in use. */
  readonly read: { readonly item: CacheItem; readonly entry: P | undefined }[];
  readonly pace: Pace;
  /** History was lost meanwhile: it begins again. */
  lost: boolean;
}

export class ObjectMirror<P = ApiObject> {
  readonly #store: ObjectStore;
  readonly #options: MirrorOptions<P>;
  readonly #entries = new Map<string, P>();
  /** At which revision each object was read: what is still the same is not read again. */
  readonly #revisions = new Map<string, Revision>();
  /** The same by namespace, from the first time that somebody asks for one. */
  #byScope: Map<string, Map<string, P>> | undefined;
  #watch: CacheWatch | undefined;
  #loading: Promise<void> | undefined;
  #loaded = false;
  #load: Load<P> | undefined;
  /** What is still to be read, the newest of each key. */
  readonly #late = new Map<string, CacheItem>();
  #readingLate: Promise<void> | undefined;
  #closed = false;
  readonly #picker: FieldPicker | undefined;

  constructor(store: ObjectStore, options: MirrorOptions<P> = {}) {
    this.#store = store;
    this.#options = options;
    this.#picker = options.fields && new FieldPicker(options.fields);
  }

  /** Resolves when every object is here. Safe to call often. */
  ready(): Promise<void> {
    this.#loading ??= this.#readAll().catch((error: unknown) => {
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
    await this.ready();
    await this.#readingLate;
  }

  close(): void {
    this.#closed = true;
    this.#late.clear();
    this.#watch?.close();
  }

  async #readAll(): Promise<void> {
    const release = this.#store.keepDecoded();
    try {
      for (let complete = false; !complete; complete = await this.#follow()) await this.#store.cache.ready();
    } finally {
      release();
    }
  }

  /** False when history was lost meanwhile. */
  async #follow(): Promise<boolean> {
    const { cache, prefix } = this.#store;
    const { only } = this.#options;
    const scope = only === undefined ? prefix : this.#store.keyOf(only.namespace, only.name);
    const snapshot = cache.snapshot();
    if (snapshot === undefined) throw new Error("the cache holds no state");
    const load: Load<P> = {
      arrived: new Map(),
      seen: new Set(),
      read: [],
      pace: new Pace(BYTES_PER_STEP),
      lost: false,
    };
    this.#load = load;
    this.#late.clear();
    this.#watch?.close();
    this.#watch = cache.watch({
      scope,
      after: snapshot.revision,
      sink: {
        event: (event, type) => this.#heard(event, type),
        ended: (reason) => this.#ended(reason),
      },
    });
    try {
      await atOnceWhileShort(this.#fill(snapshot, scope, load));
    } catch (error) {
      this.#watch.close();
      this.#load = undefined;
      throw error;
    }
    return !load.lost;
  }

  /** Nobody uses what is here before all of it is. Of what is in use already, all that differs is replaced in one turn. */
  *#fill(snapshot: CacheSnapshot, scope: string, load: Load<P>): Steps<void> {
    const { arrived, seen, read } = load;
    for (const items of piecesOf(snapshot, scope)) {
      for (const item of items) {
        // Keys of longer names begin with the one that is followed.
        if (this.#options.only === undefined || item.key === scope) yield* this.#take(item, load);
      }
      yield;
    }
    // Also what comes while these are read.
    for (const [key, item] of arrived) {
      arrived.delete(key);
      if (item === undefined) seen.delete(key);
      else yield* this.#take(item, load);
    }
    for (const { item, entry } of read) if (seen.has(item.key)) this.#put(item, entry);
    for (const key of [...this.#entries.keys()]) if (!seen.has(key)) this.#remove(key);
    // Before anything else can happen: from here on changes are taken as they come.
    this.#loaded = true;
    this.#load = undefined;
  }

  *#take(item: CacheItem, { seen, read, pace }: Load<P>): Steps<void> {
    seen.add(item.key);
    if (item.corrupt !== undefined || this.#revisions.get(item.key) === item.revision) return;
    if (pace.due(item.bytes.length)) yield;
    const entry = yield* this.#entryOf(item);
    if (this.#loaded) read.push({ item, entry });
    else this.#put(item, entry);
  }

  #heard({ item }: CacheEvent, type: EventType): void {
    const { key } = item;
    const now = type === "DELETED" ? undefined : item;
    if (this.#load !== undefined) {
      this.#load.arrived.delete(key);
      this.#load.arrived.set(key, now);
      return;
    }
    this.#late.delete(key);
    if (now === undefined) this.#remove(key);
    else if (now.corrupt !== undefined) return;
    else if (this.#store.takesLong(now)) this.#readLater(now);
    else this.#put(now, this.#project(this.#store.objectOf(now, this.#picker)));
  }

  /** Others go past it: nobody's change waits for that of somebody else. */
  #readLater(item: CacheItem): void {
    this.#late.set(item.key, item);
    if (this.#readingLate !== undefined) return;
    const reading = atOnceWhileShort(this.#readLate());
    if (!(reading instanceof Promise)) return;
    this.#readingLate = reading.catch((error: unknown) => {
      this.#readingLate = undefined;
      this.#ended(error as Error);
    });
  }

  *#readLate(): Steps<void> {
    for (const [key, item] of this.#late) {
      const entry = yield* this.#entryOf(item);
      // Unless it has changed again, or gone.
      if (this.#late.get(key) === item) {
        this.#late.delete(key);
        this.#put(item, entry);
      }
      yield;
    }
    this.#readingLate = undefined;
  }

  *#entryOf(item: CacheItem): Steps<P | undefined> {
    return this.#project(yield* this.#store.objectInSteps(item, this.#picker));
  }

  #project(object: ApiObject): P | undefined {
    return this.#options.project === undefined ? (object as P) : this.#options.project(object);
  }

  #ended(reason: Error | "closed"): void {
    if (this.#closed || reason === "closed") return;
    if (this.#load !== undefined) {
      this.#load.lost = true;
      return;
    }
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

  #put(item: CacheItem, entry: P | undefined): void {
    const before = this.#entries.get(item.key);
    if (entry === undefined) {
      if (before !== undefined) this.#remove(item.key);
      return;
    }
    this.#entries.set(item.key, entry);
    this.#revisions.set(item.key, item.revision);
    if (this.#byScope !== undefined) addTo(this.#byScope, item.key, entry);
    this.#options.onChange?.(item.key, entry, before);
  }

  #remove(key: string): void {
    const before = this.#entries.get(key);
    if (!this.#entries.delete(key)) return;
    this.#revisions.delete(key);
    const scope = scopeOf(key);
    const inScope = this.#byScope?.get(scope);
    inScope?.delete(key);
    if (inScope?.size === 0) this.#byScope?.delete(scope);
    this.#options.onChange?.(key, undefined, before);
  }
}

/** In their order, so many at a time. */
function* piecesOf(snapshot: CacheSnapshot, scope: string): Generator<readonly CacheItem[]> {
  let last: string | undefined;
  for (;;) {
    const items: CacheItem[] = [];
    snapshot.visit(scope, last, (item) => {
      items.push(item);
      return items.length < ITEMS_PER_PIECE;
    });
    yield items;
    if (items.length < ITEMS_PER_PIECE) return;
    last = items.at(-1)?.key;
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

const ITEMS_PER_PIECE = 250;
/** So much is read in one step; larger objects in several. */
const BYTES_PER_STEP = 32 * 1024;
const SYNC_TIMEOUT_MS = 3_000;
const RELOAD_MS = 1_000;
